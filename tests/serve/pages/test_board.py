from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.serve.pages.generated import looked
from tests.serve.served import Served, served
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso


@pytest.fixture
def lively(tmp_path: Path) -> Iterator[Served]:
    made = Transcript("live-one", "/home/dev/kettle", start=iso(config.now() - 60_000) or "")
    made.user("mend the kettle").calls("Bash", command="make test")
    with served(root(tmp_path / "claude", made)) as site:
        yield site


def test_a_session_at_work_is_on_the_board_with_what_it_does(lively: Served) -> None:
    made = looked(lively, "/")

    assert "mend the kettle" in made.text
    assert "make test" in made.text
    assert "/s/-home-dev-kettle/live-one" in made.hrefs


@pytest.mark.parametrize("address", ["/", "/part/board"])
def test_no_browser_keeps_a_copy_of_it(lively: Served, address: str) -> None:
    assert lively.ask(address).headers["cache-control"] == "no-store"


def test_it_has_its_spool_and_its_lane(lively: Served) -> None:
    made = looked(lively, "/")
    labels = [found.get("aria-label", "") for found in made.all("svg")]

    assert any(label.startswith("mend the kettle: ") for label in labels)
    assert "one row per session, midnight to now" in made.text


def test_the_part_is_the_board_without_what_stands_around_it(lively: Served) -> None:
    part = looked(lively, "/part/board")

    assert part.elements[0] == ("div", {"id": "board"})
    assert part.all("html") == part.all("header") == []
    assert "mend the kettle" in part.text


def test_the_part_has_todays_dollars_and_leads_back_to_the_board(lively: Served) -> None:
    part = looked(lively, "/part/board")

    assert {"class": "pulse", "id": "pulse"} in part.all("div")
    assert "/theme?to=dark&back=%2F" in part.hrefs


def test_a_board_of_old_sessions_says_that_nothing_runs(site: Served) -> None:
    assert "No activity today" in looked(site, "/").text


def test_a_secret_in_a_command_does_not_reach_the_board(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab1" * 12
    made = Transcript("live-one", start=iso(config.now() - 60_000) or "")
    made.user(f"use {secret}").calls("Bash", command=f"curl -H {secret}")
    with served(root(tmp_path / "claude", made)) as site:
        texts = [looked(site, path).text for path in ("/", "/part/board", "/sessions")]

    assert all("[redacted: " in text for text in texts)
    assert not any(secret in text for text in texts)


def test_a_session_has_the_name_its_reader_gave_and_can_be_hidden(tmp_path: Path) -> None:
    start = iso(config.now() - 60_000) or ""
    done = Transcript("done-one", start=start).user("mend the kettle").says("done")
    with served(root(tmp_path / "claude", done)) as site:
        site.ask("/api/sessions/done-one", "PATCH", json={"title": "The kettle"})
        named = looked(site, "/part/board").text
        site.ask("/api/sessions/done-one", "PATCH", json={"hidden": True})
        hidden = looked(site, "/part/board").text

    assert "The kettle" in named
    assert "The kettle" not in hidden


def test_what_waits_for_its_reader_is_never_hidden(lively: Served) -> None:
    lively.ask("/api/sessions/live-one", "PATCH", json={"hidden": True})

    assert "1 session needs your approval" in looked(lively, "/").text
