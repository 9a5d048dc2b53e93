import pytest
from msgspec import structs

from tests.show.html.sample_sessions import waiting
from tests.show.made import call, chunk, document, step
from unspool.model.document import Step, ToolExecution, Turn
from unspool.show.html.session_outline import (
    failed_calls,
    failure_exit,
    failure_name,
    outline,
    outline_summary,
)


def test_turns_agents_errors_and_waits_have_their_marks() -> None:
    found = [(mark.number or mark.icon, mark.place) for mark in outline(waiting())]

    assert found == [
        ("1", "turn-1"),
        ("agent", "step-x"),
        ("agent", "step-y"),
        ("fail", "step-bad"),
        ("2", "turn-2"),
        ("wait", "step-now"),
    ]


def test_a_turn_is_named_by_its_prompt_and_priced() -> None:
    first = outline(waiting())[0]

    assert (first.text, first.cost.text) == ("Prompt 1", "$0.50")


def test_a_compaction_is_a_mark() -> None:
    assert outline(document(chunk("compact", "…", id="c")))[0].icon == "cut"


def test_a_failure_of_the_api_is_a_mark() -> None:
    made = document(chunk("ai", "", step("notice", "x", name="api_error", is_error=True)))

    assert [mark.text for mark in outline(made)] == ["API error"]


def test_many_marks_are_counted_not_listed() -> None:
    made = (call("Bash", "x", id=f"t{n}", state="error") for n in range(20))
    calls = tuple(structs.replace(one, chunk_id="a") for one in made)
    found = outline(document(chunk("ai", "", id="a"), tool_executions=calls))

    assert len(found) == 7
    assert found[-1].text == "14 more"


def test_the_outline_in_a_line() -> None:
    assert outline_summary(outline(waiting()), 2) == "2 turns, 1 error"
    assert outline_summary((), 0) == "no turns yet"


def test_a_branch_that_a_rewind_left_is_marked_where_it_begins() -> None:
    chunks = (chunk("user", "x", id=f"u{n}", branch=n in (1, 2)) for n in range(4))

    assert [mark.at for mark in outline(document(*chunks)) if mark.icon == "link"] == ["u1"]


def test_failures_stand_in_the_order_of_their_lines() -> None:
    late = structs.replace(call("Bash", "x", id="t", state="error"), chunk_id="a", line=9)
    early = step("notice", "x", id="n", name="api_error", is_error=True, line=4)
    found = outline(document(chunk("ai", "", early, id="a"), tool_executions=(late,)))

    assert [mark.at for mark in found] == ["n", "t"]


def test_of_a_very_long_session_no_more_marks_are_shown_than_can_be_read() -> None:
    chunks = (chunk("user", "x", id=f"u{n}", turn=n + 1) for n in range(3_000))
    turns = tuple(Turn(index=n + 1, prompt=f"Prompt {n}") for n in range(3_000))
    found = outline(document(*chunks, turns=turns))

    assert 100 < len(found) <= 250
    assert found[0].number == "1"


def test_an_agent_nobody_knows_has_no_mark() -> None:
    assert outline(document(chunk("ai", "", Step(id="x", type="subagent", agent_id="x")))) == ()


@pytest.mark.parametrize(
    ("one", "name"),
    [
        (call("Bash", "Exit code 1", state="error", command="pytest -q"), "pytest exit 1"),
        (call("Bash", "no", state="rejected", command="git push"), "git push rejected"),
        (call("Edit", "no", state="error", file_path="/a/limiter.py"), "Edit limiter.py failed"),
        (call("mcp__web__navigate", "no", state="error", url="x"), "navigate failed"),
    ],
)
def test_a_failure_is_named_by_what_failed(one: ToolExecution, name: str) -> None:
    assert failure_name(one) == name


def test_the_outline_uses_the_names_of_failures_it_is_given() -> None:
    made = waiting()
    named = outline(made, {"bad": "make exit 1"})

    assert failed_calls(made) == ["bad"]
    assert [mark.text for mark in named if mark.icon == "fail"] == ["make exit 1"]
    assert [mark.text for mark in outline(made) if mark.icon == "fail"] == ["Bash failed"]


@pytest.mark.parametrize(
    ("given", "said", "code"),
    [
        ({"command": "make"}, "Exit code 2\nno", 2),
        ({"command": "make"}, "Error: Exit code -15\n", -15),
        ({"command": "make"}, "killed", None),
        ({"pattern": "x"}, "Exit code 2", None),
    ],
)
def test_what_a_command_exited_with_is_known_where_its_result_says_so(
    given: dict[str, str], said: str, code: int | None
) -> None:
    assert failure_exit(call("Bash", said, state="error", **given)) == code
