"""Addresses: names are quoted, and an export leads nowhere but into itself."""

import inspect

import pytest

from unspool.show.html.links import ExportLinks, LiveLinks


def test_a_session_is_found_by_its_project_and_id() -> None:
    assert LiveLinks().session("-dev-app", "a1") == "/s/-dev-app/a1"


def test_a_step_is_a_place_on_the_page() -> None:
    assert LiveLinks().session("p", "s", "3.0.9") == "/s/p/s#step-3.0.9"


@pytest.mark.parametrize("name", ["a/b", "a?b", "a#b", 'a"b', "..", ".", "\ud800", "é"])
def test_a_name_never_leaves_its_place_in_the_path(name: str) -> None:
    path = LiveLinks().session(name, "s")

    assert path.count("/") == 3
    assert not set(path) & set('?#"')
    assert "/../" not in path
    assert "/./" not in path


def test_a_range_is_its_first_and_its_last_step() -> None:
    links = LiveLinks("a1")

    assert links.steps("p", "s", "t&1", "t2") == "/s/p/s?agent=a1&from=t%261&to=t2"


def test_what_is_not_asked_is_not_in_the_address() -> None:
    assert LiveLinks().sessions(q="", status="idle") == "/sessions?status=idle"


def test_words_of_a_search_are_quoted() -> None:
    assert LiveLinks().search('a&b="c') == "/search?q=a%26b%3D%22c"


def test_an_export_leads_only_to_its_own_steps() -> None:
    links = ExportLinks()

    assert links.session("p", "s") == links.part("p", "s", "1") == links.static("x") == ""
    assert links.session("p", "s", "1") == links.step("1") == "#step-1"


def test_live_and_export_know_the_same_places() -> None:
    live, export = (
        {
            name: inspect.signature(call)
            for name, call in inspect.getmembers(kind, inspect.isfunction)
            if name[0] != "_"
        }
        for kind in (LiveLinks, ExportLinks)
    )

    assert live == export


def test_every_live_address_stays_on_this_server() -> None:
    links = LiveLinks()
    made = [links.board(), links.spend(), links.tools(), links.health(), links.static("a.css")]
    made += [links.project("p"), links.view("p", "s", "raw"), links.window("p", "s", 3)]
    made += [links.agent("p", "s", "a"), links.part("p", "s", "1"), links.raw("p", "s", 4)]
    made += [links.blob("1.0.4", 0), links.export("p", "s")]
    made += [links.part_search(), links.part_files(), links.part_sessions(), links.part_spend()]

    assert all(one.startswith("/") and not one.startswith("//") for one in made)


def test_an_export_has_no_address_of_a_server() -> None:
    links = ExportLinks()
    made = [links.board(), links.sessions(), links.search("q"), links.spend(), links.tools()]
    made += [links.health(), links.project("p"), links.view("p", "s", "raw")]
    made += [links.window("p", "s", 3), links.agent("p", "s", "a"), links.raw("p", "s", 4)]
    made += [links.blob("1.0.4", 0), links.export("p", "s")]

    assert set(made) == {""}
