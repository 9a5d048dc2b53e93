"""Agents that wrote into the main file, opened like those that have one."""

from pathlib import Path
from typing import Any

from tests.engine.live import Live
from tests.engine.roots import NOW, append, root_sessions, saved, session
from unspool.demo import Transcript

SIDE: dict[str, Any] = {"isSidechain": True}
AGENT = "inline-u3"


def begun() -> Transcript:
    made = Transcript().user("go").calls("Task", {"prompt": "look"}, id="t1")
    made.user("look", parentUuid=None, **SIDE)
    return made.calls("Bash", {"command": "ls"}, id="t2", **SIDE)


def talk() -> Transcript:
    made = begun().returns("a file", call="t2", **SIDE).says("seen", **SIDE)
    return made.returns("seen", call="t1").says("done")


def test_it_is_opened_by_its_id_with_its_own_texts(tmp_path: Path) -> None:
    found = session(tmp_path, talk()).agent(AGENT)
    document = found.document()
    (call,) = document.tool_executions

    assert [chunk.text for chunk in document.chunks if chunk.type == "user"] == ["look"]
    assert (call.tool_use_id, call.state, call.agent_id) == ("t2", "ok", AGENT)
    assert bytes(call.result or b"") == b'"a file"'
    assert document.session.id == AGENT


def test_its_lines_are_those_of_the_file_that_are_its_own(tmp_path: Path) -> None:
    made = talk()
    found = session(tmp_path, made).agent(AGENT)
    lines = made.bytes().splitlines()

    assert [row.number for row in found.lines()] == [3, 4, 5, 6]
    assert list(found.raw()) == lines[2:6]
    assert list(found.raw(4, 4)) == [lines[3]]


def test_it_is_shown_where_it_was_started(tmp_path: Path) -> None:
    document = session(tmp_path, talk()).document()
    steps = [step for chunk in document.chunks for step in chunk.steps or ()]

    assert [step.agent_id for step in steps if step.type == "subagent"] == [AGENT]
    assert [call.agent_id for call in document.tool_executions] == [AGENT]


def test_it_is_at_work_until_its_call_is_answered(tmp_path: Path) -> None:
    made = begun()
    (path,) = saved(tmp_path, made)
    found = root_sessions(tmp_path).open(path)
    was_at_work = [agent.is_ongoing for agent in found.agents], found.agent(AGENT).is_ongoing
    append(path, made.returns("stopped", call="t1").bytes().splitlines(keepends=True)[-1])
    found.refresh(NOW)

    assert was_at_work == ([True], True)
    assert [agent.is_ongoing for agent in found.agents] == [False]


def test_a_session_whose_inline_agent_works_is_not_asking_for_approval(tmp_path: Path) -> None:
    found = session(tmp_path, begun(), now=NOW + 5_000)

    assert found.info().status.state == "working"


def test_it_is_found_again_as_the_file_grows(tmp_path: Path) -> None:
    lines = talk().bytes().splitlines(keepends=True)
    path = talk().path_in(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(lines[0])
    found = root_sessions(tmp_path).open(path)
    for line in lines[1:]:
        append(path, line)
        found.refresh(NOW)

    assert found.document() == root_sessions(tmp_path).open(path).document()
    assert (
        found.agent(AGENT).document() == root_sessions(tmp_path).open(path).agent(AGENT).document()
    )


def test_the_board_counts_it_while_it_works(tmp_path: Path) -> None:
    live = Live(tmp_path).wrote(begun())
    at_work = live.row(6)
    live.wrote(talk())
    after = live.row(12)

    assert (at_work.agents, at_work.session.status.state) == (("look",), "working")
    assert after.agents == ()
