from tests.show.made import texts
from unspool.show.tools import fallback
from unspool.show.tools.details import DetailBuilder, OutputDetail


def test_a_single_argument_needs_no_name() -> None:
    assert fallback.summary({"skill": "pdf", "args": ""}, None) == "pdf"


def test_several_arguments_are_named() -> None:
    assert fallback.summary({"a": 1, "b": [2], "c": None}, None) == "a=1  b=[2]"


def test_nothing_given_is_nothing_said() -> None:
    assert fallback.summary({}, None) == ""
    assert fallback.facts({}, None) == ""


def test_an_answer_shows_its_beginning() -> None:
    assert texts(fallback.preview({}, "a\nb\nc\nd\ne", failed=False))[-1] == "… 2 more lines"


def test_a_result_without_text_is_shown_as_it_is() -> None:
    (made,) = fallback.details({}, {"rows": [1, 2]}, DetailBuilder())

    assert isinstance(made, OutputDetail)
    assert '"rows"' in made.head


def test_an_empty_result_is_nothing() -> None:
    assert fallback.details({}, {}, DetailBuilder()) == []


def test_a_server_and_its_tool_are_told_apart() -> None:
    assert fallback.label("mcp__atlas__look_up") == "atlas · look_up"
    assert fallback.label("mcp__atlas") == "atlas"


def test_arguments_and_answer_are_shown() -> None:
    assert fallback.summary({"place": "Oslo", "zoom": 3}, None) == "place=Oslo  zoom=3"
    assert fallback.facts({}, None) == ""
    assert texts(fallback.preview({}, [{"type": "text", "text": "a"}], failed=False)) == ["a"]
