from collections.abc import Callable
from typing import Any

import pytest

from unspool.decode.sidecars import (
    agent_meta,
    history_line,
    registry_entry,
    tasks,
    todos,
)
from unspool.model.sidecars import (
    AgentMeta,
    HistoryLine,
    RegistryEntry,
    Task,
    Todo,
)

TROUBLE = [b"", b"{", b"null", b"7", b'"', b"[" * 5000, b"\xff\xfe", b"\0" * 20]


def test_a_meta_file_says_which_call_started_the_agent() -> None:
    data = b'{"agentType":"Explore","toolUseId":"toolu_1","spawnDepth":1,"future":true}'

    assert agent_meta(data) == AgentMeta("Explore", tool_use_id="toolu_1", spawn_depth=1)


def test_a_meta_file_with_a_misfit_keeps_the_rest() -> None:
    assert agent_meta(b'{"agentType":5,"name":"ann"}') == AgentMeta(name="ann")


def test_a_registry_file_says_what_a_session_waits_for() -> None:
    data = b'{"pid":7,"sessionId":"s1","status":"waiting","updatedAt":1789398960924}'

    assert registry_entry(data) == RegistryEntry(
        7, "s1", status="waiting", updated_at=1789398960924
    )


def test_a_history_line_is_one_prompt() -> None:
    line = b'{"display":"hi","timestamp":1789398960924,"project":"/repo","sessionId":"s1"}'

    assert history_line(line) == HistoryLine("hi", 1789398960924, "/repo", "s1")


def test_todos_that_are_no_todos_are_left_out() -> None:
    data = b'[{"content":"a","status":"pending","activeForm":"doing a"},7]'

    assert todos(data) == [Todo("a", "pending", "doing a")]


def test_a_task_may_have_a_file_to_itself() -> None:
    assert tasks(b'{"id":"1","subject":"a","blockedBy":["2"]}') == [
        Task("1", "a", blocked_by=["2"])
    ]


@pytest.mark.parametrize("data", TROUBLE)
@pytest.mark.parametrize("read", [agent_meta, registry_entry, history_line])
def test_a_file_in_trouble_says_nothing(read: Callable[[bytes], Any], data: bytes) -> None:
    assert read(data) is None


@pytest.mark.parametrize("data", TROUBLE)
def test_a_list_in_trouble_is_empty(data: bytes) -> None:
    assert (todos(data), tasks(data)) == ([], [])
