from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed
from unspool.engine.sessions.projects import ProjectList
from unspool.engine.sessions.session_list import SessionFilter


def test_a_project_that_came_just_now_is_there(site: Served, place: Path) -> None:
    before = [one.id for one in site.context.projects.all()]
    indexed(root(place, talk("session-three", day=3, cwd="/home/dev/teapot")))

    assert [one.id for one in site.context.projects.all()] == ["-home-dev-teapot", *before]


def test_while_nothing_changes_the_list_is_the_same(site: Served) -> None:
    assert site.context.projects.all() is site.context.projects.all()


def test_what_the_feed_says_is_what_adding_up_all_says(site: Served, place: Path) -> None:
    site.context.projects.all()
    for day, where in ((3, "/home/dev/teapot"), (4, "/home/dev/kettle"), (5, "/home/dev/teapot")):
        indexed(root(place, talk(f"session-{day}", day=day, cwd=where)))

        fresh = ProjectList(site.context.config, site.context.scope)
        assert site.context.projects.all() == fresh.all()


def test_a_project_costs_at_least_that_if_a_session_of_it_does(site: Served, place: Path) -> None:
    (before,) = site.context.projects.all()
    talk_on = talk("session-three", day=3).user("go on")
    indexed(root(place, talk_on.says("half an ans", id="cut", stop=None)))

    (after,) = site.context.projects.all()
    rows = site.context.sessions.page(SessionFilter()).items
    assert [row.metrics.lower_bound for row in rows] == [True, False, False]
    assert (before.metrics.lower_bound, after.metrics.lower_bound) == (False, True)
    assert after.checkouts[0].metrics.lower_bound
