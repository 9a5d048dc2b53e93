"""Hook events wherever they lie, each once."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.engine.live import Live, at
from tests.engine.roots import NOW, PRICES, root_sessions
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.archive.reader import Archive
from unspool.engine.hooks.events import HookTail, SpoolEvents
from unspool.engine.indexing.backfill import build
from unspool.model.hooks import HookEvent
from unspool.source.forgotten import forget
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore


def names(events: list[HookEvent]) -> list[str]:
    return [event.event for event in events]


def test_a_log_is_read_on_from_where_it_was_left(tmp_path: Path) -> None:
    live, tail = Live(tmp_path).logs("SessionStart", 1), HookTail()
    path = str(tmp_path / "hooks" / "-repo" / "s1.hooks.jsonl")

    assert names(tail.log(path, "s1")) == ["SessionStart"]
    live.logs("Stop", 2)
    assert names(tail.log(path, "s1")) == ["Stop"]
    assert tail.log(path, "s1") == []


def test_a_log_of_one_session_tells_nothing_of_another(tmp_path: Path) -> None:
    Live(tmp_path).logs("Stop", 1, session="s1")

    assert HookTail().log(str(tmp_path / "hooks" / "-repo" / "s1.hooks.jsonl"), "s2") == []


def test_a_spool_is_sorted_by_session(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("Stop", 1, "s1").hook("SessionEnd", 2, "s2")
    spooled = SpoolEvents(str(tmp_path / "spool"), live.roots)

    assert spooled.names() == {("-repo", "s1"), ("-repo", "s2")}
    assert names(spooled.of("-repo", "s1")) == ["Stop"]


def test_a_spool_is_read_on_when_it_is_asked_again(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("SessionStart", 1)
    spooled = SpoolEvents(str(tmp_path / "spool"))
    spooled.of("-repo", "s1")
    live.hook("Stop", 2)

    assert [(one.event, one.timestamp) for one in spooled.of("-repo", "s1")] == [
        ("SessionStart", iso(at(1))),
        ("Stop", iso(at(2))),
    ]


def test_a_spool_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert (
        SpoolEvents(str(tmp_path / "none")).of("-repo", "s1")
        == SpoolEvents("").of("-repo", "s1")
        == []
    )


def test_damage_in_a_spool_hides_no_other_event(tmp_path: Path) -> None:
    Live(tmp_path).hook("SessionStart", 1)
    (file,) = (tmp_path / "spool").glob("*.spool")
    with file.open("ab") as torn:
        torn.write(b"~1 00000000 torn\n")
    append(tmp_path / "spool", [b'{"hook_event_name": "Stop", "session_id": "s1"}'], NOW)

    assert names(SpoolEvents(str(tmp_path / "spool")).of("-repo", "s1")) == ["SessionStart", "Stop"]


def test_the_long_body_of_a_call_is_not_kept(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("PostToolUse", 1, tool_use_id="t1", tool_response="x" * 99_000)
    (kept,) = SpoolEvents(str(live.spool), live.roots).of("-repo", "s1")

    assert (kept.tool_use_id, bytes(kept.data)) == ("t1", b"null")


@contextmanager
def taken_in(live: Live) -> Iterator[Archive]:
    """Index a root and its spool, and open what there is to be read."""
    build(lambda: SqliteStore(live.root / "un"), live.roots, PRICES, NOW, spool=str(live.spool))
    with closing(SqliteStore(live.root / "un", mode="ro")) as store:
        yield Archive(store)


def test_what_the_archive_took_in_is_not_read_twice(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("SessionStart", 1).hook("Stop", 2, "s2")
    with taken_in(live) as archive:
        live.hook("Stop", 3)
        spooled = SpoolEvents(str(live.spool), live.roots, archive)

        assert names(spooled.of("-repo", "s1")) == ["SessionStart", "Stop"]
        assert spooled.names(archived=False) == {("-repo", "s1")}


def test_a_spool_that_was_tidied_away_is_still_heard(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    live = Live(tmp_path).hook("PermissionRequest", 1, **asked)
    before = SpoolEvents(str(live.spool), live.roots).of("-repo", "s1")
    with taken_in(live) as archive:
        for file in live.spool.glob("*.spool"):
            file.unlink()

        assert SpoolEvents(str(live.spool), live.roots, archive).of("-repo", "s1") == before


def test_a_log_that_the_archive_has_too_is_heard_once(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(Transcript().user("go")).logs("Stop", 3, stop_hook_active=False)
    with taken_in(live) as archive:
        reader = root_sessions(tmp_path)
        reader.listen(str(live.spool), archive)
        reel = reader._live(reader.find("s1"))

        assert names(reel.hooks()) == ["Stop"]


def measured(live: Live, archive: Archive) -> list[int | None]:
    """How long each call waited, by the index and by the document."""
    assert isinstance(archive.store, SqliteStore)
    _, told = archive.store.sql("SELECT waited_ms FROM tool_calls")
    reader = root_sessions(live.root)
    reader.listen(str(live.spool), archive)
    calls = reader.open(reader.find("s1")).document().tool_executions
    return [*(row[0] for row in told), *(one.hook.waited_ms for one in calls if one.hook)]


def test_the_index_and_the_document_measure_the_same_wait(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    live = Live(tmp_path).wrote(Transcript().user("go").calls("Bash", command="ls", id="t1"))
    live.hook("PreToolUse", 1, tool_use_id="t1", **asked).hook("PermissionRequest", 2, **asked)
    live.hook("PostToolUse", 9, tool_use_id="t1", duration_ms=1_500, **asked)
    with taken_in(live) as archive:
        found = measured(live, archive)

    assert found == [5_500, 5_500]


def test_an_event_is_of_the_project_it_names(tmp_path: Path) -> None:
    other = str(tmp_path / "projects" / "-other" / "s1.jsonl")
    live = Live(tmp_path).hook("Stop", 1, transcript_path=other).hook("SessionEnd", 2)
    spooled = SpoolEvents(str(live.spool), live.roots)

    assert names(spooled.of("-other", "s1")) == ["Stop"]
    assert names(spooled.of("-repo", "s1")) == ["SessionEnd"]


@pytest.mark.parametrize("said", ["", "/elsewhere/projects/-x/s1.jsonl"])
def test_an_event_that_names_no_project_of_ours_is_of_the_newest(tmp_path: Path, said: str) -> None:
    live = Live(tmp_path).wrote(Transcript("s1", "/other").user("go"), 9)
    live.wrote(Transcript("s1").user("go"), 1).hook("Stop", 10, transcript_path=said)
    spooled = SpoolEvents(str(live.spool), live.roots)

    assert (names(spooled.of("-other", "s1")), spooled.of("-repo", "s1")) == (["Stop"], [])


@pytest.mark.parametrize("what", ["gone", "directory"])
def test_a_log_or_a_spool_that_cannot_be_read_tells_nothing(tmp_path: Path, what: str) -> None:
    path = tmp_path / f"{what}.hooks.jsonl"
    if what == "directory":
        path.mkdir()

    assert HookTail().log(str(path), "s1") == []
    assert list(HookTail().spooled(str(path))) == []


def test_events_of_a_forgotten_session_are_not_told_even_before_they_are_erased(
    tmp_path: Path,
) -> None:
    live = Live(tmp_path).hook("Stop", 1).hook("Stop", 2, "s2")
    (path,) = live.spool.iterdir()
    forget(str(tmp_path / "forgotten.jsonl"), [(str(tmp_path), "-repo", "s1")], 1)

    assert [event.session_id for event in HookTail().spooled(str(path))] == ["s2"]


def test_those_that_were_read_before_it_was_forgotten_name_it_no_more(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("Stop", 1).hook("Stop", 2, "s2")
    log = str(tmp_path / "forgotten.jsonl")
    roots = [structs.replace(root, tombstones=log) for root in live.roots]
    spooled = SpoolEvents(str(live.spool), roots)
    assert spooled.names() == {("-repo", "s1"), ("-repo", "s2")}
    forget(log, [(str(tmp_path), "-repo", "s1")], 1)

    assert spooled.names() == {("-repo", "s2")}
