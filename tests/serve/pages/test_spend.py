import json
import re
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from tests.cli.runs import process
from tests.serve.pages.generated import Generated, got, looked
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.engine.usage.cost import CostQuery
from unspool.engine.usage.spending import index_totals, spend_by_hour
from unspool.show.labels import model_label


def usd(pico: int) -> str:
    return f"${pico / 10**12:,.2f}"


def test_the_whole_is_the_truth(made: Generated) -> None:
    text = made.page("/spend?range=all").text
    dollars, _, cents = usd(made.truth.totals["usdPico"]).partition(".")

    assert dollars in text
    assert f".{cents}" in text
    assert f"{made.truth.totals['messages']:,} responses" in text


def test_every_model_has_its_true_cost(made: Generated) -> None:
    text = made.page("/spend?range=all").text
    told = sorted((one["usdPico"] for one in made.truth.models.values()), reverse=True)

    assert all(usd(pico) in text for pico in told[:6] if pico > 10**10)


def test_what_agents_cost_is_the_truth(made: Generated) -> None:
    found = made.site.context.insights.causes(None)
    agents = sum(one.pico for one in found.askers if one.name != "Main conversation")

    assert found.pico == made.truth.totals["usdPico"]
    assert agents == sum(one["subagents"]["usdPico"] for one in made.sessions.values())


@pytest.mark.parametrize("side", ["kinds", "askers", "tools"])
def test_every_side_comes_to_the_truth(made: Generated, side: str) -> None:
    found = getattr(made.site.context.insights.causes(None), side)

    assert sum(one.pico for one in found) == made.truth.totals["usdPico"]


def test_the_hours_of_the_week_come_to_the_truth(made: Generated) -> None:
    hours = spend_by_hour(index_totals(made.site.context.store, CostQuery()))
    assert sum(one.usd for one in hours.values()) == pytest.approx(
        made.truth.totals["usdPico"] / 10**12
    )


@pytest.mark.parametrize("by", ["daily", "weekly", "monthly"])
@pytest.mark.parametrize("range", ["today", "7", "28", "month", "365", "all"])
def test_every_range_can_be_seen_by_day_week_and_month(
    made: Generated, range: str, by: str
) -> None:
    assert made.page(f"/spend?range={range}&by={by}").all("h1")


def test_one_project_is_only_its_own(made: Generated) -> None:
    sums: dict[str, int] = {}
    for one in made.sessions.values():
        sums[one["projectId"]] = sums.get(one["projectId"], 0) + one["total"]["usdPico"]
    project = max(sums, key=lambda name: (sums[name], name))
    found = made.site.context.insights.causes(None, (project,))

    assert usd(found.pico)[:-3] in made.page(f"/spend?range=all&project={quote(project)}").text
    assert found.pico <= made.truth.totals["usdPico"]


def first_day(made: Generated) -> date:
    times = [row.first_activity for row in made.site.context.projects.all()]
    return date.fromisoformat(min(at for at in times if at)[:10])


def report(made: Generated, *args: str) -> dict[str, Any]:
    """What `unspool cost --json` says of the same root."""
    root = made.site.context.config.roots[0].path
    done = process("cost", *args, "--json", "--root", root)
    assert not done.code, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_any_days_cost_what_the_command_line_says(made: Generated, seed: int) -> None:
    chance = Random(seed)
    first = first_day(made) + timedelta(days=chance.randrange(-2, 20))
    last = first + timedelta(days=chance.randrange(12))
    told = report(made, "--since", str(first), "--until", str(last))["totals"]
    seen = made.page(f"/spend?range=all&by=daily&from={first}&to={last}")
    dollars, _, cents = f"${told['totalCost']:,.2f}".partition(".")

    assert f"{dollars}.{cents}" in seen.text.replace(" ", "")
    assert f"{told['responses']:,} response" in seen.text


def test_projects_and_sessions_and_turns_add_up_to_the_days(made: Generated) -> None:
    first = first_day(made)
    days = f"range=all&from={first}&to={first + timedelta(days=9)}"
    told = report(made, "session", "--since", str(first), "--until", f"{first + timedelta(days=9)}")
    rows = [row for row in told["sessions"] if row["totalCost"]]
    row = rows[0]
    sessions = made.page(f"/part/spend/sessions?{days}&project={quote(row['projectId'])}").text
    place = f"{quote(row['projectId'])}/{row['sessionId']}"
    turns = got(made.site, f"/part/spend/turns/{place}?{days}").text
    costs = [float(text) for text in re.findall(r"\$([0-9.]+)", turn_summaries(turns))]

    assert usd(int(row["totalCost"] * 10**12)) in sessions
    assert sum(costs) == pytest.approx(row["totalCost"], abs=0.006 * len(costs))


def turn_summaries(turns: str) -> str:
    """Their own figures, without those of steps and agents."""
    found = re.findall(r"<summary.*?</summary>", turns, re.DOTALL)
    return " ".join(re.sub(r"<span class=\"dlt.*?</span>", "", one) for one in found)


def test_a_step_of_the_drill_down_opens(made: Generated) -> None:
    row = report(made, "session")["sessions"][0]
    place = f"{quote(row['projectId'])}/{row['sessionId']}"
    steps = made.page(f"/part/spend/turns/{place}?range=all").hrefs

    assert [href for href in steps if "at=" in href]
    for href in steps[:5]:
        address, _, place = href.partition("#")
        assert f'id="{place}"' in got(made.site, address).text


def step_address(site: Served, href: str) -> str:
    """Where the address of an event leads: to the step that shows it."""
    answer = got(site, href)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_a_model_is_only_its_own(made: Generated) -> None:
    told = report(made, "model")["models"][0]
    label = model_label(told["modelName"])
    seen = made.page(f"/spend?range=all&model={quote(label)}")

    assert f"{told['responses']:,} responses" in seen.text


def test_a_cache_break_leads_to_its_step(tmp_path: Path, home: Path) -> None:
    filled = {"cache_creation_input_tokens": 90_000}
    made = Transcript(uuid_prefix="b").user("go").says("one", usage=filled)
    made.user("again").says("two", usage=filled).save(tmp_path)
    with served(tmp_path) as site:
        hrefs = looked(site, "/spend?range=all").hrefs
        (step,) = (href for href in hrefs if href.startswith("/s/") and "at=" in href)
        address = step_address(site, step)

    assert address.endswith("#step-bu4-output-0")


@pytest.mark.parametrize("asked", ["day=soon", "from=1", "to=2026-13-01"])
def test_there_is_no_such_day(site: Served, asked: str) -> None:
    assert got(site, f"/spend?{asked}").status_code == 400


@pytest.mark.parametrize(
    "asked", ["from=2026-01-02", "to=2026-01-02", "from=2026-01-03&to=2026-01-01"]
)
def test_days_may_be_open_or_turned_round(site: Served, asked: str) -> None:
    assert got(site, f"/spend?{asked}").status_code == 200


def test_the_part_is_what_the_page_shows(made: Generated) -> None:
    page, part = (got(made.site, f"{path}?range=all").text for path in ("/spend", "/part/spend"))

    assert part.strip() in page


@pytest.mark.parametrize("range", ["soon", "0", "-1", "99999"])
def test_there_is_no_such_time(site: Served, range: str) -> None:
    assert got(site, f"/spend?range={range}").status_code == 400
