from tests.show.made import texts
from unspool.show.tools import plan
from unspool.show.tools.details import DetailBuilder, MarkdownDetail, OutputDetail


def test_a_plan_is_told_by_its_first_line() -> None:
    assert plan.summary({"plan": "\n# Tenants\n1. Key"}, None) == "Tenants"
    assert plan.summary({}, {"plan": "Keys"}) == "Keys"
    assert plan.summary({}, None) == ""
    assert plan.facts({}, None) == ""


def test_a_plan_is_shown_whole_unless_it_is_a_book() -> None:
    assert texts(plan.preview({"plan": "a\nb"}, None, failed=False)) == ["a", "b"]
    assert len(plan.preview({"plan": "x\n" * 90}, None, failed=False)) == 25


def test_without_a_plan_what_was_said_is_shown() -> None:
    assert texts(plan.preview({}, "Entered plan mode", failed=False)) == ["Entered plan mode"]


def test_what_was_said_to_a_plan_follows_it() -> None:
    first, then = plan.details({"plan": "Do it"}, "Approved", DetailBuilder())

    assert first == MarkdownDetail("Do it")
    assert isinstance(then, OutputDetail)
