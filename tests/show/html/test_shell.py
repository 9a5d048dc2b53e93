"""The header: the way to every page, today's spend, the theme."""

import pytest

from tests.show.webs import Seen
from unspool.show.html.links import LiveLinks
from unspool.show.html.patterns_page import patterns_page
from unspool.show.html.render import render
from unspool.show.html.shell import Shell, problem_page, spark


def test_days_are_parts_of_the_dearest() -> None:
    assert spark((1.0, 4.0)) == (25, 100)


def test_no_days_are_no_bars() -> None:
    assert spark(()) == ()


def test_days_without_any_dollars_are_flat() -> None:
    assert spark((0.0, 0.0)) == (0, 0)


def test_the_other_theme_is_one_link_away_and_leads_back() -> None:
    shell = Shell(title="x", theme="dark", here="/spend?range=7")
    hrefs = Seen(render(patterns_page(shell), LiveLinks())).hrefs

    assert "/theme?to=light&back=%2Fspend%3Frange%3D7" in hrefs


@pytest.mark.parametrize("has_machines", [False, True], ids=["one machine", "hub"])
def test_every_page_has_its_place_in_the_navigation(has_machines: bool) -> None:
    html = render(patterns_page(Shell(title="x", has_machines=has_machines)), LiveLinks())
    bar = html[html.index('<nav aria-label="Main">') : html.index("</nav>")]

    wanted = "Board Sessions Projects Search Files Spend Tools Health".split()
    assert Seen(bar).text.split() == wanted + ["Machines"] * has_machines


def test_the_page_one_is_on_is_marked() -> None:
    made = Seen(render(patterns_page(Shell(title="x", current="Spend")), LiveLinks()))
    (current,) = [found for found in made.all("a") if found.get("aria-current") == "page"]

    assert current["href"] == "/spend"


def test_a_chosen_theme_is_an_attribute_and_none_is_the_systems() -> None:
    dark, system = (
        Seen(render(patterns_page(Shell(title="x", theme=theme)), LiveLinks())).all("html")[0]
        for theme in ("dark", "")
    )

    assert dark["data-theme"] == "dark"
    assert "data-theme" not in system


def test_the_way_out_is_a_form_that_needs_no_script() -> None:
    made = Seen(render(patterns_page(Shell(title="x")), LiveLinks()))
    (form,) = [found for found in made.all("form") if found.get("action") == "/logout"]

    assert form["method"] == "post"
    assert [found for found in made.all("button") if found.get("aria-label") == "Sign out"]


def test_what_went_wrong_comes_with_what_to_do() -> None:
    hints = {
        status: problem_page(status, "Title", "detail", Shell(title="x")).hint
        for status in (400, 404, 410, 500, 503)
    }

    assert hints[400] == ""
    assert "moved" in hints[404]
    assert "archived" in hints[410]
    assert "unspool doctor" in hints[500]
    assert "unspool doctor" in hints[503]
