"""Shipments of a machine that was restored: what was forgotten is left out."""

from msgspec.structs import replace

from tests.hub.made import shipment
from tests.store.made import Source
from unspool.model.rows import BadLine, Batch, HookRow, Segment, SessionRow, SourceRow, StoredLine
from unspool.store.pack import unpacked
from unspool.store.shipping import without_forgotten


def hook(line: int, session: str) -> HookRow:
    return HookRow("", 1, "x", "", "", "", "", session, "", None, "spool", line, session, "-repo")


def test_a_spool_keeps_its_places_without_events_of_a_forgotten_session() -> None:
    source = SourceRow(
        source_id=7,
        root="/h",
        path="spool/x",
        kind="spool",
        project_id="",
        session_id="",
        offset=24,
    )
    batch = Batch(
        source=source,
        begins=0,
        lines=[StoredLine(1, 0, 7, 1, "hook"), StoredLine(2, 8, 7, 2, "hook")],
        hooks=[hook(1, "lost"), hook(2, "kept")],
        bad=[BadLine(16, 7, 3, "torn")],
        sessions=[SessionRow(session_id=one, project_id="-repo") for one in ("lost", "kept")],
        guesses={"lost": "-repo", "kept": "-repo"},
    )
    given = shipment(batch, b"~1 lost\n~1 kept\n~1 torn\n")
    left = without_forgotten(given, {("-repo", "lost")}.__contains__)

    assert left is not None
    (piece,) = left.pieces
    data = unpacked(Segment(0, 0, piece.begins, piece.ends, piece.checksum, piece.packed))
    assert data == b"       \n~1 kept\n       \n"
    assert b"lost" not in repr(left.batch).encode()
    assert [one.line_id for one in left.batch.lines] == [2]
    assert without_forgotten(given, {("-repo", "other")}.__contains__) is given


def test_nothing_is_left_of_a_file_of_a_forgotten_session() -> None:
    given = shipment(Source(5, "s1").line("text").batch())

    assert without_forgotten(given, {("-repo", "s1")}.__contains__) is None
    other = replace(given, edition=1)
    assert without_forgotten(other, lambda _: False) is other
