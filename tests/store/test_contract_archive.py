"""Raw bytes: kept once, given back as they were, and never in the way of the rest."""

from msgspec.structs import replace

from tests.store.made import Source
from tests.store.stores import AnyStore
from unspool.model.files import OutputFile
from unspool.model.rows import SourceRow
from unspool.store.pack import packed, unpacked

FIRST, SECOND = b"one\ntwo\n", b"three\n"


def archive(store: AnyStore, *pieces: tuple[int, bytes]) -> None:
    store.archive([packed(1, 0, offset, data) for offset, data in pieces])


def test_bytes_come_back_as_they_were(store: AnyStore) -> None:
    archive(store, (0, FIRST), (8, SECOND))

    assert b"".join(unpacked(s) or b"" for s in store.segments(1, 0)) == FIRST + SECOND
    assert [store.raw(1, 0, 4, 3), store.raw(1, 0, 8, 5)] == [b"two", b"three"]


def test_a_line_may_lie_in_several_segments(store: AnyStore) -> None:
    archive(store, (0, FIRST), (8, SECOND))

    assert store.raw(1, 0, 2, 9) == b"e\ntwo\nthr"


def test_segments_are_read_on_from_a_place(store: AnyStore) -> None:
    archive(store, (0, FIRST), (8, SECOND))

    def after(place: int) -> list[bytes | None]:
        return [unpacked(segment) for segment in store.segments(1, 0, place)]

    assert (after(5), after(8), after(14)) == ([FIRST, SECOND], [SECOND], [])


def test_what_is_not_there_is_none(store: AnyStore) -> None:
    archive(store, (0, FIRST))

    assert [store.raw(1, 0, 6, 9), store.raw(1, 1, 0, 3), store.raw(2, 0, 0, 3)] == [None] * 3


def test_the_same_segment_again_is_kept_once(store: AnyStore) -> None:
    archive(store, (0, FIRST))
    archive(store, (0, FIRST))

    assert len(list(store.segments(1, 0))) == 1
    assert store.status().archived_bytes == 8


def test_another_segment_in_its_place_was_never_indexed_and_gives_way(store: AnyStore) -> None:
    archive(store, (0, FIRST), (8, SECOND))
    archive(store, (0, b"rewritten\n"))

    assert [unpacked(segment) for segment in store.segments(1, 0)] == [b"rewritten\n"]


def test_the_archive_ends_where_a_gap_begins(store: AnyStore) -> None:
    archive(store, (0, FIRST), (100, SECOND))

    assert (store.archived(1, 0), store.archived(1, 1)) == (8, 0)


def test_generations_are_named_without_an_index(store: AnyStore) -> None:
    first = Source(agent="a1", kind="subagent").line().row
    second = replace(first, generation=1, offset=0)
    store.archive([], [second])
    store.archive([], [first, second])
    blank = SourceRow(
        source_id=1,
        root=first.root,
        path=first.path,
        kind="subagent",
        project_id="-repo",
        session_id="s1",
        agent_id="a1",
    )

    assert store.generations() == [blank, replace(blank, generation=1)]


def test_archiving_is_no_change_of_the_index(store: AnyStore) -> None:
    archive(store, (0, FIRST))

    assert (store.head(), store.sources()) == (0, [])


def test_an_output_is_kept_until_another_takes_its_place(store: AnyStore) -> None:
    file = OutputFile("/r", "projects/-p/s1/tool-results/a.txt", "-p", "s1", 3, 7)
    store.archive_outputs([(file, b"one"), (replace(file, path="b"), b"two")])
    store.archive_outputs([(replace(file, size=5, mtime_ns=9), b"three")])

    assert (store.output("/r", file.path), store.output("/r", "b")) == (b"three", b"two")
    assert {(one.path, one.size) for one in store.outputs()} == {(file.path, 5), ("b", 3)}
    assert (store.output("/r", "c"), store.output("/else", "b")) == (None, None)
    assert (store.status().outputs, store.status().output_bytes) == (2, 8)


def test_what_is_erased_is_gone_and_all_else_stays(store: AnyStore) -> None:
    first, second = Source(1).line().row, Source(2, "s2").line().row
    store.archive([packed(1, 0, 0, FIRST), packed(2, 0, 0, SECOND)], [first, second])
    long = [OutputFile("/claude", f"{n}.txt", "-repo", f"s{n}", 4, 5) for n in (1, 2)]
    store.archive_outputs([(file, b"long") for file in long])

    store.erase([1], [("/claude", "1.txt")])
    assert [one.source_id for one in store.generations()] == [2]
    assert (store.raw(1, 0, 0, 3), store.raw(2, 0, 0, 5)) == (None, b"three")
    assert (store.outputs(), store.output("/claude", "1.txt")) == ([long[1]], None)
    assert (store.archived(1, 0), list(store.segments(1, 0))) == (0, [])


def test_a_segment_takes_the_place_of_another(store: AnyStore) -> None:
    archive(store, (0, FIRST), (8, SECOND))
    store.erase([], instead=[packed(1, 0, 0, b"one\n   \n")])

    assert b"".join(unpacked(s) or b"" for s in store.segments(1, 0)) == b"one\n   \nthree\n"


def test_after_an_erasure_more_is_archived_as_before(store: AnyStore) -> None:
    archive(store, (0, FIRST))
    store.erase([1])
    archive(store, (0, FIRST), (8, SECOND))

    assert store.archived(1, 0) == 14
