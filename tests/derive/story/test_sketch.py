from tests.derive.reads import messages_of
from unspool.demo import Transcript, text_block, thinking_block
from unspool.derive.story.chunks import spans
from unspool.derive.story.sketch import sketched
from unspool.model.document import Step


def sketch(made: Transcript, *agents: str) -> tuple[Step, ...]:
    return sketched(next(one for one in spans(messages_of(made)) if one.type == "ai"), agents)


def test_thinking_lasts_until_the_next_line() -> None:
    made = Transcript().user("go").thinks("hm").wait(4).says("ok")

    assert [(step.type, step.duration_ms) for step in sketch(made)] == [("thinking", 5_000)]


def test_the_last_thought_has_no_length() -> None:
    assert sketch(Transcript().user("go").thinks("hm"))[0].duration_ms == 0


def test_a_step_goes_by_the_name_it_has_in_the_document() -> None:
    made = Transcript().user("go").answers([[text_block("a"), thinking_block("hm")]])

    assert sketch(made)[0].id == "u2-thinking-1"


def test_a_failure_of_the_api_is_sketched_and_words_are_not() -> None:
    made = Transcript().user("go").says("a").synthetic("API Error: 529", error="overloaded_error")

    assert [(step.type, step.is_error) for step in sketch(made)] == [("notice", True)]


def test_agents_come_last() -> None:
    made = sketch(Transcript().user("go").thinks("hm").says("a"), "x", "y")

    assert [step.agent_id for step in made][1:] == ["x", "y"]
