"""Sessions of which only hooks or the registry tell so far, in lists."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.indexed import archive
from tests.engine.live import Live, at
from tests.engine.roots import root_sessions, saved
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.sessions.listing import Listing
from unspool.model.session import SessionSummary

START = "2026-01-01T00:00:00.000Z"


def listed(live: Live, seconds: float = 60, **wanted: Any) -> list[SessionSummary]:
    reader = root_sessions(live.root, now=at(seconds))
    reader.listen(str(live.spool))
    return list(reader.summaries(**wanted))


def ids(rows: list[SessionSummary]) -> list[str]:
    return [row.session.id for row in rows]


def test_a_session_known_from_a_spool_is_listed(tmp_path: Path) -> None:
    (row,) = listed(Live(tmp_path).hook("UserPromptSubmit", 1, prompt="Build it"))

    assert (row.session.origin, row.session.goal, row.session.project_id) == (
        "hook",
        "Build it",
        "-repo",
    )
    assert row.session.status.state == "working"


def test_a_session_known_from_an_event_log_is_listed(tmp_path: Path) -> None:
    (row,) = listed(Live(tmp_path).logs("SessionEnd", 1, cwd="/repo"))

    assert (row.session.origin, row.session.status.state) == ("hook", "ended")


def test_a_session_known_from_the_registry_is_listed_while_it_lives(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "idle", 1)

    (row,) = listed(live)
    assert (row.session.origin, row.session.status.evidence) == ("registry", "registry")
    assert listed(live.exits()) == []


def test_a_session_with_a_transcript_is_listed_once(tmp_path: Path) -> None:
    saved(tmp_path, Transcript("s1", start=START).user("go"))
    live = Live(tmp_path).hook("Stop", 1).runs("s1", "idle", 1)

    (row,) = listed(live)
    assert row.session.origin == "transcript"


def test_they_stand_among_the_others_by_their_last_activity(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(Transcript("old", start=iso(at(10)) or "").user("a"), 10)
    live.wrote(Transcript("new", start=iso(at(30)) or "", uuid_prefix="b-").user("b"), 30)
    live.hook("Stop", 20, "heard").hook("Stop", 40, "last")

    assert ids(listed(live)) == ["last", "new", "heard", "old"]


def test_they_are_left_out_by_the_same_wishes(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("SessionEnd", 1)

    assert ids(listed(live, project="REP")) == ["s1"]
    assert listed(live, project="other") == []
    assert listed(live, since=at(2)) == []


def from_files(live: Live, seconds: float) -> list[tuple[str, str]]:
    return [(row.session.id, row.session.origin) for row in listed(live, seconds)]


def from_index(live: Live, seconds: float) -> list[tuple[str, str]]:
    with archive(live.root) as made:
        rows = Listing(made.store, live.roots, str(live.spool), at(seconds)).summaries()
        return [(row.session.id, row.session.origin) for row in rows]


def test_the_index_lists_them_too(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(Transcript("old", start=START).user("a"), 1)
    live.hook("UserPromptSubmit", 5).runs("live", "busy", 9)

    assert from_index(live, 7_000) == [
        ("live", "registry"),
        ("s1", "hook"),
        ("old", "transcript"),
    ]


def test_a_session_stays_listed_from_its_first_sign_to_its_first_word(tmp_path: Path) -> None:
    live, made = Live(tmp_path).runs("s1", "idle", 1), Transcript("s1", start=START)
    begun = from_index(live, 2)
    silent = from_index(live.wrote(made.system("informational"), 3), 4)
    spoke = from_index(live.wrote(made.user("Build it"), 5), 6)

    assert begun == silent == [("s1", "registry")]
    assert spoke == [("s1", "transcript")]


@pytest.mark.parametrize("list_of", [from_files, from_index])
def test_one_that_ended_without_a_word_is_not_listed(tmp_path: Path, list_of: Any) -> None:
    live = Live(tmp_path).hook("SessionEnd", 1)
    live.wrote(Transcript("s1", start=START).system("informational"), 1)

    assert list_of(live, 2) == []


@pytest.mark.parametrize("list_of", [from_files, from_index])
def test_one_whose_first_word_only_a_hook_has_heard_is_listed(tmp_path: Path, list_of: Any) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, prompt="Build it")
    live.wrote(Transcript("s1", start=START).system("informational"), 1)

    assert list_of(live, 7_000) == [("s1", "hook")]
