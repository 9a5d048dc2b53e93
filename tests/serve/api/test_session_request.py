"""A session that has not changed is not sent again."""

from pathlib import Path

import pytest

from tests.serve.served import TOKEN, Served
from unspool.serve.api.session_request import has_tag

ONE = "/api/sessions/-home-dev-kettle/session-one"
VIEWS = ["", "?limit=1", "/metrics", "/turns", "/tools", "/context", "/waterfall", "/raw/1"]


def again(site: Served, path: str, tag: str) -> int:
    headers = {"authorization": f"Bearer {TOKEN}", "if-none-match": tag}
    return site.ask(path, headers=headers).status_code


@pytest.mark.parametrize("view", VIEWS)
def test_a_tag_that_still_holds_brings_no_body(site: Served, view: str) -> None:
    tag = site.ask(f"{ONE}{view}").headers["etag"]
    headers = {"authorization": f"Bearer {TOKEN}", "if-none-match": tag}
    answer = site.ask(f"{ONE}{view}", headers=headers)

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)


def test_a_line_more_is_another_tag(site: Served, place: Path) -> None:
    tag = site.ask(ONE).headers["etag"]
    path = next(place.glob("projects/*/session-one.jsonl"))
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")

    assert again(site, ONE, tag) == 200


def test_a_file_of_the_same_length_with_other_words_is_another_tag(
    site: Served, place: Path
) -> None:
    tag = site.ask(ONE).headers["etag"]
    path = next(place.glob("projects/*/session-one.jsonl"))
    path.write_text(path.read_text().replace("alpha answer", "omega answer"))

    assert again(site, ONE, tag) == 200


def test_a_new_title_is_another_tag(site: Served) -> None:
    tag = site.ask(ONE).headers["etag"]
    site.ask("/api/sessions/session-one", "PATCH", json={"title": "mine"})

    assert again(site, ONE, tag) == 200


def test_another_session_does_not_change_the_tag(site: Served, place: Path) -> None:
    tag = site.ask(ONE).headers["etag"]
    path = next(place.glob("projects/*/session-two.jsonl"))
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")

    assert again(site, ONE, tag) == 304


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, False),
        ("", False),
        ("*", True),
        ('W/"a"', True),
        ('"a"', True),
        ('W/"b", W/"a"', True),
        ('"ab"', False),
    ],
)
def test_tags_are_compared_weakly(given: str | None, expected: bool) -> None:
    assert has_tag(given, 'W/"a"') is expected


def test_long_answers_are_packed(site: Served) -> None:
    answer = site.ask(ONE, headers={"authorization": f"Bearer {TOKEN}", "accept-encoding": "gzip"})

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.json()["session"]["id"] == "session-one"
