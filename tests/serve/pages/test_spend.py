from urllib.parse import quote

import pytest

from tests.serve.pages.generated import Generated, got
from tests.serve.served import Served
from unspool.engine.usage.cost import CostQuery
from unspool.engine.usage.spending import index_totals, spend_by_hour


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
    found = made.site.context.insights.causes(0, 2**62)
    agents = sum(one.pico for one in found.askers if one.name != "You and Claude")

    assert found.pico == made.truth.totals["usdPico"]
    assert agents == sum(one["subagents"]["usdPico"] for one in made.sessions.values())


@pytest.mark.parametrize("side", ["kinds", "askers", "tools"])
def test_every_side_comes_to_the_truth(made: Generated, side: str) -> None:
    found = getattr(made.site.context.insights.causes(0, 2**62), side)

    assert sum(one.pico for one in found) == made.truth.totals["usdPico"]


def test_the_hours_of_the_week_come_to_the_truth(made: Generated) -> None:
    hours = spend_by_hour(index_totals(made.site.context.store, CostQuery()))
    assert sum(hours.values()) == pytest.approx(made.truth.totals["usdPico"] / 10**12)


@pytest.mark.parametrize("by", ["daily", "weekly", "monthly"])
@pytest.mark.parametrize("range", ["today", "7", "30", "365", "all"])
def test_every_range_can_be_seen_by_day_week_and_month(
    made: Generated, range: str, by: str
) -> None:
    assert made.page(f"/spend?range={range}&by={by}").all("h1")


def test_one_project_is_only_its_own(made: Generated) -> None:
    sums: dict[str, int] = {}
    for one in made.sessions.values():
        sums[one["projectId"]] = sums.get(one["projectId"], 0) + one["total"]["usdPico"]
    project = max(sums, key=lambda name: (sums[name], name))
    found = made.site.context.insights.causes(0, 2**62, (project,))

    assert usd(found.pico)[:-3] in made.page(f"/spend?range=all&project={quote(project)}").text
    assert found.pico <= made.truth.totals["usdPico"]


@pytest.mark.parametrize("range", ["soon", "0", "-1", "99999"])
def test_there_is_no_such_time(site: Served, range: str) -> None:
    assert got(site, f"/spend?range={range}").status_code == 400
