from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.serve.pages.generated import looked
from tests.serve.served import Served, served
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine import dates


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
    assert "Today" in made.text
    assert any(found.get("id", "").startswith("lane-s-") for found in made.all("li"))


def test_the_part_is_the_board_without_what_stands_around_it(lively: Served) -> None:
    part = looked(lively, "/part/board")

    assert part.elements[0][1]["id"] == "board"
    assert part.all("html") == part.all("header") == []
    assert "mend the kettle" in part.text


def test_the_part_has_todays_dollars_and_leads_back_to_the_board(lively: Served) -> None:
    part = looked(lively, "/part/board")

    assert {"class": "pulse", "id": "pulse"} in part.all("div")
    assert "/theme?to=dark&back=%2F" in part.hrefs


def test_a_quiet_day_shows_what_was_worked_on_last(site: Served) -> None:
    text = " ".join(looked(site, "/").text.split())

    assert "Nothing is running" in text
    assert "claude --resume " in text
    assert "This week" in text
    assert "Yesterday" in text


def test_only_a_page_that_is_quiet_is_told_of_a_quiet_day(site: Served) -> None:
    assert "Nothing is running" in looked(site, "/part/board?quiet=1").text
    assert "Nothing is running" not in looked(site, "/part/board").text


def test_a_day_on_which_something_runs_is_not_quiet(lively: Served) -> None:
    for address in ("/", "/part/board?quiet=1"):
        assert "Nothing is running" not in looked(lively, address).text


def test_yesterday_is_summed_up(tmp_path: Path) -> None:
    start = iso(dates.midnight(config.local_now().date(), days=-1) + 3_600_000) or ""
    made = Transcript("old-one", start=start).user("go").calls("Bash", command="make")
    made.returns("no", failed=True).says("done", usage={"output_tokens": 1_000_000})
    with served(root(tmp_path / "claude", made)) as site:
        text = " ".join(looked(site, "/").text.split())

    assert "Sessions1" in text.replace(" ", "")
    assert "1, 1 failed" in text


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

    assert "1 waiting for you" in " ".join(looked(lively, "/").text.split())
