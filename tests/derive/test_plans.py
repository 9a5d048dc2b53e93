"""Which session planned and which carried the plan out."""

from typing import Any

from unspool.derive.plans import PlanFacts, link_plans
from unspool.model.document import SessionLink, SessionLinks

SAYS = "Implement the following plan:\n\n1. do it"


def plan(id: str = "p1", start: int | None = 100, **given: Any) -> PlanFacts:
    facts = {"slug": "calm-red-fox", "project_id": "-repo", "first_text": "plan it", **given}
    return PlanFacts(id=id, start=start, **facts)


def does(id: str = "i1", start: int | None = 200, **given: Any) -> PlanFacts:
    return plan(id, start, **{"first_text": SAYS, **given})


def plan_of(id: str, *sessions: PlanFacts) -> SessionLink | None:
    return link_plans(sessions).get(id, SessionLinks()).plan


def test_the_first_prompt_marks_an_implementation_and_the_slug_its_plan() -> None:
    sessions = [does(), plan(), plan("x", slug="other-blue-cat")]

    assert link_plans(sessions).keys() == {"i1", "p1"}


def test_plan_and_implementation_are_linked_both_ways() -> None:
    links = link_plans([does(), plan()])

    assert links["i1"] == SessionLinks(plan=SessionLink("p1", 0.7, "same slug, earlier"))
    assert links["p1"] == SessionLinks(implementation=SessionLink("i1", 0.7, "same slug, earlier"))


def test_leaving_plan_mode_before_the_implementation_makes_the_link_surer() -> None:
    found = plan_of("i1", does(), plan(has_exit_plan=True, plan_at=150))

    assert found == SessionLink("p1", 0.9, "same slug, after its ExitPlanMode")


def test_sessions_of_different_slugs_are_not_linked() -> None:
    assert link_plans([does(), plan(slug="other-blue-cat")]) == {}


def test_several_pairs_are_kept_apart() -> None:
    sessions = [plan(), does(), plan("p2", slug="b-b-b"), does("i2", slug="b-b-b")]

    links = link_plans(sessions)

    assert [links[id].plan for id in ("i1", "i2")] == [
        SessionLink("p1", 0.7, "same slug, earlier"),
        SessionLink("p2", 0.7, "same slug, earlier"),
    ]


# peers 9
def test_sessions_without_a_slug_are_never_linked() -> None:
    for slug in ("", "unknown"):
        sessions = [does(slug=slug), plan(slug=slug)]

        assert link_plans(sessions) == {}


# peers 10
def test_the_second_implementation_of_a_plan_is_not_linked_to_the_first() -> None:
    sessions = [does("i2", 300), does("i1", 200), plan()]

    assert plan_of("i2", *sessions) == SessionLink("p1", 0.7, "same slug, earlier")
    assert link_plans(sessions)["p1"].implementation == SessionLink("i2", 0.7, "same slug, earlier")


def test_an_implementation_that_planned_anew_is_the_plan_of_the_next() -> None:
    sessions = [plan(), does("i1", 200, has_exit_plan=True, plan_at=250), does("i2", 300)]

    found = plan_of("i2", *sessions)

    assert found == SessionLink("i1", 0.9, "same slug, after its ExitPlanMode")


def test_of_two_plans_the_latest_before_the_implementation_is_likelier() -> None:
    found = plan_of("i1", plan("p1", 100), plan("p2", 150), does(), plan("p3", 120))

    assert found == SessionLink("p2", 0.7, "same slug, earlier")


# peers 11
def test_a_session_newer_than_the_implementation_is_not_its_plan() -> None:
    sessions = [does(start=200), plan(start=201)]

    assert link_plans(sessions) == {}


# peers 12
def test_an_implementation_is_known_by_its_first_prompt_whatever_came_before_it() -> None:
    assert plan_of("i1", does(first_text="  implement the following PLAN"), plan()) is not None


# peers 17
def test_an_edited_prompt_is_linked_by_slug_and_order_with_less_confidence() -> None:
    sessions = [plan(has_exit_plan=True, plan_at=150), does(first_text="Setze den Plan um")]

    assert plan_of("i1", *sessions) == SessionLink("p1", 0.6, "same slug, after its ExitPlanMode")


# peers 17
def test_a_session_that_names_the_plans_transcript_is_linked_for_certain() -> None:
    sessions = [does(slug="", first_text="Los", planned_in="p1"), plan(), does("i0", 150)]

    assert plan_of("i1", *sessions) == SessionLink("p1", 1.0, "names its transcript")


def test_a_named_transcript_that_is_gone_is_replaced_by_no_guess() -> None:
    sessions = [does(planned_in="swept"), plan()]

    assert plan_of("i1", *sessions) is None


def test_a_session_is_never_its_own_plan() -> None:
    assert link_plans([does(planned_in="i1"), does(has_exit_plan=True, plan_at=190)]) == {}


def test_a_copy_of_the_planning_session_is_not_an_implementation() -> None:
    first = plan(has_exit_plan=True, plan_at=150)
    copy = plan("fork", has_exit_plan=True, plan_at=150)

    assert link_plans([first, copy]) == {}


def test_a_plan_made_in_another_project_is_linked_with_less_confidence() -> None:
    assert plan_of("i1", does(), plan(project_id="-repo-worktree")) == SessionLink(
        "p1", 0.5, "same slug, earlier"
    )


def test_without_times_only_the_prompt_and_the_slug_speak() -> None:
    assert plan_of("i1", does(start=None), plan()) == SessionLink(
        "p1", 0.5, "same slug, time unknown"
    )
    assert link_plans([plan("a", None, has_exit_plan=True), plan("b", 300)]) == {}


def test_a_mode_left_after_the_implementation_began_is_not_its_plan() -> None:
    late = plan(has_exit_plan=True, plan_at=999)

    assert plan_of("i1", does(first_text="go"), late) is None
