"""The live board over real files: who is on it, what they do, what they wait for and spend."""

import os
from pathlib import Path
from typing import Any

from msgspec import structs

from tests.engine.live import DEAD, Live, at
from tests.engine.roots import PRICES, root_sessions
from unspool.demo import Transcript
from unspool.engine.board.board import LiveBoard
from unspool.model.session import BoardSpend

START = "2026-01-01T00:00:00.000Z"


def talk(session: str = "s1", **options: Any) -> Transcript:
    return Transcript(session, start=START, **options).user("Build it")


def called(session: str = "s1") -> Transcript:
    return talk(session).calls("Bash", command="make test")


def bash(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def test_a_root_without_sessions_is_an_empty_board(tmp_path: Path) -> None:
    board = Live(tmp_path).board(0)

    assert (board.at, board.rows, board.today) == (at(0), (), BoardSpend())


def test_a_row_says_what_a_list_would_say(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called().returns("ok").says("Done"))
    row = live.row(5)
    (listed,) = root_sessions(tmp_path, now=at(5)).summaries()

    # Its project is put in with the marks.
    assert row.session == structs.replace(listed.session, project_group=None)
    assert row.metrics == listed.metrics


def test_what_is_appended_is_on_the_next_board(tmp_path: Path) -> None:
    made = called()
    live = Live(tmp_path).wrote(made)

    assert live.state(3) == ("waiting_for_approval", "inferred")
    live.wrote(made.returns("ok").says("Done"))
    assert live.state(4) == ("waiting_for_input", "inferred")
    assert live.row(4).session.recent_output == "Done"


def test_a_session_that_begins_later_comes_to_the_board(tmp_path: Path) -> None:
    live = Live(tmp_path)

    assert live.board(0).rows == ()
    assert live.wrote(talk()).row(1).session.goal == "Build it"


def test_newest_activity_comes_first(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(talk("s1")).wrote(talk("s2", uuid_prefix="b-").wait(9).says("x"))

    assert [row.session.id for row in live.board(20).rows] == ["s2", "s1"]


def test_five_minutes_of_silence_are_idle_though_no_file_changes(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called())

    assert live.state(299)[0] == "waiting_for_approval"
    assert live.state(302) == ("idle", "inferred")


def test_a_session_leaves_the_board_when_it_was_silent_for_hours(tmp_path: Path) -> None:
    live = Live(tmp_path, hours=2).wrote(called())

    assert len(live.board(7_100).rows) == 1
    assert live.board(7_300).rows == ()


def test_an_old_file_is_not_read_at_all(tmp_path: Path) -> None:
    live = Live(tmp_path, hours=1).wrote(called())
    LiveBoard(live.roots, PRICES, live.watching, now=at(9_000))

    assert live.board(9_000).rows == ()


def test_a_living_process_keeps_its_session_on_the_board(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called()).runs("s1", "busy", 2)

    assert live.state(90_000) == ("working", "registry")


def test_one_that_has_ended_stays_for_an_hour(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called()).hook("SessionEnd", 10)

    assert live.state(3_000) == ("ended", "hook")
    assert live.board(3_700).rows == ()


def test_a_process_that_died_has_ended(tmp_path: Path) -> None:
    assert Live(tmp_path).wrote(called()).runs("s1", "busy", 2, pid=DEAD).state(3) == (
        "ended",
        "registry",
    )


def test_a_process_that_took_its_entry_away_has_ended_then(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called()).runs("s1", "busy", 2)

    assert live.state(3) == ("working", "registry")
    status = live.exits().row(40).session.status
    assert (status.state, status.since) == ("ended", "2026-01-01T00:00:40.000Z")


def test_a_process_that_turns_to_another_session_has_left_the_first(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(talk()).runs("s1", "busy", 2)
    live.board(3)
    live.runs("s2", "idle", 4)

    assert live.state(5) == ("ended", "registry")


def test_a_session_that_goes_on_without_the_registry_has_not_ended(tmp_path: Path) -> None:
    made = called()
    live = Live(tmp_path).wrote(made).runs("s1", "busy", 2)
    live.board(3)
    live.exits().board(4)

    assert live.wrote(made.wait(10).returns("ok")).state(20) == ("working", "inferred")


def test_a_request_is_waited_for_by_its_call(tmp_path: Path) -> None:
    asked = bash("rm -r build")
    live = Live(tmp_path).wrote(called()).hook("PermissionRequest", 2, **asked)
    row = live.row(4)

    assert (row.session.status.state, row.waits_for) == ("waiting_for_approval", "Bash rm -r build")
    assert row.running == ()


def test_a_request_that_was_granted_is_work_again(tmp_path: Path) -> None:
    asked = bash("make test")
    live = Live(tmp_path).wrote(called()).hook("PermissionRequest", 2, **asked)
    live.board(3)
    live.hook("PostToolUse", 4, tool_use_id="toolu_1", **asked)

    assert live.state(5) == ("working", "hook")


def test_a_question_is_waited_for_in_its_own_words(tmp_path: Path) -> None:
    made = talk().calls("AskUserQuestion", questions=[{"question": "Red or blue?"}])

    assert Live(tmp_path).wrote(made).runs("s1", "waiting", 2).row(3).waits_for == "Red or blue?"


def test_calls_at_work_are_shown_while_the_process_is_busy(tmp_path: Path) -> None:
    row = Live(tmp_path).wrote(called()).runs("s1", "busy", 2).row(3)

    assert (row.running, row.waits_for) == (("Bash make test",), "")
    assert row.session.pending_tool is not None


def spawning() -> tuple[Transcript, Transcript]:
    made = talk().calls("Task", description="Find it", prompt="Look for x")
    agent = Transcript("s1", start=START, agent="a1", uuid_prefix="a-").wait(5)
    return made, agent.user("Look for x").calls("Grep", pattern="x").meta(description="Find it")


def test_agents_at_work_are_shown_by_their_errand(tmp_path: Path) -> None:
    made, agent = spawning()
    row = Live(tmp_path).wrote(made).wrote(agent, 7).row(8)

    assert (row.agents, row.running) == (("Find it",), ())
    assert (row.session.status.state, row.session.status.evidence) == ("working", "inferred")


def test_an_agent_that_writes_keeps_its_session_from_being_idle(tmp_path: Path) -> None:
    made, agent = spawning()
    live = Live(tmp_path).wrote(made).wrote(agent.wait(400).returns("found"), 408)

    assert live.state(420)[0] == "working"


def test_a_session_counts_what_its_agents_used(tmp_path: Path) -> None:
    made, agent = spawning()
    alone = Live(tmp_path / "a").wrote(made).row(8).metrics.total_tokens
    both = Live(tmp_path / "b").wrote(made).wrote(agent, 7).row(8).metrics.total_tokens

    assert both > alone > 0


def test_a_session_known_only_from_hooks_is_there_until_its_transcript_is(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, prompt="Build it")
    row = live.row(2)

    assert (row.session.origin, row.session.goal) == ("hook", "Build it")
    assert (row.session.project_id, row.session.status.state) == ("-repo", "working")
    assert live.wrote(called()).row(3).session.origin == "transcript"


def test_a_session_known_only_from_the_registry_is_there_too(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "idle", 1, name="Tidy up")
    row = live.row(2)

    assert (row.session.origin, row.session.title) == ("registry", "Tidy up")
    assert (row.session.project_id, row.session.status.evidence) == ("-repo", "registry")
    assert live.wrote(called()).row(3).session.origin == "transcript"


def test_a_hook_of_another_root_is_none_of_ours(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, transcript_path="/else/projects/p/s1.jsonl")

    assert live.board(2).rows == ()


def test_an_event_told_by_two_loggers_happens_once(tmp_path: Path) -> None:
    asked = bash("make test")
    live = Live(tmp_path).wrote(called()).hook("PermissionRequest", 2, **asked)
    live.logs("PermissionRequest", 2.5, **asked)
    live.hook("PostToolUse", 4, tool_use_id="toolu_1", **asked)

    assert live.state(5) == ("working", "hook")


def test_an_event_log_is_heard_as_it_grows(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called()).logs("PreToolUse", 1, tool_name="Bash")

    assert live.state(2) == ("working", "hook")
    assert live.logs("Stop", 3).state(4) == ("waiting_for_input", "hook")


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called())
    live.board(2)
    path = live.root / "projects" / "-repo" / "s1.jsonl"
    path.unlink()
    row = live.wrote(Transcript("s1", start=START, uuid_prefix="z-").user("Another")).row(3)

    assert (row.session.goal, row.metrics.total_tokens) == ("Another", 0)


def test_a_file_that_is_gone_takes_its_session_along(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(called())
    live.board(2)
    os.unlink(live.root / "projects" / "-repo" / "s1.jsonl")
    live._touch(live.root / "projects" / "-repo" / "s1.jsonl")

    assert live.board(3).rows == ()


def test_two_hundred_sessions_are_all_on_the_board(tmp_path: Path) -> None:
    live = Live(tmp_path)
    for n in range(200):
        live.wrote(called(f"s{n}"))

    assert len(live.board(3).rows) == 200


def test_a_log_is_of_the_project_it_lies_under(tmp_path: Path) -> None:
    live = Live(tmp_path, hours=1).wrote(called())
    live.board(9_000)

    assert live.logs("PreToolUse", 9_001, tool_name="Bash").row(9_002).session.goal == "Build it"


def test_a_session_in_which_nothing_was_said_is_not_shown(tmp_path: Path) -> None:
    made = Transcript("s1", start=START).entry("custom-title", customTitle="x", sessionId="s1")

    assert Live(tmp_path).wrote(made).board(3).rows == ()
    assert len(Live(tmp_path).runs("s1", "idle", 1).board(3).rows) == 1


def test_what_the_registry_says_of_a_session_without_a_line_is_kept_in_step(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "idle", 1, name="One")
    live.board(2)

    assert live.runs("s1", "busy", 3, name="Two").row(4).session.title == "Two"


def twice(tmp_path: Path) -> Live:
    """One session id in two projects, the other of which was written to last."""
    live = Live(tmp_path).wrote(called(), 1)
    return live.wrote(talk(cwd="/other", uuid_prefix="b-").calls("Read", file_path="/a"), 3)


def states(live: Live, seconds: float) -> dict[str, tuple[str, str]]:
    rows = (row.session for row in live.board(seconds).rows)
    return {row.project_id: (row.status.state, row.status.evidence) for row in rows}


def test_one_id_in_two_projects_is_two_sessions(tmp_path: Path) -> None:
    live = twice(tmp_path)
    place = str(tmp_path / "projects" / "-repo" / "s1.jsonl")
    live.board(4)
    live.hook("SessionEnd", 5, transcript_path=place)

    assert states(live, 6) == {
        "-repo": ("ended", "hook"),
        "-other": ("waiting_for_approval", "inferred"),
    }


def test_an_event_that_names_no_project_is_of_the_newest(tmp_path: Path) -> None:
    live = twice(tmp_path)
    live.wrote(talk(cwd="/other", uuid_prefix="b-").calls("Read", file_path="/a").returns("x"), 3)
    live.board(4)
    live.hook("SessionEnd", 5, transcript_path="", cwd="/repo")

    assert {name: state for name, (state, _) in states(live, 6).items()} == {
        "-repo": "waiting_for_approval",
        "-other": "ended",
    }


def test_a_process_is_of_the_session_in_its_directory(tmp_path: Path) -> None:
    live = twice(tmp_path).runs("s1", "busy", 5, cwd="/other")

    assert {name: proof for name, (_, proof) in states(live, 6).items()} == {
        "-repo": "inferred",
        "-other": "registry",
    }


def test_of_two_that_share_an_id_one_may_go(tmp_path: Path) -> None:
    live = twice(tmp_path)
    live.board(4)
    path = tmp_path / "projects" / "-other" / "s1.jsonl"
    path.unlink()
    live._touch(path)

    assert list(states(live, 5)) == ["-repo"]
