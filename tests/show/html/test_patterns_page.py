"""The page of all components: it is always the same, and everything on it can be named."""

from tests.show.webs import seen, shell
from unspool.show.html.links import LiveLinks
from unspool.show.html.patterns_page import patterns_page
from unspool.show.html.render import render


def test_the_page_is_always_the_same() -> None:
    one, other = (render(patterns_page(shell()), LiveLinks()) for _ in range(2))

    assert one == other


def test_every_picture_has_a_name() -> None:
    pictures = [one for one in seen(patterns_page(shell())).all("svg") if "class" in one]

    assert all("aria-hidden" in one or one.get("aria-label") for one in pictures)


def test_every_figure_has_its_data_in_a_table() -> None:
    made = seen(patterns_page(shell()))

    assert len(made.all("figure")) == 5
    assert made.text.count("Show as table") == 5


def test_no_two_elements_have_the_same_id() -> None:
    ids = [found["id"] for _, found in seen(patterns_page(shell())).elements if "id" in found]

    assert len(ids) == len(set(ids))


def test_every_icon_is_in_the_sprite() -> None:
    made = seen(patterns_page(shell()))
    there = {f"#{found['id']}" for found in made.all("symbol")}

    assert {found["href"] for found in made.all("use")} <= there


def test_its_context_falls_where_it_was_compacted_and_grows_again() -> None:
    chart = patterns_page(shell()).context
    output = chart.head.index("Tool output")

    assert [(row[0], row[output]) for row in chart.rows[12:16]] == [
        ("13", "89.0k"),
        ("14", "96.0k"),
        ("15", "12.0k"),
        ("16", "19.0k"),
    ]
