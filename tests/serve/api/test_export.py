from pathlib import Path

import pytest

from tests.cli.made import root, sweep, talk
from tests.serve.served import Served, problem, served
from tests.show.everything import SECRET
from unspool.show.html.levels import LEVELS

ONE = "-home-dev-kettle/session-one"


def test_json_is_the_whole_document(site: Served) -> None:
    answer = site.ask(f"/api/export/{ONE}?format=json")
    whole = site.ask(f"/api/sessions/{ONE}").json()

    assert {**answer.json(), "pinned": False, "hidden": False} == whole
    assert answer.headers["content-disposition"] == 'attachment; filename="session-one.json"'


def test_jsonl_is_the_transcript(site: Served, place: Path) -> None:
    answer = site.ask(f"/api/export/{ONE}?format=jsonl")

    assert answer.content == next(place.glob("projects/*/session-one.jsonl")).read_bytes()
    assert answer.headers["content-type"].startswith("application/x-ndjson")


def test_a_swept_session_can_still_be_taken_away(site: Served, place: Path) -> None:
    before = site.ask(f"/api/export/{ONE}?format=jsonl").content
    sweep(place, "session-one")

    assert site.ask(f"/api/export/{ONE}?format=jsonl").content == before


@pytest.mark.parametrize(
    ("format", "kind", "begins"),
    [("html", "text/html", "<!doctype html>"), ("md", "text/markdown", "# alpha prompt")],
)
def test_a_page_and_markdown_are_files_to_be_saved(
    site: Served, format: str, kind: str, begins: str
) -> None:
    answer = site.ask(f"/api/export/{ONE}?format={format}")

    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"].endswith(f'"session-one.{format}"')
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.text.startswith(begins)


def test_a_level_is_how_much_a_page_shows(site: Served) -> None:
    pages = [site.ask(f"/api/export/{ONE}?format=md&level={level}").text for level in LEVELS]

    story, normal, everything = pages
    assert "alpha thought" not in story
    assert "alpha answer" in story
    assert "<details><summary><b>Thinking" in normal
    assert "<details open><summary><b>Thinking" in everything
    assert "<details><summary><b>Thinking" in site.ask(f"/api/export/{ONE}?format=md").text


def test_a_header_says_what_was_taken_out(tmp_path: Path) -> None:
    with served(root(tmp_path, talk().user(f"use {SECRET}"))) as site:
        answer = site.ask(f"/api/export/{ONE}?format=html")

    assert answer.headers["x-unspool-redacted"] == "1; github token 1"
    assert SECRET not in answer.text


def test_a_file_without_words_has_another_name(site: Served) -> None:
    answer = site.ask(f"/api/export/{ONE}?format=jsonl&anonymise=true")

    assert answer.headers["x-unspool-redacted"] == "anonymised"
    assert "session-one" not in answer.headers["content-disposition"]
    assert "alpha" not in answer.text


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (f"{ONE}?format=pdf", 400),
        (f"{ONE}?format=md&level=half", 400),
        (f"{ONE}?format=md&level=null", 400),
        (f"{ONE}?format=json&level=story", 400),
        (f"{ONE}?agent=nobody", 404),
        ("x/nobody", 404),
    ],
)
def test_what_cannot_be_taken_away_is_said(site: Served, asked: str, status: int) -> None:
    assert problem(site.ask(f"/api/export/{asked}"))["status"] == status
