"""The environment: it escapes, knows no way around that, and every template can be read."""

import re
from pathlib import Path
from typing import ClassVar

import pytest
from jinja2 import UndefinedError
from msgspec import Struct

from tests.show.webs import HOSTILE, Seen, seen, shell
from unspool import show
from unspool.show.html.assets import FILES, VERSION
from unspool.show.html.links import ExportLinks
from unspool.show.html.patterns_page import patterns_page
from unspool.show.html.render import load_templates, render, render_macro

SHOW = Path(show.__file__).parent
TEMPLATES = sorted((SHOW / "templates").rglob("*.html"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.name))
def test_no_template_goes_around_the_escaping(path: Path) -> None:
    assert not re.search(r"\|\s*safe|autoescape|Markup|<style|\sstyle=|\son\w+=", path.read_text())


def test_markup_is_made_in_one_module_alone() -> None:
    users = [path.name for path in SHOW.rglob("*.py") if "Markup(" in path.read_text()]

    assert users == ["prose.py"]


def test_every_script_that_a_page_names_is_there() -> None:
    named = {found["src"] for found in seen(patterns_page(shell())).all("script")}

    there = {f"/static/{VERSION}/{name}" for name in FILES}
    assert named - there == {"/static/enter.js"}  # the door's own


class Torn(Struct, frozen=True):
    template: ClassVar[str] = "board.html"


def test_a_page_that_lacks_something_fails_rather_than_lies() -> None:
    with pytest.raises(UndefinedError):
        render(Torn(), ExportLinks())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_macro_escapes_what_it_is_given(text: str) -> None:
    made = Seen(render_macro("parts/chip.html", "chip", text, kind=text))

    assert made.shape == [("span", ("class",))]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_title_cannot_leave_its_element(text: str) -> None:
    calm, hostile = seen(patterns_page(shell())), seen(patterns_page(shell(text)))

    assert hostile.shape == calm.shape


def test_an_export_names_no_file_and_leads_nowhere() -> None:
    made = Seen(render(patterns_page(shell()), ExportLinks()))

    assert made.all("link") == made.all("script") == []
    assert all(href.startswith(("#", "https://example.com")) for href in made.hrefs if href)


def test_a_page_has_no_style_and_no_script_of_its_own() -> None:
    made = seen(patterns_page(shell()))

    assert made.all("style") == []
    assert all("src" in found for found in made.all("script"))
    assert not [name for _, found in made.elements for name in found if name.startswith("on")]
    assert not [found for _, found in made.elements if "style" in found]


def test_no_template_is_broken() -> None:
    load_templates()
