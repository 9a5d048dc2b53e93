from tests.show.made import texts
from unspool.show.tools import fallback


def test_a_single_argument_needs_no_name() -> None:
    assert fallback.summary({"skill": "pdf", "args": ""}, None) == "pdf"


def test_several_arguments_are_named() -> None:
    assert fallback.summary({"a": 1, "b": [2], "c": None}, None) == "a=1  b=[2]"


def test_nothing_given_is_nothing_said() -> None:
    assert fallback.summary({}, None) == ""
    assert fallback.facts({}, None) == ""


def test_an_answer_shows_its_beginning() -> None:
    assert texts(fallback.body({}, "a\nb\nc\nd\ne", failed=False))[-1] == "… 2 more lines"
