"""Agents that ran: what they spent is told by some file, or the session's cost is a lower bound."""

import json
from typing import Any

from tests.e2e.cases import MINUTE, PROJECT, Files, case, stamp
from tests.e2e.cases_usage import PAID, S0, S1, TWICE, USAGE, copied
from unspool.demo import Transcript, tool_block


def result_of(agent: str, **fields: Any) -> dict[str, Any]:
    """What the result of a call says of the agent that it started."""
    last = {"totalTokens": 9_000, "usage": USAGE, "totalToolUseCount": 3}
    return {"status": "completed", "agentId": agent, **last, **fields}


def called(session: str = "s1", **fields: Any) -> Transcript:
    """A session whose call started an agent, and which paid PAID itself."""
    made = Transcript(session).user("Do it")
    made.calls("Agent", {"prompt": "Look"}, id="t1", usage=USAGE)
    return made.returns("Seen", call="t1", result=result_of("a1", **fields)).says(
        "Done", usage=False
    )


def answered(session: str = "s1") -> Transcript:
    """The agent's own file, with an answer that costs PAID."""
    return Transcript(session, agent="a1").user("Look").says("Seen", usage=USAGE, id="o1")


@case(right={"usd": PAID, "tokens": 1_009, "agent_count": 0, "lower_bound": True})
def an_agent_that_left_nothing_but_its_result(files: Files) -> None:
    """The result has the tokens of its last request at most: what it spent is unknown."""
    files.save(called())


@case(right={"usd": PAID, "lower_bound": True})
def an_agent_that_was_launched_and_left_nothing(files: Files) -> None:
    """Whether it still runs or not: no file has what it spent."""
    files.save(called(status="async_launched", isAsync=True))


@case(right={"usd": TWICE, "agents": {S1: {"a1": PAID}}, "lower_bound": False})
def an_agent_that_has_a_file_and_a_result(files: Files) -> None:
    """Its file has all that it spent."""
    files.save(answered(), called())


@case(right={"usd": PAID, "agent_count": 1, "lower_bound": False})
def an_agent_that_has_a_file_and_no_answer_yet(files: Files) -> None:
    """It has spent nothing so far."""
    files.save(Transcript("s1", agent="a1").user("Look"), called(status="async_launched"))


@case(right={"usd": TWICE, "agent_count": 1, "lower_bound": True})
def two_agents_one_of_which_left_nothing(files: Files) -> None:
    """One known agent does not stand for the other, and it started a third that left nothing."""
    own = Transcript("s1", agent="a1", uuid_prefix="o").user("Look")
    own.calls("Agent", {}, id="t2", usage=USAGE)
    own.returns("Seen", call="t2", result=result_of("a2")).says("Seen", usage=False)
    files.save(own, called())


@case(right={"usd": PAID, "lower_bound": True})
def an_agent_that_progress_lines_name_without_an_answer(files: Files) -> None:
    """It ran: its prompt was reported, and then nothing."""
    made = Transcript("s1").user("Do it").calls("Task", {"prompt": "Look"}, id="t1", usage=USAGE)
    (line,) = Transcript("s1", agent="a1").user("Look").dicts()
    files.save(made.progress("agent_progress", call="t1", agentId="a1", message=line))


@case(
    right={
        "usd": PAID,
        "lower_bound": False,
        "main_calls": {S1: {"t1": "running", "t2": "rejected", "t3": "error"}},
    },
)
def calls_that_started_no_agent(files: Files) -> None:
    """One was rejected, one failed at once, and one has no result yet."""
    made = Transcript("s1").user("Do it")
    calls = [tool_block("Agent", {"prompt": "Look"}, id) for id in ("t1", "t2", "t3")]
    made.answers(calls, usage=USAGE)
    made.returns("The user doesn't want to proceed", call="t2", failed=True, result="Error: no")
    files.save(made.returns("No such agent type", call="t3", failed=True, result="Error: none"))


@case(right={"usd": PAID, "lower_bound": False})
def a_teammate_that_has_its_own_session(files: Files) -> None:
    """What it spends is not this session's."""
    files.save(called(agentId="mate@team", status="teammate_spawned"))


@case(right={"usd": {S0: TWICE, S1: 0}, "lower_bound": {S0: False, S1: False}})
def a_fork_that_repeats_the_result_of_an_agent(files: Files) -> None:
    """The agent is the original's, and so is its file."""
    first = called("s0")
    origin = {"sessionId": "s0", "messageUuid": "u2"}
    files.save(answered("s0"), first, copied(first, "s1", forkedFrom=origin).user("Go on"))


@case(right={"usd": {S0: PAID, S1: 0}, "lower_bound": {S0: True, S1: False}})
def a_fork_that_repeats_the_result_of_an_agent_that_left_nothing(files: Files) -> None:
    """What is not known was spent by the original."""
    first = called("s0")
    origin = {"sessionId": "s0", "messageUuid": "u2"}
    files.save(first, copied(first, "s1", forkedFrom=origin).user("Go on"))


@case(right={"usd": TWICE, "lower_bound": False}, bare=False)
def an_agent_whose_file_was_indexed_and_is_gone(files: Files) -> None:
    """Paid is paid: the index has all that it spent."""
    own = files.save(called(), answered())
    files.index()
    own.unlink()


def workflow(files: Files, *reports: str, result: float) -> None:
    """A workflow of one agent, which its journal says has ended then, and these lines before."""
    folder = "s1/subagents/workflows/wf_1"
    launched = {"status": "async_launched", "taskType": "local_workflow", "runId": "wf_1"}
    made = Transcript("s1").user("Sweep").calls("Workflow", {"name": "sweep"}, id="t1", usage=USAGE)
    made.returns("Launched", call="t1", result={**launched, "transcriptDir": folder})
    for report in reports:
        made.user(report, origin={"kind": "task-notification"})
    files.save(made.wait(30).says("Going on", usage=False))
    agent = Transcript("s1", agent="a1", uuid_prefix="a", start=stamp(5)).user("Look")
    agent.wait(20).calls("Bash", {"command": "sleep"}, id="t2", usage=USAGE)
    files.write(f"{PROJECT}/{folder}/agent-a1.jsonl", agent.bytes(), 26)
    told = {"key": "v2:1", "agentId": "a1"}
    journal = [
        {"type": "launched"},
        {"type": "started", **told, "label": "Survey", "phase": "survey"},
        {"type": "result", **told, "result": "Seen", "timestamp": stamp(result)},
    ]
    text = "".join(json.dumps(line) + "\n" for line in journal)
    files.write(f"{PROJECT}/{folder}/journal.jsonl", text.encode(), result)


ENDED = "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>"
SURVEY = {"usd": TWICE, "agent_facts": {S1: {"a1": (1, "", "Survey", stamp(5), stamp(26))}}}


@case(seconds=MINUTE, right={**SURVEY, "agents_at_work": {S1: []}})
def an_agent_whose_journal_says_later_that_it_ended(files: Files) -> None:
    """The main conversation names an end before the agent's last line, the journal one after it."""
    workflow(files, ENDED, result=40)


@case(seconds=MINUTE, right={**SURVEY, "agents_at_work": {S1: ["a1"]}})
def an_agent_that_went_on_after_the_end_that_its_journal_names(files: Files) -> None:
    """The journal is believed, not what the main conversation said before it."""
    workflow(files, result=10)


@case(
    right={
        "usd": PAID,
        "agents": {S1: {"in1": PAID}},
        "agent_count": 1,
        "subagents_usd": PAID,
        "agent_links": {S1: {"in1": ("t1", "", "prompt")}},
        "main_calls": {S1: {"t1": "ok"}},
        "calls": {S1: {"t1": "ok", "t2": "ok"}},
    },
)
def an_agent_inside_the_main_file(files: Files) -> None:
    """Sidechain lines of 1.0.x are an agent without a file."""
    side: dict[str, Any] = {"isSidechain": True, "agentId": "in1"}
    made = (
        Transcript("s1", version="1.0.110")
        .user("Do it")
        .calls("Task", {"description": "Look", "prompt": "Look at it"}, id="t1", usage=False)
    )
    made.user("Look at it", parentUuid=None, **side)
    made.calls("Bash", {"command": "ls"}, id="t2", usage=USAGE, **side).returns(
        "a", call="t2", **side
    )
    made.says("Seen", usage=False, **side).returns("Seen", call="t1").says("Done", usage=False)
    files.save(made)


def inline(uuid: str, after: str | None = None) -> dict[str, Any]:
    """The fields of a sidechain line that names no agent, and the line it hangs from."""
    return {"isSidechain": True, "uuid": uuid, "parentUuid": after}


@case(
    right={
        "usd": TWICE,
        "agents": {S1: {"inline-a1": PAID, "inline-b1": PAID}},
        "agent_count": 2,
        "agent_links": {S1: {"inline-a1": ("t1", "", "prompt"), "inline-b1": ("t2", "", "prompt")}},
        "subagents_usd": TWICE,
        "main_calls": {S1: {"t1": "ok", "t2": "ok"}},
        "calls": {S1: dict.fromkeys(("t1", "t2", "t3", "t4"), "ok")},
    },
)
def two_agents_inside_the_main_file_that_name_no_agent(files: Files) -> None:
    """They wrote by turns: what hangs together is one agent, called after its first line."""
    made = Transcript("s1", version="1.0.71").user("Do it")
    calls = [
        tool_block("Task", {"prompt": name}, id) for id, name in (("t1", "one"), ("t2", "two"))
    ]
    made.answers(calls, usage=False)
    made.user("two", **inline("b1")).user("one", **inline("a1"))
    for agent, call in (("a", "t3"), ("b", "t4")):
        about = inline(f"{agent}2", f"{agent}1")
        made.calls("Bash", {"command": "ls"}, id=call, usage=USAGE, **about)
    for agent, call in (("b", "t4"), ("a", "t3")):
        made.returns("x", call=call, **inline(f"{agent}3", f"{agent}2"))
    for agent in "ab":
        made.says("Seen", usage=False, **inline(f"{agent}4", f"{agent}3"))
    made.returns("Seen", call="t1").returns("Seen", call="t2").says("Done", usage=False)
    files.save(made)


@case(
    right={
        "usd": PAID,
        "agents": {S1: {"inline-a1": PAID}},
        "agent_links": {S1: {"inline-a1": ("", "", "none")}},
        "main_calls": {S1: {}},
    },
)
def an_agent_inside_the_main_file_that_no_call_started(files: Files) -> None:
    """It is an agent all the same."""
    made = Transcript("s1", version="1.0.71").user("Do it")
    made.user("Look at it", **inline("a1")).says("Seen", usage=USAGE, **inline("a2", "a1"))
    files.save(made.says("Done", usage=False, parentUuid=None))


@case(
    right={
        "usd": TWICE,
        "agents": {S1: {"in1": PAID, "in2": PAID}},
        "agent_links": {S1: {"in1": ("t1", "", "prompt"), "in2": ("t2", "in1", "prompt")}},
        "main_calls": {S1: {"t1": "ok"}},
    },
)
def an_agent_of_an_agent_inside_the_main_file(files: Files) -> None:
    """The call that started it is the other agent's."""
    one: dict[str, Any] = {"isSidechain": True, "agentId": "in1"}
    two = {**one, "agentId": "in2"}
    made = Transcript("s1", version="1.0.110").user("Do it")
    made.calls("Task", {"prompt": "one"}, id="t1", usage=False).user("one", **one)
    made.calls("Task", {"prompt": "two"}, id="t2", usage=USAGE, **one).user("two", **two)
    made.says("Seen", usage=USAGE, **two).returns("Seen", call="t2", **one)
    made.says("Seen", usage=False, **one).returns("Seen", call="t1").says("Done", usage=False)
    files.save(made)


@case(right={"usd": PAID, "agents": {S1: {}}, "main_calls": {S1: {"t1": "ok"}}})
def a_line_that_names_an_agent_and_is_no_sidechain(files: Files) -> None:
    """Only a sidechain is an agent's."""
    made = (
        Transcript("s1")
        .user("Do it")
        .calls("Bash", {"command": "ls"}, id="t1", usage=USAGE, agentId="in1")
    )
    files.save(made.returns("a").says("Done", usage=False))
