from msgspec import UNSET

from tests.show.made import call, document
from tests.show.views.sessions_made import READER, waiting
from unspool.show.views.steps.around import Reader, around, text_of, within


def test_calls_are_found_by_their_id() -> None:
    assert around(document(tool_executions=(call(id="t"),)), READER).calls["t"].name == "Bash"


def test_the_call_that_waits_is_known() -> None:
    assert around(waiting(), READER).waiting == "now"


def test_a_session_at_work_waits_for_nobody() -> None:
    assert around(document(), READER).waiting == ""


def test_agents_inside_agents_are_shown_in_place_only_so_deep() -> None:
    made = around(document(), Reader(now=0, documents={"x": document()}))
    for _ in range(3):
        made = within(made, document())

    assert made.inside("x") is not None
    assert within(made, document()).inside("x") is None


def test_a_text_that_is_not_there_is_empty() -> None:
    assert (text_of(UNSET), text_of("a")) == ("", "a")


def test_a_whole_page_wants_whole_texts() -> None:
    assert around(document(), Reader(now=0, is_whole=True)).amount.is_whole
    assert around(document(), READER).zone is None
