"""The spend page: one figure, days by model, and nothing that the reports do not prove."""

from datetime import date
from typing import Any

import pytest
from msgspec import structs

from tests.show.webs import HOSTILE, seen, shell
from unspool.model.api import BlockItem, CostAnswer, CostItem, CostSums, ModelBreakdown
from unspool.model.insights import CacheBreak, Cause, Causes
from unspool.model.usage import HourSpend
from unspool.show.html.spend_days import Days
from unspool.show.html.spend_page import (
    SpendPage,
    SpendQuery,
    SpendReports,
    TopSession,
    spend_page,
    top_session,
)


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
    more |= {"top": TopSession(project_id=text, session_id=text, title=text, usd=1.0)}
    blocks = CostAnswer(blocks=(BlockItem(id=text, start_time=text, end_time=text, cost_usd=1.0),))
    more |= {"names": {("p", "s"): text}, "choices": ((text, text),)}
    return page(one, totals=totals, blocks=blocks, hours={(0, 0): HourSpend(1.0, text)}, **more)


def causes(text: str) -> Causes:
    one = (Cause(name=text, pico=10**12),)
    worst = (lost(text, 1),)
    kinds = (Cause(name="output", pico=10**12),)
    sides = Causes(pico=10**12, kinds=kinds, askers=one, tools=one, breaks=one, worst_breaks=worst)
    return structs.replace(sides, skills=one, mcp_servers=one, commands=one)


def test_the_sum_is_one_big_figure() -> None:
    made = page(day("2026-11-09", opus=1_525.28))

    assert (made.dollars, made.cents, made.mark) == ("1,525", "28", "")


def test_a_sum_that_lacks_a_price_is_a_lower_bound() -> None:
    made = page(totals=CostSums(total_cost=1.0, unpriced=("claude-new",)))

    assert (made.mark, made.unpriced) == ("≥", "new")


def test_days_are_drawn_from_the_oldest_however_they_came() -> None:
    made = page(day("2026-11-09", opus=1.0), day("2026-10-31", opus=2.0))

    names = [row[0] for row in made.days.rows]
    assert (names[0], names[-1]) == ("Sat 31 Oct", "Mon 9 Nov")


def test_days_on_which_nothing_ran_have_their_place() -> None:
    made = page(day("2026-10-30", opus=1.0), day("2026-11-02", opus=1.0))

    assert [row[0] for row in made.days.rows] == [
        "Fri 30 Oct",
        "Sat 31 Oct",
        "Sun 1 Nov",
        "Mon 2 Nov",
    ]


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

    assert [(side.title, side.rows.rows[0].name) for side in made.sides] == [
        ("By tool, MCP server and skill", "Bash"),
        ("By agent", "Bash"),
        ("By skill", "Bash"),
        ("By MCP server", "Bash"),
        ("By slash command", "Bash"),
    ]
    assert "/tools?tool=Bash&range=28" in seen(made).hrefs


def test_what_was_lost_is_told_by_reason_and_is_an_estimate() -> None:
    pause = Cause(name="a pause", pico=4 * 10**12, responses=2)
    model = Cause(name="another model", pico=2 * 10**12, responses=1)
    worst = (lost("a pause", 3), lost("another model", 2, "t"), lost("a pause", 1))
    found = Causes(pico=8 * 10**12, breaks=(pause, model), worst_breaks=worst)
    made = page(day("2026-11-09", opus=8.0), causes=found)

    assert made.cache_breaks == "3 cache breaks cost about $6.00, 75% of the total"
    assert [(one.why, one.cost, one.note) for one in made.reasons] == [
        ("A pause", "$4.00", "2 times"),
        ("Another model", "$2.00", "1 time"),
    ]
    assert "/s/p/t" in seen(made).hrefs


def test_a_cache_break_leads_to_its_step() -> None:
    broken = structs.replace(lost("a pause", 3), event_id="1.0.500", agent="a1")
    reason = Cause(name="a pause", pico=3 * 10**12, responses=1)
    found = Causes(pico=8 * 10**12, breaks=(reason,), worst_breaks=(broken,))
    made = page(day("2026-11-09", opus=8.0), causes=found)

    assert "/s/p/s?agent=a1&at=1.0.500" in seen(made).hrefs


@pytest.mark.parametrize(("waiting", "said"), [(1, "1 session"), (1_200, "1,200 sessions")])
def test_sessions_that_are_not_added_up_by_cause_yet_are_told(waiting: int, said: str) -> None:
    made = page(day("2026-11-09", opus=1.0), causes=Causes(pico=10**12, waiting=waiting))

    assert f"Causes are still being updated for {said}." in seen(made).text
    assert "Causes do not yet include" not in seen(page(day("2026-11-09", opus=1.0))).text


def test_nothing_lost_is_said_too() -> None:
    assert page(day("2026-11-09", opus=1.0)).cache_breaks == "No cost from cache breaks"


def test_the_headline_is_the_most_expensive_day() -> None:
    made = page(day("2026-11-09", opus=1.0), day("2026-11-10", opus=3.0))

    assert made.headline == "Tue 10 Nov was the most expensive day: $3.00, 75% of the total"


def test_nothing_spent_says_so() -> None:
    made = page()

    assert made.headline == "No usage"
    assert "No usage matches these filters" in seen(made).text


def test_a_project_is_called_by_its_directory_and_leads_to_it() -> None:
    row = CostItem(project_id="-dev-app", project_path="/dev/app", total_cost=1.0)
    made = page(day("2026-11-09", opus=1.0), projects=CostAnswer(projects=(row,)))

    assert made.projects[0].name == "app"
    assert "/projects/-dev-app" in seen(made).hrefs


SPENT = {"2026-11-09": 6.0, "2026-10-12": 4.0, "2026-10-13": 9.0, "2026-11-10": 1.0}
WEEK = Days(date(2026, 11, 4), date(2026, 11, 10))
MONDAY = Days(date(2026, 11, 9), date(2026, 11, 9))


def chosen(days: Days | None, **more: Any) -> SpendPage:
    rows = day("2026-11-09", opus=6.0), day("2026-11-10", haiku=1.0)
    one = CostItem(model_name="claude-opus", total_cost=6.0)
    part = CostAnswer(models=(one,), totals=CostSums(total_cost=6.0)) if days else None
    return page(
        *rows, chosen=part, days=SPENT, window=WEEK, days_chosen=days, today=WEEK.last, **more
    )


def test_a_bar_is_a_link_to_its_day_and_has_the_same_day_four_weeks_earlier() -> None:
    made = chosen(None)

    assert "/spend?range=28&day=2026-11-09" in seen(made).hrefs
    assert made.days.rows[5][-1] == "$4.00"
    assert len(made.days.bars) == 7


def test_a_chosen_day_has_its_own_figure_delta_and_legend() -> None:
    made = chosen(MONDAY)

    assert (made.dollars, made.cents, made.title) == ("6", "00", "Spent, 9 Nov")
    assert (made.delta, made.delta_text) == (
        "+50 %",
        "compared with the same day four weeks earlier ($4.00)",
    )
    assert made.chosen == "9 Nov · $6.00"
    assert [(one.name, one.cost) for one in made.days.key] == [
        ("opus", "$6.00"),
        ("haiku", "$0.00"),
    ]
    assert [bar.is_off for bar in made.days.bars] == [True] * 5 + [False, True]


def test_the_whole_window_says_how_the_month_will_end_and_a_part_does_not() -> None:
    whole, part = (
        "".join(text for text, _ in one.finding) for one in (chosen(None), chosen(MONDAY))
    )

    assert whole.endswith("At this rate November ends at ≈ $21.")
    assert "At this rate" not in part


def test_a_part_names_its_most_expensive_session() -> None:
    top = TopSession(project_id="p", session_id="s", title="Bug hunt", usd=5.0)
    found = seen(chosen(MONDAY, top=top))

    assert "Most expensive: Bug hunt, $5.00." in found.text
    assert "/s/p/s" in found.hrefs


def test_the_finding_is_the_largest_cause_and_what_was_avoidable() -> None:
    kinds = Cause(name="read", pico=6 * 10**12), Cause(name="output", pico=2 * 10**12)
    made = chosen(MONDAY, causes=Causes(pico=8 * 10**12, kinds=kinds, avoidable=10**12))

    assert "".join(text for text, _ in made.finding) == (
        "75 % went into cache reads. $1.00 was avoidable: cache breaks and loops. "
    )


def test_days_and_filters_are_kept_in_every_address() -> None:
    query = SpendQuery(project="p", machine="laptop", first="2026-11-01", last="2026-11-05")

    assert query.but(by="weekly") == {
        "range": "28", "by": "weekly", "project": "p", "machine": "laptop", "model": "",
        "from": "2026-11-01", "to": "2026-11-05",
    }  # fmt: skip
    assert query.but(last="2026-11-01")["day"] == "2026-11-01"


def test_gaps_are_no_blocks_and_the_newest_comes_first() -> None:
    items = tuple(BlockItem(id=str(n), start_time=f"2026-11-0{n}T12:00:00.000Z") for n in (1, 2))
    made = page(blocks=CostAnswer(blocks=(*items, BlockItem(id="g", is_gap=True))))

    assert [block.name[:5] for block in made.blocks] == ["2 Nov", "1 Nov"]


def test_the_share_of_the_cache_is_told_from_the_counts() -> None:
    totals = CostSums(total_cost=1.0, total_tokens=200, cache_read_tokens=150, responses=3)

    assert "200 tokens, 75% read from the cache" in page(totals=totals).summary


@pytest.mark.parametrize("kind", ["daily", "weekly", "monthly"])
def test_every_bar_leads_to_all_its_days(kind: str) -> None:
    fields = {"daily": "date", "weekly": "week", "monthly": "month"}
    at = "2026-11" if kind == "monthly" else "2026-11-08"
    row: Any = CostItem(**{fields[kind]: at}, total_cost=1.0)  # type: ignore[arg-type]
    answer: Any = CostAnswer(**{kind: (row,)}, totals=CostSums(total_cost=1.0))  # type: ignore[arg-type]
    (bar,) = spend_page(SpendReports(periods=answer), shell(), SpendQuery(by=kind)).days.bars

    assert (bar.first, bar.last) == {
        "daily": ("2026-11-08", "2026-11-08"),
        "weekly": ("2026-11-08", "2026-11-14"),
        "monthly": ("2026-11-01", "2026-11-30"),
    }[kind]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_of_a_model_or_project_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)


def test_what_was_forgotten_is_said_to_be_missing() -> None:
    answer = CostAnswer(totals=CostSums(total_cost=2.0), forgotten=2)

    made = spend_page(SpendReports(periods=answer), shell(), SpendQuery())
    assert made.forgotten == "2 sessions"


def test_the_first_session_of_a_report_is_the_most_expensive_if_it_cost_anything() -> None:
    first, other = (
        CostItem(project_id="p", session_id=id, total_cost=usd)
        for id, usd in (("s", 3.0), ("t", 1.0))
    )
    free = CostItem(project_id="p", session_id="s", total_cost=0.0)

    assert top_session(CostAnswer(sessions=(first, other)), {("p", "s"): "Make\nit"}) == TopSession(
        project_id="p", session_id="s", title="Make it", usd=3.0
    )
    assert top_session(CostAnswer(sessions=(free,)), {}) is None
    assert top_session(CostAnswer(), {}) is None


def test_what_looks_like_a_day_and_is_none_has_its_bar() -> None:
    made = page(day("2026-02-31", opus=1.0), day("2026-02-28", opus=1.0))

    assert len(made.days.rows) == 2


def test_every_link_to_what_is_of_a_project_keeps_project_and_machine() -> None:
    reports = SpendReports(
        periods=CostAnswer(daily=(day("2026-11-09", opus=1.0),)),
        causes=structs.replace(causes("x"), looped=10**12),
        machines=(("desk", "desk"), ("laptop", "laptop")),
    )
    query = SpendQuery(project="p", machine="laptop")
    hrefs = seen(spend_page(reports, shell(), query)).hrefs
    kept = [one for one in hrefs if "project=p" in one]

    assert {one.partition("?")[0] for one in kept} == {"/spend", "/sessions", "/tools"}
    assert any(one.endswith("#loops") for one in kept)
    assert [one for one in kept if "machine=laptop" not in one] == []
