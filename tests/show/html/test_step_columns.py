import json
from datetime import UTC
from typing import Any

from msgspec import structs

from tests.show.made import call, chunk, document
from unspool.model.document import ToolHook
from unspool.model.steps import SessionStep, StepCost, StepFigures
from unspool.show.html.session_page import session_overview
from unspool.show.html.step_columns import step_columns

STEPS = (
    SessionStep("u1", "prompt", turn=1, start=0, end=1_000),
    SessionStep("t1", "call", 1, 1, 2, 1_000, 3_000, "Bash", True, cost=StepCost(2_000_000)),
    SessionStep("t2", "call", 1, 1, 3, 3_000, 4_000, "Bash"),
)


def columns(*waits: str) -> dict[str, Any]:
    calls = tuple(
        structs.replace(call(id=id), hook=ToolHook("allow", 500 if id in waits else None))
        for id in ("t1", "t2")
    )
    figures = StepFigures(STEPS, exits={"t1": 2, "elsewhere": 1})
    made = session_overview(document(chunk(), tool_executions=calls), (), None, figures)
    found: dict[str, Any] = json.loads(step_columns(made, UTC))
    return found


def test_a_step_has_its_element_its_label_and_its_place() -> None:
    found = columns()

    assert found["id"] == ["chunk-u1", "step-t1", "step-t2"]
    assert [found["labels"][n] for n in found["label"]] == ["Prompt", "Bash", "Bash"]
    assert (found["x"], found["end"]) == ([0, 2_500, 7_500], [2_500, 7_500, 10_000])
    assert (found["at"], found["took"]) == ([0, 1_000, 3_000], [1_000, 2_000, 1_000])


def test_costs_are_microdollars_by_cause_and_nothing_is_empty() -> None:
    assert columns()["cost"] == [[], [2, 0, 0, 0, 0, 0, 0], []]


def test_prompts_failures_and_waits_are_told_apart() -> None:
    found = columns("t2")

    assert (found["opens"], found["failed"], found["waits"]) == ([0], [1], [2])


def test_what_a_command_exited_with_is_said_where_it_is_known() -> None:
    assert columns()["exits"] == [[1, 2]]
