from tests.show.made import call, chunk, document, step
from tests.show.views.sessions_made import READER, waiting
from unspool.model.document import SessionDocument
from unspool.show.views.session_outline import Mark, outline, told
from unspool.show.views.steps.around import around
from unspool.show.views.steps.passages import passages


def marks(made: SessionDocument) -> tuple[Mark, ...]:
    return outline(passages(made, around(made, READER)), made.turns)


def test_turns_agents_errors_and_waits_have_their_marks() -> None:
    found = [(mark.number or mark.icon, mark.place) for mark in marks(waiting())]

    assert found == [
        ("1", "turn-1"),
        ("fail", "step-bad"),
        ("agent", "step-x"),
        ("agent", "step-y"),
        ("2", "turn-2"),
        ("wait", "step-now"),
    ]


def test_a_turn_is_named_by_its_prompt_and_priced() -> None:
    first = marks(waiting())[0]

    assert (first.text, first.cost.text) == ("Prompt 1", "$0.50")


def test_a_compaction_is_a_mark() -> None:
    assert marks(document(chunk("compact", "…", id="c")))[0].icon == "cut"


def test_a_failure_of_the_api_is_a_mark() -> None:
    made = document(chunk("ai", "", step("notice", "x", name="api_error", is_error=True)))

    assert [mark.text for mark in marks(made)] == ["Api error"]


def test_many_marks_are_counted_not_listed() -> None:
    calls = tuple(call("Bash", "x", id=f"t{n}", state="error") for n in range(20))
    steps = (step("tool_call", id=one.tool_use_id) for one in calls)
    found = marks(document(chunk("ai", "", *steps), tool_executions=calls))

    assert len(found) == 7
    assert found[-1].text == "14 more marks"


def test_the_outline_in_a_line() -> None:
    assert told(marks(waiting())) == "2 turns, 1 error"
    assert told(()) == "nothing yet"
