from tests.show.made import texts
from unspool.show.tools import plan


def test_a_plan_is_told_by_its_first_line() -> None:
    assert plan.summary({"plan": "\n# Tenants\n1. Key"}, None) == "Tenants"
    assert plan.summary({}, {"plan": "Keys"}) == "Keys"
    assert plan.summary({}, None) == ""
    assert plan.facts({}, None) == ""


def test_a_plan_is_shown_whole_unless_it_is_a_book() -> None:
    assert texts(plan.body({"plan": "a\nb"}, None, failed=False)) == ["a", "b"]
    assert len(plan.body({"plan": "x\n" * 90}, None, failed=False)) == 25


def test_without_a_plan_what_was_said_is_shown() -> None:
    assert texts(plan.body({}, "Entered plan mode", failed=False)) == ["Entered plan mode"]
