import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from tests.engine.indexed import archive, index, roots
from tests.engine.roots import NOW, root_sessions, saved
from tests.store.made import Source
from unspool.demo import Transcript
from unspool.engine.sessions.listing import Listing, StatusReader
from unspool.model.session import SessionSummary
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

LATER = NOW + 3_600_000
START = "2026-01-01T00:00:00.000Z"


def talk(session: str = "s1", cwd: str = "/repo") -> Transcript:
    made = Transcript(session=session, start=START, cwd=cwd)
    return made.user(f"Prompt of {session}").says("Done")


@contextmanager
def listing(root: Path, now: int = LATER) -> Iterator[Listing]:
    with archive(root) as made:
        yield Listing(made.store, roots(root), "", now)


def only(root: Path, now: int = LATER) -> SessionSummary:
    with listing(root, now) as made:
        (row,) = made.summaries()
    return row


def hook(root: Path, name: str, at: str = "2026-01-01T00:00:05.000Z", **fields: str) -> None:
    log = root / "hooks" / "-repo" / "s1.hooks.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    line = {"sessionId": "s1", "eventType": name, "timestamp": at, **fields}
    with log.open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_a_row_of_the_index_says_what_the_file_would_say(tmp_path: Path) -> None:
    made = talk().calls("Write", {"file_path": "/repo/a.py", "content": "x"}).returns("ok")
    made.calls("TodoWrite", {"todos": [{"content": "Go", "status": "pending"}]}).returns("ok")
    made.raw(b"").raw(b"{").calls("Task", {"description": "Look", "prompt": "Look"}, id="t1")
    agent = Transcript("s1", agent="a1", start=START, uuid_prefix="a").user("Look").says("Seen")
    saved(tmp_path, made, agent)
    for now in (NOW + 5_000, LATER):
        row = only(tmp_path, now)
        (read,) = root_sessions(tmp_path, now=now).summaries()

        # Which responses are its own, only an index knows for sure.
        assert (row.metrics.ownership, read.metrics.ownership) == ("exact", "by_marks")
        assert row == replace(read, metrics=replace(read.metrics, ownership="exact"))
    assert row.session.files is not None
    assert (row.agents, row.bad_lines, row.session.files.modified) == (1, 1, ("/repo/a.py",))


def test_no_file_of_a_session_is_opened_for_its_row(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    with listing(tmp_path, now=NOW + 5_000) as made:
        path.write_bytes(b"something else")

        assert [row.session.title for row in made.summaries()] == ["Prompt of s1"]


@pytest.mark.parametrize("packed", [b"", b"\x81\xa1v\x63", b"\xff\xff"])
def test_what_another_version_packed_is_unknown(tmp_path: Path, packed: bytes) -> None:
    saved(tmp_path, talk())
    index(tmp_path)
    with apsw.Connection(str(tmp_path / "un" / "index.db")) as written:
        written.execute("UPDATE session SET facts = ?", (packed,))
    row = only(tmp_path)

    assert (row.session.models, row.session.files, row.metrics.message_count) == (None,) * 3
    assert (row.session.title, row.lines) == ("Prompt of s1", 2)


def test_a_session_of_long_ago_is_idle_whatever_its_last_line(tmp_path: Path) -> None:
    saved(tmp_path, Transcript(session="s1", start=START).user("go").calls("Bash", command="x"))

    assert only(tmp_path).session.status.state == "idle"


def test_a_hook_says_that_a_session_ended(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    hook(tmp_path, "SessionEnd")
    status = only(tmp_path).session.status

    assert (status.state, status.evidence) == ("ended", "hook")


def test_an_approval_asked_for_an_hour_ago_is_still_waited_for(tmp_path: Path) -> None:
    saved(tmp_path, Transcript(session="s1", start=START).user("go").calls("Bash", command="x"))
    hook(tmp_path, "PermissionRequest", toolName="Bash")

    assert only(tmp_path).session.status.state == "waiting_for_approval"


def test_a_registered_session_stands_as_the_registry_says(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    entry = tmp_path / "sessions" / f"{os.getpid()}.json"
    entry.parent.mkdir()
    entry.write_text(json.dumps({"pid": os.getpid(), "sessionId": "s1", "status": "busy"}))
    status = only(tmp_path).session.status

    assert (status.state, status.evidence) == ("working", "registry")


def test_what_has_no_price_is_named(tmp_path: Path) -> None:
    saved(tmp_path, Transcript(session="s1", start=START).user("x").says("y", model="made-up-1"))
    row = only(tmp_path)

    assert (row.metrics.cost_usd, row.metrics.unpriced) == (None, ("made-up-1",))


def test_an_unfinished_response_makes_the_cost_a_lower_bound(tmp_path: Path) -> None:
    saved(tmp_path, Transcript(session="s1", start=START).user("x").says("y", stop=None))

    assert only(tmp_path).metrics.lower_bound


def test_a_swept_session_is_marked(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    index(tmp_path)
    path.unlink()

    assert only(tmp_path).source_gone


def test_a_file_that_went_away_just_now_is_told_from_the_index(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, talk())
    with listing(tmp_path, now=NOW + 5_000) as made:
        path.unlink()
        (row,) = made.summaries()

    assert row.session.title == "Prompt of s1"


def test_a_project_is_found_by_part_of_its_name_whatever_its_case(tmp_path: Path) -> None:
    saved(tmp_path, talk("one", cwd="/dev/Web"), talk("two", cwd="/dev/api"))
    with listing(tmp_path) as made:
        assert [row.session.id for row in made.summaries(project="wEB")] == ["one"]


def test_other_roots_in_the_same_index_are_left_out(tmp_path: Path) -> None:
    saved(tmp_path, talk())
    with archive(tmp_path) as made:
        elsewhere = Listing(made.store, roots(tmp_path / "un"), "", LATER)

        assert list(elsewhere.summaries()) == []


@pytest.mark.parametrize(
    ("path", "is_ours"),
    [("projects//p/s1.jsonl", True), ("//projects/p/s1.jsonl", True), ("projects2/p/s1", False)],
)
def test_a_hook_may_write_the_path_of_its_transcript_in_another_way(
    tmp_path: Path, path: str, *, is_ours: bool
) -> None:
    saved(tmp_path)
    store, told = MemoryStore(), f"{tmp_path}/{path}"
    heard = {"origin": "hook", "transcript_path": told, "is_displayable": True}
    store.commit([Source(kind="spool").line().tells(**heard).batch()])
    found = Listing(store, roots(tmp_path), "", LATER).summaries()

    assert [row.path for row in found] == [told] * is_ours


def test_more_sessions_than_a_page_are_all_listed_once(tmp_path: Path) -> None:
    saved(tmp_path, *(talk(f"session-{number:03}") for number in range(210)))
    with listing(tmp_path) as made:
        ids = [row.session.id for row in made.summaries()]

    assert sorted(ids) == [f"session-{number:03}" for number in range(210)]


@pytest.mark.parametrize("many", [2, 30])
def test_sql_says_of_each_session_what_its_row_says(tmp_path: Path, many: int) -> None:
    made = [Transcript(f"s{n}", uuid_prefix=f"{n}-", start=START).user("go") for n in range(many)]
    made[1].calls("Bash", command="x")
    saved(tmp_path, *made)
    now = NOW + 5_000
    with archive(tmp_path) as found:
        store = found.store
        assert isinstance(store, SqliteStore)
        store.statuses = lambda: StatusReader(store, roots(tmp_path), "", now)
        asked = dict(store.sql("SELECT session_id, status FROM sessions")[1])
        calls = store.sql("SELECT session_id, state FROM tool_calls")[1]
        rows = Listing(store, roots(tmp_path), "", now).summaries()

        assert asked == {row.session.id: row.session.status.state for row in rows}
    assert (asked["s0"], asked["s1"]) == ("working", "waiting_for_approval")
    assert calls == [("s1", "running")]
