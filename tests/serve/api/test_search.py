from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import root, talk
from tests.redact.secrets import planted
from tests.serve.served import Served, indexed, problem, served
from unspool.demo import Transcript


def found(site: Served, **asked: Any) -> list[tuple[str, str]]:
    items = site.ask("/api/search", params=asked).json()["items"]
    return [(one["sessionId"], one["kind"]) for one in items]


def test_lines_are_found_newest_first_with_their_words_marked(site: Served) -> None:
    items = site.ask("/api/search?q=alpha%20prompt").json()["items"]

    assert [one["sessionId"] for one in items] == ["session-two", "session-one"]
    marked = [items[0]["snippet"][start:end] for start, end in items[0]["ranges"]]
    assert marked == ["alpha", "prompt"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"q": "alpha", "kind": "answer", "session": "session-one"}, [("session-one", "answer")]),
        ({"q": "alpha", "project": "elsewhere"}, []),
        ({"q": "alpha", "kind": "prompt", "until": "2026-01-01"}, [("session-one", "prompt")]),
        ({"q": "alpha", "kind": "prompt", "since": "2026-01-02"}, [("session-two", "prompt")]),
        ({"q": '"answer alpha"'}, []),
        ({"q": "answ*", "order": "ranked", "session": "session-one"}, [("session-one", "answer")]),
    ],
)
def test_what_is_searched_can_be_narrowed(
    site: Served, asked: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert found(site, **asked) == expected


@pytest.mark.parametrize("order", ["newest", "ranked"])
def test_pages_are_disjoint_and_complete(site: Served, order: str) -> None:
    seen, cursor = [], ""
    while cursor is not None:
        asked = {"q": "alpha", "limit": 3, "order": order, "cursor": cursor}
        page = site.ask("/api/search", params=asked).json()
        seen += [one["eventId"] for one in page["items"]]
        cursor = page["nextCursor"]

    assert len(seen) == len(set(seen)) == 10


def test_the_best_come_first_on_every_page(site: Served) -> None:
    whole = site.ask("/api/search?q=alpha&order=ranked").json()["items"]
    first = site.ask("/api/search?q=alpha&order=ranked&limit=4").json()
    rest = site.ask(f"/api/search?q=alpha&order=ranked&cursor={first['nextCursor']}").json()

    assert first["items"] + rest["items"] == whole
    assert rest["nextCursor"] is None


def test_what_was_written_since_is_found(site: Served, place: Path) -> None:
    assert found(site, q="zebra") == []
    indexed(root(place, Transcript(session="late", cwd="/home/dev/kettle").user("a zebra")))
    assert found(site, q="zebra") == [("late", "prompt")]


def test_a_piece_of_a_line_shows_no_secret_whose_beginning_is_elsewhere(tmp_path: Path) -> None:
    secret = next(one for one in planted(80) if "key block" in one.name)
    made = Transcript(session="s").user(f"marker\n{secret.text}\nmarker")
    lines = secret.text.split("\n")
    with served(root(tmp_path, made)) as site:
        shown = site.ask("/api/search", params={"q": "marker"}).text

    assert not [line for line in lines[2:-2] if line in shown]


@pytest.mark.parametrize("asked", ["", "q=x&limit=0", "q=x&kind=song", "q=x&since=never"])
def test_what_cannot_be_searched_is_a_bad_request(site: Served, asked: str) -> None:
    assert problem(site.ask(f"/api/search?{asked}"))["status"] == 400


@pytest.mark.parametrize("words", ['"', "*", "a AND b", "NEAR(", "é" * 200, "\x00", "%"])
def test_whatever_is_typed_is_words(tmp_path: Path, words: str) -> None:
    with served(root(tmp_path, talk())) as site:
        assert site.ask("/api/search", params={"q": words}).status_code == 200
