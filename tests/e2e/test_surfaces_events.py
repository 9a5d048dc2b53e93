"""One answer about events: timelines, the feed, hooks, and which sessions come first."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import unspool
from tests.chaos.watching import can
from tests.e2e.cases import MINUTE, PROJECT, Files, at, stamp
from tests.e2e.cases_usage import PAID, USAGE, copied, paid, resumed
from tests.e2e.processes import ProcessWorkspace
from tests.e2e.surface_fields import first
from tests.e2e.surfaces import all_fields, asked, disagreements, values_of
from tests.e2e.workspaces import Workspace
from tests.engine.live import Live
from tests.serve.served import Served, server_context
from unspool.demo import Transcript, tool_block
from unspool.show.numbers import format_usd


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """An empty root, a minute after the builder's clock starts."""
    return Files(Workspace(tmp_path / "claude", tmp_path / "unspool", at(MINUTE)))


def events(site: Served, session: str = "s1") -> list[dict[str, Any]]:
    """A session's timeline over HTTP."""
    found: list[dict[str, Any]] = site.ask(f"/api/sessions/{session}/events").json()["items"]
    return found


def reloaded(files: Files) -> list[dict[str, Any]]:
    """The timeline of a server that was started now."""
    with files.workspace.served(Served) as site:
        return events(site)


def counted(files: Files, where: str, *kind: str) -> int:
    """How many events of some kinds there are in the timeline, or in SQL."""
    if where == "SQL":
        found = [row["event_type"] for row in files.workspace.sql("SELECT event_type FROM events")]
    else:
        found = kinds(reloaded(files))
    return sum(one in kind for one in found)


def kinds(found: list[dict[str, Any]]) -> list[str]:
    return [event["eventType"] for event in found]


def test_when_a_response_moves_to_its_origin_the_feed_names_both(files: Files) -> None:
    first = paid("s0")
    files.save(copied(first, "s1", forkedFrom={"sessionId": "s0", "messageUuid": "u2"}))
    files.index()
    with files.workspace.served() as site:
        head = site.context.store.head()
    files.save(first)
    files.index()
    with files.workspace.served() as site:
        changes = site.context.store.changes(after=head)

    assert {one.session_id for one in changes} == {"s0", "s1"}


def today_in(page: str) -> str:
    """What was spent today, by the header of a page."""
    return first(r'<span>today</span> <b class="num">([^<]*)', page)


def test_the_header_says_what_the_list_beside_it_adds_up_to(files: Files) -> None:
    first = paid("s0")
    fork = copied(first, "s1", forkedFrom={"sessionId": "s0", "messageUuid": "u2"})
    files.save(first, fork.user("Go on").says("Gone", id="m9"))
    files.index()
    with files.workspace.served() as site:
        rows = site.ask("/api/sessions").json()["items"]
        page = site.ask("/sessions").text
    spent = sum(row["metrics"]["costUsd"] for row in rows)

    assert today_in(page) == format_usd(spent)
    assert spent > 0


def test_a_hook_that_arrives_late_changes_no_more_than_one_in_time(tmp_path: Path) -> None:
    kept = Live(tmp_path).wrote(Transcript("s1").user("Go").calls("Bash", command="ls"), 2)
    kept.hook("PermissionRequest", 20, tool_name="Bash").board(21)
    kept.hook("SessionEnd", 5).board(22)
    anew = Live(tmp_path)

    assert kept.state(30) == anew.state(30) == ("waiting_for_approval", "hook")


def test_a_line_that_is_written_again_is_one_event(files: Files) -> None:
    made = Transcript("s1").user("Go").says("Gone")
    prompt = made.dicts()[0]
    files.save(made.raw(json.dumps(prompt).encode()))
    files.index()

    assert kinds(reloaded(files)) == ["user_prompt", "assistant_text"]


def test_a_timeline_that_grew_is_the_one_that_is_fetched_anew(files: Files) -> None:
    first, second = (tool_block("Bash", {"command": "ls"}, id) for id in ("t1", "t2"))
    made = Transcript("s1").user("Go")
    made.answers([[first]], usage={"input_tokens": 0, "output_tokens": 5}, id="m1", stop=None)
    files.save(made)
    files.index()
    with files.workspace.served(Served) as site:
        events(site)
        usage = {"input_tokens": 0, "output_tokens": 9}
        files.save(made.answers([[first, second]], usage=usage, id="m1"))
        files.index()
        grown = events(site)

    assert grown == reloaded(files)


def test_a_timeline_without_snapshots_grows_as_it_is_fetched_anew(files: Files) -> None:
    made = Transcript("s1").user("Go").calls("Bash", command="ls")
    files.save(made)
    files.index()
    with files.workspace.served(Served) as site:
        events(site)
        files.save(made.returns("a").says("Done"))
        files.index()

        assert events(site) == reloaded(files)


def test_an_agent_that_ends_is_not_another_that_runs(files: Files) -> None:
    files.save(Transcript("s1").user("Go").says("Gone"))
    files.index()
    with files.workspace.served(Served) as site:
        for event, agent in (("SubagentStart", "a"), ("SubagentStop", "b")):
            told = {"hook_event_name": event, "session_id": "s1", "agent_id": agent}
            answer = site.ask("/api/events", "POST", json=told)

    assert answer.json()["durationMs"] is None


def test_an_event_that_is_posted_is_kept_as_one_that_is_spooled(files: Files) -> None:
    files.save(Transcript("s1").user("Go").says("Gone"))
    files.index()
    told = {"session_id": "s1", "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {}}
    both = [{"hook_event_name": name, **told} for name in ("PreToolUse", "PostToolUse")]
    with files.workspace.served(Served) as site:
        for one in both:
            site.ask("/api/events", "POST", json=one)
    files.index()
    kept = files.workspace.sql("SELECT input FROM hook_events ORDER BY event_type DESC")

    assert [json.loads(row["input"]) for row in kept] == both


@pytest.mark.parametrize("where", ["the timeline", "SQL"])
def test_what_two_loggers_tell_of_is_one_event(files: Files, where: str) -> None:
    files.save(Transcript("s1").user("Go").says("Gone"))
    files.log("Notification", 9, message="Look here")
    files.hook("Notification", 9.2, message="Look here")
    files.index()

    assert counted(files, where, "notification") == 1


@pytest.mark.parametrize("where", ["the timeline", "SQL"])
def test_what_a_logger_tells_of_twice_is_one_event(files: Files, where: str) -> None:
    files.save(Transcript("s1").user("Go").says("Gone"))
    for seconds in (9, 9.2):
        files.hook("PreToolUse", seconds, tool_name="Bash", tool_use_id="t9", tool_input={})
    files.index()

    assert counted(files, where, "pre_tool_use") == 1


@pytest.mark.parametrize("where", ["the timeline", "SQL"])
def test_a_prompt_and_its_hook_are_one_event(files: Files, where: str) -> None:
    files.save(Transcript("s1").user("Go").says("Gone"))
    files.hook("UserPromptSubmit", 0.1, prompt="Go")
    files.index()

    assert counted(files, where, "user_prompt", "user_prompt_submit") == 1


def test_a_line_that_is_no_sidechain_is_of_the_main_conversation(files: Files) -> None:
    files.save(Transcript("s1").user("Go").says("Gone", agentId="in1"))
    files.index()

    assert {row["agent_id"] for row in files.workspace.sql("SELECT agent_id FROM lines")} == {""}


def test_a_hook_is_in_the_timeline_of_its_own_project_only(files: Files) -> None:
    files.save(paid(), Transcript("s1", "/other", uuid_prefix="o").user("Do that"))
    files.hook("Notification", 9, message="Look here")
    files.index()
    with files.workspace.served(Served) as site:
        other = site.ask("/api/sessions/s1/events?project=-other").json()["items"]

    assert kinds(other) == ["user_prompt"]


def listed(files: Files, *args: str) -> list[str]:
    """The sessions of `ls --json`, in its order."""
    rows = files.workspace.json("ls", "--json", *args)["items"]
    return [row["session"]["id"] for row in rows]


@pytest.fixture
def touched(files: Files) -> Files:
    """The session whose file was written last is not the one with the last activity."""
    files.save(Transcript("old").user("Go").says("Gone", id="m1"), seconds=50)
    files.save(Transcript("new", start=stamp(10), uuid_prefix="b").user("Go").says("Gone", id="m2"))
    files.index()
    return files


def test_without_a_limit_the_last_activity_comes_first(touched: Files) -> None:
    text = touched.workspace.run("ls") or ""

    assert [line.split()[0] for line in text.splitlines()[1:]] == ["new", "old"]
    assert listed(touched) == ["new", "old"]


def test_a_limit_cuts_the_same_sessions_as_text_and_as_json(touched: Files) -> None:
    text = touched.workspace.run("ls", "--limit", "1") or ""

    assert [line.split()[0] for line in text.splitlines()[1:]] == listed(touched, "--limit", "1")


def test_the_latest_is_the_first_of_the_list(touched: Files) -> None:
    latest = touched.workspace.json("show", "--json", "latest")["session"]["id"]

    assert latest == listed(touched)[0]


CLOSED = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 or not can(*CLOSED, "true"), reason="only root can give up its rights"
)
def test_a_session_in_a_directory_that_is_closed_to_us_is_not_gone(files: Files) -> None:
    """What the index and the archive have of it is what all surfaces say."""
    files.save(paid(), Transcript("s1", agent="a1").user("Look").says("Seen", usage=USAGE, id="o1"))
    files.index()
    real = ProcessWorkspace.of(files.workspace)
    real.before = CLOSED
    (files.root / "projects" / PROJECT).chmod(0)
    every = asked(real, index=False, bare=False).items()
    # The library is used in this process, to which nothing is closed.
    found = {name: answers for name, answers in every if not name.startswith("library")}
    said = {field: values_of(found, (PROJECT, "s1"), field) for field in ("usd", "source_gone")}

    assert said == {"usd": [2 * PAID], "source_gone": [False]}
    assert {name: one for name in all_fields(found) if (one := disagreements(found, name))} == {}


def sessions_in(files: Files, root: Path) -> dict[str, set[str]]:
    """The sessions that each surface knows of a part of a root."""
    run = files.workspace
    assert run.run("index", "build", f"--root={root}") is not None
    sql = run.json("sql", f"--root={root}", "--json", "SELECT session_id FROM sessions")["items"]
    with run.here():
        with unspool.open(root, now=run.now) as ws:
            rows, board = list(ws.sessions()), ws.board().rows
        with server_context(root) as made:
            answer = Served(made).ask("/api/sessions").json()["items"]
    listed = run.json("ls", f"--root={root}", "--json")["items"]
    return {
        "sql": {row["session_id"] for row in sql},
        "ls": {row["session"]["id"] for row in listed},
        "REST": {row["session"]["id"] for row in answer},
        "library": {row.id for row in rows},
        "board": {row.session.id for row in board},
    }


def test_of_one_project_nobody_reads_hooks_of_another(files: Files) -> None:
    files.save(Transcript("s1").user("Go").says("Gone"))
    files.log("UserPromptSubmit", 2, "mine", prompt="Mine")
    files.log("UserPromptSubmit", 3, "other", "-other", prompt="Another's", cwd="/other")
    files.log("SessionEnd", 9, "s1", "-other", cwd="/other")
    known = sessions_in(files, files.root / "projects" / PROJECT)

    assert {name: ids for name, ids in known.items() if ids != {"s1", "mine"}} == {}


def test_today_on_the_board_is_today_in_the_ledger(files: Files) -> None:
    first = paid("s0")
    files.save(first, resumed(first))
    files.index()
    with files.workspace.served() as site:
        today = site.ask("/api/status").json()["today"]["costUsd"]
    (spent,) = files.workspace.json("cost", "daily", "--json")["daily"]

    assert today == pytest.approx(spent["totalCost"])


def test_a_session_known_from_hooks_only_is_linked_by_its_project(files: Files) -> None:
    files.hook("UserPromptSubmit", 2, prompt="Build it", transcript_path=None)
    files.index()
    with files.workspace.served() as site:
        page = site.ask("/sessions").text

    assert f'href="/s/{PROJECT}/s1"' in page
