"""The spend page: one figure, days by model, and nothing that the reports do not prove."""

from typing import Any

import pytest

from tests.show.webs import HOSTILE, seen, shell
from unspool.model.api import BlockItem, CostAnswer, CostItem, CostSums, ModelBreakdown
from unspool.model.insights import CacheBreak, Cause, Causes
from unspool.show.html.spend_page import SpendPage, SpendQuery, SpendReports, spend_page


def day(date: str, **models: float) -> CostItem:
    parts = tuple(
        ModelBreakdown(model_name=f"claude-{name}", cost=usd) for name, usd in models.items()
    )
    return CostItem(date=date, total_cost=sum(models.values()), model_breakdowns=parts)


def page(*days: CostItem, totals: CostSums | None = None, **more: Any) -> SpendPage:
    spent = totals or CostSums(total_cost=sum(one.total_cost or 0 for one in days))
    periods = CostAnswer(daily=days, totals=spent)
    return spend_page(SpendReports(periods=periods, **more), shell(), SpendQuery())


def lost(why: str, usd: int, session: str = "s") -> CacheBreak:
    pico = usd * 10**12
    return CacheBreak(why=why, project_id="p", session_id=session, at=1, tokens=9_000, pico=pico)


def hostile(text: str) -> SpendPage:
    one = CostItem(date=text, model_breakdowns=(ModelBreakdown(model_name=text, cost=1.0),))
    project = CostItem(project_id=text, project_path=text, total_cost=1.0)
    totals = CostSums(total_cost=1.0, unpriced=(text,))
    more: dict[str, Any] = {"projects": CostAnswer(projects=(project,)), "causes": causes(text)}
    blocks = CostAnswer(blocks=(BlockItem(id=text, start_time=text, end_time=text, cost_usd=1.0),))
    more |= {"names": {("p", "s"): text}, "choices": ((text, text),)}
    return page(one, totals=totals, blocks=blocks, hours={(0, 0): 1.0}, **more)


def causes(text: str) -> Causes:
    one = (Cause(name=text, pico=10**12),)
    return Causes(pico=10**12, kinds=one, askers=one, tools=one, breaks=(lost(text, 1),))


def test_the_sum_is_one_big_figure() -> None:
    made = page(day("2026-11-09", opus=1_525.28))

    assert (made.dollars, made.cents, made.mark) == ("1,525", "28", "")


def test_a_sum_that_lacks_a_price_is_a_lower_bound() -> None:
    made = page(totals=CostSums(total_cost=1.0, unpriced=("claude-new",)))

    assert (made.mark, made.unpriced) == ("≥", "new")


def test_days_are_drawn_from_the_oldest_however_they_came() -> None:
    made = page(day("2026-11-09", opus=1.0), day("2026-10-31", opus=2.0))

    names = [row[0] for row in made.days.rows]
    assert (names[0], names[-1]) == ("31 Oct", "9 Nov")


def test_days_on_which_nothing_ran_have_their_place() -> None:
    made = page(day("2026-10-30", opus=1.0), day("2026-11-02", opus=1.0))

    assert [row[0] for row in made.days.rows] == ["30 Oct", "31 Oct", "1 Nov", "2 Nov"]


@pytest.mark.parametrize(
    ("asked", "item", "names"),
    [
        (SpendQuery(range="365"), "week", ["26 Oct", "2 Nov", "9 Nov"]),
        (SpendQuery(range="all"), "month", ["Sep 2026", "Oct 2026", "Nov 2026"]),
    ],
)
def test_a_long_time_is_drawn_by_week_or_month(
    asked: SpendQuery, item: str, names: list[str]
) -> None:
    ends = {"week": ("2026-10-26", "2026-11-09"), "month": ("2026-09", "2026-11")}[item]
    rows: Any = [CostItem(**{item: at}, total_cost=1.0) for at in ends]  # type: ignore[arg-type]
    named: Any = {f"{item}ly": tuple(rows)}
    answer = CostAnswer(**named, totals=CostSums(total_cost=2.0))
    made = spend_page(SpendReports(periods=answer), shell(), asked)

    assert [row[0] for row in made.days.rows] == names


def test_every_side_of_the_whole_is_ranked() -> None:
    made = page(day("2026-11-09", opus=1.0), causes=causes("Bash"))

    assert [(name, found.rows[0].name) for name, _, found in made.parts] == [
        ("By tool, MCP server and skill", "Bash"),
        ("By token type", "Bash"),
        ("By agent", "Bash"),
    ]


def test_what_was_lost_is_told_by_reason_and_is_an_estimate() -> None:
    breaks = (lost("a pause", 3), lost("another model", 2, "t"), lost("a pause", 1))
    made = page(day("2026-11-09", opus=8.0), causes=Causes(pico=8 * 10**12, breaks=breaks))

    assert made.cache_breaks == "3 cache breaks cost about $6.00, 75% of the total"
    assert [(one.why, one.cost, one.note) for one in made.reasons] == [
        ("A pause", "$4.00", "2 times"),
        ("Another model", "$2.00", "1 times"),
    ]
    assert "/s/p/t" in seen(made).hrefs


def test_nothing_lost_is_said_too() -> None:
    assert page(day("2026-11-09", opus=1.0)).cache_breaks == "No cost from cache breaks"


def test_the_finding_is_the_dearest_day() -> None:
    made = page(day("2026-11-09", opus=1.0), day("2026-11-10", opus=3.0))

    assert made.finding == "10 Nov was the most expensive day: $3.00, 75% of the total"


def test_nothing_spent_says_so() -> None:
    made = page()

    assert made.finding == "No usage"
    assert "No usage matches these filters" in seen(made).text


def test_a_project_is_called_by_its_directory_and_leads_to_it() -> None:
    row = CostItem(project_id="-dev-app", project_path="/dev/app", total_cost=1.0)
    made = page(day("2026-11-09", opus=1.0), projects=CostAnswer(projects=(row,)))

    assert made.projects.rows[0].name == "app"
    assert "/projects/-dev-app" in seen(made).hrefs


def test_gaps_are_no_blocks_and_the_newest_comes_first() -> None:
    items = tuple(BlockItem(id=str(n), start_time=f"2026-11-0{n}T12:00:00.000Z") for n in (1, 2))
    made = page(blocks=CostAnswer(blocks=(*items, BlockItem(id="g", is_gap=True))))

    assert [block.name[:5] for block in made.blocks] == ["2 Nov", "1 Nov"]


def test_the_share_of_the_cache_is_told_from_the_counts() -> None:
    totals = CostSums(total_cost=1.0, total_tokens=200, cache_read_tokens=150, responses=3)

    assert "200 tokens, 75% read from the cache" in page(totals=totals).summary


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_of_a_model_or_project_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)


def test_what_was_forgotten_is_said_to_be_missing() -> None:
    answer = CostAnswer(totals=CostSums(total_cost=2.0), forgotten=2)

    made = spend_page(SpendReports(periods=answer), shell(), SpendQuery())
    assert made.forgotten == "2 sessions"
