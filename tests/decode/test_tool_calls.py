import json
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import fields

from unspool.decode.tool_calls import INPUTS, RESULTS, tool_arguments, tool_facts, tool_result
from unspool.model.sidecars import Task, Todo
from unspool.model.tool_inputs import (
    AgentInput,
    BashInput,
    GrepInput,
    MultiEditInput,
    NoInput,
    OneEdit,
    TaskUpdateInput,
)
from unspool.model.tool_results import (
    AgentResult,
    BashResult,
    EditResult,
    GitCommit,
    GitOperation,
    Hunk,
    ReadFile,
    ReadResult,
    StatusChange,
    TaskListResult,
    TaskUpdateResult,
    TodoWriteResult,
    WebSearchHit,
    WebSearchHits,
    WebSearchResult,
    WorktreeResult,
)


def raw(value: Any) -> Raw:
    return Raw(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Bash", {"command": "ls", "timeout": 5}, BashInput("ls", timeout=5)),
        ("Bash", {"command": 7, "description": "list"}, BashInput(description="list")),
        ("Grep", {"pattern": "a", "-i": True, "-C": 3}, GrepInput("a", ignore_case=True, around=3)),
        ("Task", {"subagent_type": "Explore"}, AgentInput(subagent_type="Explore")),
        ("Agent", {"subagent_type": "Explore"}, AgentInput(subagent_type="Explore")),
        ("MultiEdit", {"edits": [{"old_string": "a"}, 7]}, MultiEditInput(edits=[OneEdit("a")])),
        ("TaskUpdate", {"taskId": "1", "addBlocks": ["2"]}, TaskUpdateInput("1", add_blocks=["2"])),
        ("TaskList", {}, NoInput()),
        ("Bash", None, BashInput()),
        ("Bash", "ls", BashInput()),
        ("mcp__a__b", {"x": 1}, {"x": 1}),
        ("mcp__a__b", [1], {}),
    ],
)
def test_an_input_is_read_as_its_tools(name: str, given: Any, expected: Any) -> None:
    assert tool_arguments(name, raw(given)) == expected


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        (
            "Bash",
            {"stdout": "a", "gitOperation": {"commit": {"sha": "1f"}}},
            BashResult("a", git_operation=GitOperation(commit=GitCommit("1f"))),
        ),
        (
            "Read",
            {"type": "text", "file": {"filePath": "/a", "numLines": 3}},
            ReadResult("text", ReadFile("/a", num_lines=3)),
        ),
        ("Read", {"type": "file_unchanged"}, ReadResult("file_unchanged")),
        (
            "Edit",
            {"filePath": "/a", "originalFile": None, "structuredPatch": [{"lines": ["+b"]}]},
            EditResult(file_path="/a", structured_patch=[Hunk(lines=["+b"])]),
        ),
        ("Write", {"type": "create", "content": "a"}, EditResult("create", content="a")),
        (
            "Agent",
            {"status": "async_launched", "agentId": "a1", "isAsync": True},
            AgentResult("async_launched", "a1", is_async=True),
        ),
        (
            "WebSearch",
            {"query": "q", "results": [{"content": [{"title": "t"}]}, "none"]},
            WebSearchResult("q", [WebSearchHits(content=[WebSearchHit("t")]), "none"]),
        ),
        ("TodoWrite", {"newTodos": [{"content": "a"}]}, TodoWriteResult(new_todos=[Todo("a")])),
        ("TaskList", {"tasks": [{"id": "1"}]}, TaskListResult([Task("1")])),
        (
            "TaskUpdate",
            {"success": True, "statusChange": {"from": "pending", "to": "done"}},
            TaskUpdateResult(True, status_change=StatusChange("pending", "done")),
        ),
        ("ExitWorktree", {"action": "keep"}, WorktreeResult("keep")),
    ],
)
def test_a_result_is_read_as_its_tools(name: str, given: Any, expected: Any) -> None:
    assert tool_result(name, raw(given)) == expected


# format 9
@pytest.mark.parametrize(
    "plain", ["Error: no such file", [{"type": "text", "text": "a"}], {"detachedToolCall": True}]
)
def test_a_result_of_no_known_shape_stays_plain(plain: Any) -> None:
    assert tool_result("Bash", raw(plain)) == plain


def test_a_result_of_an_unknown_tool_stays_plain() -> None:
    assert tool_result("mcp__a__b", raw({"stdout": "a"})) == {"stdout": "a"}


def test_a_result_with_a_misfit_keeps_the_rest() -> None:
    assert tool_result("Bash", raw({"stdout": 7, "stderr": "b"})) == BashResult(stderr="b")


@pytest.mark.parametrize(("data", "text"), [(b"null", ""), (b"7", "7"), (b"{", ""), (b"", "")])
def test_a_result_that_is_a_bare_value_is_its_text(data: bytes, text: str) -> None:
    assert tool_result("Bash", Raw(data)) == text


@pytest.mark.parametrize("name", sorted(INPUTS | RESULTS))
def test_no_tool_needs_any_field(name: str) -> None:
    kinds = [kinds[name] for kinds in (INPUTS, RESULTS) if name in kinds]

    assert not [field.name for kind in kinds for field in fields(kind) if field.required]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        (
            "Bash",
            {"stdout": "a", "stderr": "b", "interrupted": False},
            {"kind": "bash", "stdout": "a", "stderr": "b", "interrupted": False, "exitCode": 0},
        ),
        (
            "Bash",
            {"stdout": "", "returnCodeInterpretation": "No matches found"},
            {"kind": "bash", "stdout": "", "returnCodeInterpretation": "No matches found"},
        ),
        (
            "Bash",
            {"stdout": "", "interrupted": True},
            {"kind": "bash", "stdout": "", "interrupted": True},
        ),
        ("Bash", "Error: Exit code 127\nno such command", {"kind": "bash", "exitCode": 127}),
        ("Bash", "The user said no.", {}),
        ("Read", "Exit code 1", {}),
        (
            "Edit",
            {"filePath": "/a", "originalFile": "x" * 9, "structuredPatch": [{"oldStart": 1}]},
            {"kind": "edit", "filePath": "/a", "structuredPatch": [{"oldStart": 1}]},
        ),
        (
            "Read",
            {"type": "text", "file": {"filePath": "/a", "content": "x" * 9, "numLines": 3}},
            {"kind": "read", "type": "text", "file": {"filePath": "/a", "numLines": 3}},
        ),
        (
            "WebSearch",
            {"query": "q", "results": [{"content": [{"title": "t"}]}]},
            {"kind": "web_search", "query": "q", "results": [{"content": [{"title": "t"}]}]},
        ),
        ("WebFetch", {"code": 200, "result": "page"}, {"kind": "web_fetch", "code": 200}),
        ("mcp__a__b", {"stdout": "a"}, {}),
        ("Bash", None, {}),
    ],
)
def test_facts_have_what_neither_input_nor_result_says(
    name: str, given: Any, expected: dict[str, Any]
) -> None:
    assert tool_facts(name, raw(given)) == expected


def test_facts_of_half_a_character_are_given_all_the_same() -> None:
    found = tool_facts("Bash", Raw(b'{"stdout":"a","bashEditDiff":{"x":"\\ud800"}}'))

    assert (found["kind"], found["stdout"]) == ("bash", "a")
