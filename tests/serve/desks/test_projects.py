from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed


def test_a_project_that_came_just_now_is_there(site: Served, place: Path) -> None:
    before = [one.id for one in site.desk.projects.all()]
    indexed(root(place, talk("session-three", day=3, cwd="/home/dev/teapot")))

    assert [one.id for one in site.desk.projects.all()] == ["-home-dev-teapot", *before]


def test_while_nothing_changes_the_list_is_the_same(site: Served) -> None:
    assert site.desk.projects.all() is site.desk.projects.all()
