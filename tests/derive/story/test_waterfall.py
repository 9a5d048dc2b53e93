"""The time line of a session."""

from msgspec import Raw

from unspool.derive.story.waterfall import Waterfall, waterfall
from unspool.model.document import Chunk, Step, Subagent, ToolExecution


def clock(seconds: int) -> str:
    return f"2026-01-01T00:00:{seconds:02d}.000Z"


def chunk(id: str, start: int, end: int, *agents: str) -> Chunk:
    steps = tuple(Step(id=agent, type="subagent", agent_id=agent) for agent in agents)
    return Chunk(
        id=id,
        type="ai",
        start_time=clock(start),
        end_time=clock(end),
        duration_ms=(end - start) * 1000,
        steps=(*steps, Step(id="text", type="output")),
    )


def tool(id: str, start: int, end: int | None, chunk_id: str | None = "ai-1") -> ToolExecution:
    return ToolExecution(
        tool_use_id=id,
        name="Bash",
        input=Raw(b"{}"),
        start_time=clock(start),
        end_time=None if end is None else clock(end),
        duration_ms=None if end is None else (end - start) * 1000,
        chunk_id=chunk_id,
    )


def agent(id: str, start: int, end: int, **given: object) -> Subagent:
    return Subagent(id=id, start_time=clock(start), end_time=clock(end), **given)  # type: ignore[arg-type]


def places(made: Waterfall) -> list[tuple[str, int, str | None]]:
    return [(bar.id, bar.level, bar.parent_id) for bar in made.items]


# devtools 55
def test_chunks_stand_at_level_0_with_their_tools_and_agents_below() -> None:
    made = waterfall([chunk("ai-1", 0, 9, "a1")], [tool("t1", 1, 2)], [agent("a1", 3, 8)])

    assert places(made) == [("ai-1", 0, None), ("t1", 1, "ai-1"), ("a1", 1, "ai-1")]


# devtools 55
def test_an_agent_no_chunk_shows_stands_at_level_0() -> None:
    made = waterfall([chunk("ai-1", 0, 9)], [], [agent("a1", 3, 8)])

    assert places(made)[-1] == ("a1", 0, None)


def test_a_step_that_only_names_an_agent_does_not_show_it() -> None:
    call = Step(id="t9", type="tool_call", agent_id="a1")
    made = waterfall([Chunk(id="ai-1", type="ai", steps=(call,))], [], [agent("a1", 3, 8)])

    assert places(made) == [("a1", 0, None)]


# devtools 55
def test_nothing_makes_no_items_and_no_time() -> None:
    assert waterfall([], [], []) == Waterfall(items=(), min_time=None, max_time=None, total_ms=0)


# devtools 55
def test_items_are_sorted_by_start_and_a_chunk_precedes_what_begins_with_it() -> None:
    chunks = [chunk("ai-2", 5, 9), chunk("ai-1", 0, 4)]
    made = waterfall(chunks, [tool("t2", 5, 6, "ai-2"), tool("t1", 1, 2)], [])

    assert [bar.id for bar in made.items] == ["ai-1", "t1", "ai-2", "t2"]


# devtools 55
def test_the_time_covered_runs_from_the_first_start_to_the_last_end() -> None:
    made = waterfall([chunk("ai-1", 2, 9)], [tool("t1", 3, 20)], [])

    assert (made.min_time, made.max_time, made.total_ms) == (clock(2), clock(20), 18_000)


def test_a_tool_still_running_reaches_no_further_than_its_start() -> None:
    made = waterfall([chunk("ai-1", 0, 4)], [tool("t1", 7, None)], [])

    assert (made.items[-1].end_time, made.items[-1].duration_ms) == (None, 0)
    assert made.total_ms == 7_000


def test_what_has_no_start_is_left_out() -> None:
    assert waterfall([Chunk(id="user-1", type="user")], [], []) == Waterfall()


def test_a_tool_outside_every_chunk_stands_at_level_0() -> None:
    assert places(waterfall([], [tool("t1", 1, 2, None)], [])) == [("t1", 0, None)]


def test_an_agent_belongs_to_the_chunk_of_the_call_that_started_it() -> None:
    made = waterfall([Chunk(id="ai-1", type="ai")], [tool("t1", 1, 2)], [
        agent("a1", 3, 8, parent_task_id="t1")
    ])  # fmt: skip

    assert places(made)[-1] == ("a1", 1, "ai-1")


def test_an_agents_own_agent_stands_below_it() -> None:
    nested = agent("a2", 4, 5, parent_agent_id="a1", parent_task_id="t9", depth=2)
    made = waterfall([chunk("ai-1", 0, 9, "a1")], [], [agent("a1", 3, 8), nested])

    assert places(made)[-1] == ("a2", 2, "a1")


def test_an_agent_of_an_agent_nobody_knows_stands_alone() -> None:
    made = waterfall([], [], [agent("a2", 4, 5, parent_agent_id="gone", depth=2)])

    assert places(made) == [("a2", 0, None)]


def test_bars_say_what_they_are() -> None:
    made = waterfall([chunk("ai-1", 0, 9)], [tool("t1", 1, 2)], [
        agent("a1", 3, 8, description="look around", duration_ms=5_000)
    ])  # fmt: skip

    assert [(bar.type, bar.label) for bar in made.items] == [
        ("chunk", "ai"),
        ("tool", "Bash"),
        ("subagent", "look around"),
    ]
    assert [bar.duration_ms for bar in made.items] == [9_000, 1_000, 5_000]
