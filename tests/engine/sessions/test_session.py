import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from tests.engine.live import Live
from tests.engine.roots import NOW, append, root_sessions, saved, session
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.demo.lines import result_block
from unspool.derive.document import Cut
from unspool.derive.status import QUIET_MS
from unspool.engine.sessions.session import SessionReader
from unspool.errors import NotFound
from unspool.model.document import SessionDocument, ToolHook
from unspool.model.tool_inputs import BashInput
from unspool.model.tool_results import BashResult

AGENT = Transcript(agent="a1b2c3d4e5f6a7b8c", uuid_prefix="a-").user("look").says("seen", id="m9")
NESTED = Transcript(agent="b1b2c3d4e5f6a7b8c", uuid_prefix="b-").user("dig").says("dug", id="m8")


def talk() -> Transcript:
    made = Transcript()
    for number in range(6):
        made.user(f"prompt {number}")
        made.answers([thinking_block("hm"), text_block("so"), tool_block("Bash", {"command": "x"})])
        made.returns(f"result {number}").says(f"answer {number}")
    return made


def spawning() -> Transcript:
    made = Transcript().user("go").calls("Agent", description="see", prompt="look", id="call1")
    return made.returns("seen", result={"agentId": AGENT.agent, "status": "completed"}).says("done")


def ids(document: SessionDocument) -> list[str]:
    return [found.tool_use_id for found in document.tool_executions]


def test_windows_put_together_are_the_whole(tmp_path: Path) -> None:
    found = session(tmp_path, talk())
    whole = found.document()
    windows = [found.document(first=first, limit=5) for first in range(0, 15, 5)]

    assert [chunk for window in windows for chunk in window.chunks] == list(whole.chunks)
    assert [id for window in windows for id in ids(window)] == ids(whole)


def test_a_window_has_the_figures_of_the_whole(tmp_path: Path) -> None:
    found = session(tmp_path, talk())
    whole, window = found.document(), found.document(first=3, limit=1)

    assert (len(whole.chunks), len(window.chunks)) == (12, 1)
    assert (window.metrics, window.turns) == (whole.metrics, whole.turns)
    assert (window.context, window.diagnostics) == (whole.context, whole.diagnostics)


def test_a_window_of_nothing_holds_no_call(tmp_path: Path) -> None:
    window = session(tmp_path, talk()).document(limit=0)

    assert (window.chunks, window.tool_executions) == ((), ())


def test_without_bodies_there_are_no_texts(tmp_path: Path) -> None:
    document = session(tmp_path, talk()).document(bodies=False)

    assert {chunk.text for chunk in document.chunks} == {UNSET}
    assert {found.result for found in document.tool_executions} == {UNSET}
    assert len(document.chunks) == 12


def test_an_agent_is_a_session_of_its_own(tmp_path: Path) -> None:
    agent = session(tmp_path, spawning(), AGENT).agent("a1b2c3d4e5f6a7b8c")
    document = agent.document()

    assert agent.id == document.session.id == "a1b2c3d4e5f6a7b8c"
    assert document.session.is_subagent
    assert [chunk.type for chunk in document.chunks] == ["user", "ai"]
    assert agent.path.endswith("agent-a1b2c3d4e5f6a7b8c.jsonl")


def test_an_agent_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    assert session(tmp_path, spawning(), AGENT).agent("a1b2").id == "a1b2c3d4e5f6a7b8c"


@pytest.mark.parametrize("name", ["zz", ""])
def test_an_agent_that_is_not_there_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound, match="a1b2c3d4e5f6a7b8c"):
        session(tmp_path, spawning(), AGENT).agent(name)


def test_an_agent_has_the_agents_it_called_itself(tmp_path: Path) -> None:
    calling = Transcript(agent=AGENT.agent, uuid_prefix="a-").user("look")
    calling.calls("Agent", {"description": "deeper", "prompt": "dig"}, id="call2")
    found = session(tmp_path, spawning(), calling, NESTED)

    assert [(agent.id[0], agent.depth) for agent in found.agents] == [("a", 1), ("b", 2)]
    assert [agent.id[0] for agent in found.agent("a1").agents] == ["b"]
    assert found.agent("b1").agents == ()


def test_an_agents_total_is_its_own_and_of_those_below(tmp_path: Path) -> None:
    calling = Transcript(agent=AGENT.agent, uuid_prefix="a-").user("look")
    calling.calls("Agent", {"description": "deeper", "prompt": "dig"}, id="call2")
    metrics = session(tmp_path, spawning(), calling, NESTED).agent("a1").document().metrics

    assert metrics.total.output_tokens == metrics.main.output_tokens + 5
    assert metrics.subagents.output_tokens == 5


def test_the_chunk_that_called_an_agent_shows_it(tmp_path: Path) -> None:
    document = session(tmp_path, spawning(), AGENT).document()
    shown = [step for chunk in document.chunks for step in chunk.steps or ()]

    assert [step.agent_id for step in shown if step.type == "subagent"] == [AGENT.agent]
    assert document.tool_executions[0].agent_id == AGENT.agent


def test_a_call_without_a_result_is_pending_while_somebody_works(tmp_path: Path) -> None:
    made = Transcript().user("go").calls("Bash", command="make  \n test", id="call1")
    pending = session(tmp_path, made).info().pending_tool

    assert pending is not None
    assert (pending.tool_use_id, pending.name, pending.summary) == ("call1", "Bash", "make test")


def test_nothing_is_pending_when_nobody_works_any_more(tmp_path: Path) -> None:
    made = Transcript().user("go").calls("Bash", command="make test")

    assert session(tmp_path, made, now=NOW + 1_000 + QUIET_MS).info().pending_tool is None


def test_the_transcript_alone_gives_an_inferred_status(tmp_path: Path) -> None:
    status = session(tmp_path, Transcript().user("go").calls("Bash", command="x")).info().status

    assert (status.state, status.evidence) == ("waiting_for_approval", "inferred")


def test_a_registered_process_that_is_dead_has_ended(tmp_path: Path) -> None:
    entry = tmp_path / "sessions/4194305.json"
    entry.parent.mkdir()
    entry.write_text(json.dumps({"pid": 4194305, "sessionId": "s1", "status": "busy"}))
    status = session(tmp_path, Transcript().user("go")).info().status

    assert (status.state, status.evidence) == ("ended", "registry")


def test_a_hook_knows_that_a_session_waits(tmp_path: Path) -> None:
    log = tmp_path / "hooks/-repo/s1.hooks.jsonl"
    log.parent.mkdir(parents=True)
    event = {"eventType": "PermissionRequest", "sessionId": "s1", "toolName": "Bash"}
    log.write_text(json.dumps({**event, "timestamp": "2026-01-01T00:00:02.000Z"}) + "\n")
    status = session(tmp_path, Transcript().user("go").calls("Bash")).info().status

    assert (status.state, status.evidence) == ("waiting_for_approval", "hook")


def test_time_makes_a_session_idle(tmp_path: Path) -> None:
    found = session(tmp_path, Transcript().user("go").says("done"))
    assert found.info().status.state == "waiting_for_input"

    found.refresh(NOW + 2 * QUIET_MS)
    assert found.info().status.state == "idle"


def test_a_refresh_tells_whether_anything_changed(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript().user("go"))
    found = root_sessions(tmp_path).open(path)
    assert not found.refresh()

    append(path, Transcript(uuid_prefix="b-").says("done").bytes())
    assert found.refresh()
    assert len(found.document().chunks) == 2


def test_every_line_has_a_row(tmp_path: Path) -> None:
    made = Transcript().user("go").raw(b"").raw(b"// note").entry("novelty").says("done")
    rows = list(session(tmp_path, made).lines())

    assert [row.number for row in rows] == [1, 3, 4, 5]
    assert [row.state for row in rows] == ["entry", "bad", "unknown", "entry"]


def test_a_file_that_is_gone_has_no_rows(tmp_path: Path) -> None:
    found = session(tmp_path, Transcript().user("go"))
    Path(found.path).unlink()

    assert list(found.lines()) == []


def test_a_summary_is_the_session_in_one_row(tmp_path: Path) -> None:
    row = session(tmp_path, spawning().compacts(), AGENT).summary()

    assert (row.agents, row.compactions, row.lines) == (1, 1, 6)
    assert (row.has_subagents, row.displayable) == (True, True)
    assert row.metrics.output_tokens == 15
    assert row.bytes == Path(session(tmp_path, spawning().compacts()).path).stat().st_size


def test_an_agent_has_no_links(tmp_path: Path) -> None:
    origin = {"sessionId": "s0", "messageUuid": "u0"}
    agent = Transcript(agent=AGENT.agent).user("look", forkedFrom=origin)
    found = session(tmp_path, spawning(), agent).agent("a1")

    assert found.document().session.links.forked_from is None


def test_files_around_are_weighed_where_the_directory_is_here(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "CLAUDE.md").write_text("x" * 400)
    here = session(tmp_path / "root", Transcript(cwd=str(work)).user("go").says("ok")).document()
    away = session(tmp_path / "root", Transcript(cwd="/nowhere").user("go").says("ok")).document()

    assert (here.context.files_known, away.context.files_known) == (True, False)
    assert here.context.turns[0].raw_total.claude_md >= 100


def test_a_call_says_who_decided_and_how_long_it_waited(tmp_path: Path) -> None:
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    live = Live(tmp_path).wrote(Transcript().user("go").calls("Bash", command="ls", id="t1"))
    live.hook("PermissionRequest", 2, **given).hook("PostToolUse", 9, tool_use_id="t1", **given)
    reader = root_sessions(tmp_path, now=NOW + 20_000)
    reader.listen(str(live.spool))
    (call,) = reader.open(reader.find("s1")).document().tool_executions

    assert call.hook == ToolHook("allow", 7_000, ("PermissionRequest", "PostToolUse"), "user")


def test_an_agent_at_work_keeps_its_session_working(tmp_path: Path) -> None:
    main = Transcript("s1").user("go").calls("Task", description="Find", prompt="Look")
    agent = Transcript("s1", agent="a1", uuid_prefix="a-").wait(5).user("Look")
    made = session(tmp_path, main, agent.calls("Grep", pattern="x"), now=NOW + 8_000)

    assert made.info().status.state == "working"


def test_parts_are_read_back_and_nothing_else(tmp_path: Path) -> None:
    talk = Transcript().user("one").calls("Bash", command="a").returns("b").user("two").says("c")
    made = session(tmp_path, talk)

    assert made.parts([Cut(1)]).chunks == made.document(first=1, limit=1).chunks
    assert made.parts([Cut(1)]).tool_executions == made.document().tool_executions


def test_some_calls_are_read_by_their_ids(tmp_path: Path) -> None:
    talk = Transcript().user("one").calls("Bash", id="a").returns("b").calls("Bash", id="c")
    (found,) = session(tmp_path, talk).executions({"a"})

    assert bytes(found.result) == b'"b"'  # type: ignore[arg-type]


def test_a_sketch_reads_no_body(tmp_path: Path) -> None:
    made = session(tmp_path, Transcript().user("one").calls("Bash", id="a").returns("b"))
    sketch = made.sketch()

    assert [chunk.type for chunk in sketch.chunks] == ["user", "ai"]
    assert sketch.tool_executions[0].result is UNSET
    assert made.steps_of(1) == 1


def test_its_lines_can_be_had_as_they_lie_in_the_file(tmp_path: Path) -> None:
    made = Transcript().user("one").raw(b"// no json").says("two")
    found = session(tmp_path, made)
    lines = made.bytes().splitlines()

    assert list(found.raw()) == lines
    assert list(found.raw(2, 2)) == lines[1:2]


BASH = {"stdout": "out", "stderr": "err", "interrupted": False}


def typed(root: Path) -> SessionReader:
    made = Transcript().user("go").calls("Bash", {"command": "make"}, id="t1")
    made.returns("out\nerr", call="t1", result=BASH).calls("mcp__a__b", {"x": 1}, id="t2")
    made.returns("y", call="t2", result={"z": 2})
    two = [tool_block("Bash", {"command": name}, f"p{name}") for name in "12"]
    blocks = [result_block(f"p{name}", name) for name in "12"]
    return session(root, made.answers([two]).user(blocks, toolUseResult=BASH).says("done"))


def test_a_call_has_the_streams_and_the_exit_code_of_its_command(tmp_path: Path) -> None:
    found = {one.tool_use_id: one.tool for one in typed(tmp_path).document().tool_executions}

    assert found["t1"] == {"kind": "bash", **BASH, "exitCode": 0}
    assert found["t2"] is UNSET
    assert (found["p1"], found["p2"]) == (found["t1"], UNSET)


def test_neither_pages_nor_documents_without_bodies_have_them(tmp_path: Path) -> None:
    opened = typed(tmp_path)
    parts = opened.parts([Cut(1)]).tool_executions

    assert len(parts) == 4
    assert {one.tool for one in parts} == {UNSET}
    assert {one.tool for one in opened.document(bodies=False).tool_executions} == {UNSET}


def test_calls_are_given_with_inputs_and_results_of_their_tools(tmp_path: Path) -> None:
    first, other, *_ = typed(tmp_path).tool_calls()

    assert first.arguments == BashInput("make")
    assert first.result == BashResult("out", "err", False)
    assert (other.execution.tool_use_id, other.arguments) == ("t2", {"x": 1})
    assert other.result == {"z": 2}


def test_calls_of_a_file_that_is_gone_are_given_without_either(tmp_path: Path) -> None:
    opened = typed(tmp_path)
    Path(opened.path).unlink()

    first, *_ = opened.tool_calls()
    assert (first.arguments, first.result) == (BashInput(), "")
