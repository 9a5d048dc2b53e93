"""What a day cost is one figure: in the header, the list, the spend page and `cost`."""

import re
from pathlib import Path

import pytest

from tests.e2e.cases import HOUR, Files, at
from tests.e2e.workspaces import Workspace
from tests.show.webs import Seen
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso

DAY = 24 * HOUR
NOON = DAY + 12 * HOUR
NOW = at(NOON + HOUR)
USAGE = {"input_tokens": 0, "output_tokens": 100_000}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A session of two days, one of the second, and one of another project."""
    made = Files(Workspace(tmp_path / "claude", tmp_path / "unspool", NOW))
    long = Transcript("s1").user("Begin").says("Begun", usage=USAGE, id="m1")
    long.wait(NOON).user("Go on").says("Gone", usage=USAGE, id="m2")
    short = Transcript("s2", start=iso(at(NOON)) or "").user("Do it")
    other = Transcript("s3", cwd="/home/dev/teapot", start=iso(at(NOON)) or "")
    made.save(
        long,
        short.says("Half d", usage=USAGE, id="m3", stop=None),
        other.user("Brew").says("Brewed", usage=USAGE, id="m4"),
    )
    made.index()
    return made


def dollars(html: str, pattern: str) -> str:
    """The figure that stands there."""
    text = " ".join(Seen(html).text.split())
    found = re.search(pattern, text)
    assert found, text
    return found[1].replace("≥ ", "≥")


def test_today_costs_the_same_wherever_it_is_shown(files: Files) -> None:
    day = (iso(NOW) or "")[:10]
    with files.workspace.served() as site:
        listed = site.ask("/sessions").text
        spend = site.ask(f"/spend?day={day}").text
        row = site.ask("/api/cost?by=daily").json()["daily"][-1]
    table = files.workspace.run("cost", "daily", "--since", day) or ""

    figure = f"≥${row['totalCost']:.2f}"
    assert (row["date"], row["lowerBound"]) == (day, True)
    assert dollars(listed, r"today (≥ \$[\d.]+)") == figure
    assert dollars(listed, r"Today, .*?, (≥ \$[\d.]+) spent that day") == figure
    assert dollars(spend, r"Spent, \S+ \S+ ?(≥ \$[\d.]+)") == figure
    assert figure in table.replace("≥ ", "≥")


def test_a_day_of_one_project_is_what_was_spent_on_it(files: Files) -> None:
    with files.workspace.served() as site:
        listed = site.ask("/projects/-home-dev-teapot").text
        day = (iso(NOW) or "")[:10]
        spend = site.ask(f"/spend?day={day}&project=-home-dev-teapot").text

    figure = dollars(spend, r"Spent, \S+ \S+ ?(\$[\d.]+)")
    assert dollars(listed, r"Today, .*?, (\$[\d.]+) spent that day") == figure


def test_where_sessions_are_filtered_their_own_costs_are_added_up(files: Files) -> None:
    with files.workspace.served() as site:
        listed = site.ask("/sessions?q=Begin").text
        (row,) = site.ask("/api/sessions?q=Begin").json()["items"]

    assert "spent that day" not in listed
    assert (
        dollars(listed, r"Today, .*?, (\$[\d.]+) in total") == f"${row['metrics']['costUsd']:.2f}"
    )
