"""The list: by day, newest first, every row a link with its cost and marks."""

from datetime import UTC
from typing import Any

import pytest
from msgspec import structs

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.api import ProjectSummary
from unspool.model.document import SessionInfo, Status, TotalMetrics
from unspool.model.insights import ActivityStrip, CallSpan, TimeSpan
from unspool.model.session import SessionSummary
from unspool.model.usage import Spend
from unspool.show.html.sessions_page import (
    FilterChoices,
    SessionListContext,
    SessionListQuery,
    SessionsPage,
    sessions_page,
)
from unspool.show.times import ago

STRIP = ActivityStrip(turns=(TimeSpan(1, 9),), calls=(CallSpan(2, 3, True), CallSpan(4, 5)))


def summary(name: str, start: str | None = None, cost: float | None = 1.0, **more: Any) -> Any:
    told = {"id": f"id-{name}", "project_id": f"-dev-{name}", "title": name, **more}
    info = SessionInfo(start_time=start, **told)
    return SessionSummary(session=info, metrics=TotalMetrics(cost_usd=cost))


def page(
    *rows: SessionSummary, asked: SessionListQuery | None = None, **beside: Any
) -> SessionsPage:
    return sessions_page(
        rows, shell(), asked or SessionListQuery(), SessionListContext(now=NOW, zone=UTC, **beside)
    )


def hostile(text: str) -> SessionsPage:
    names = ("id", "project_id", "project_name", "title", "git_branch")
    told: dict[str, Any] = dict.fromkeys(names, text)
    one = summary("a", **told)
    asked = SessionListQuery(q=text, project=text, branch=text, model=text, least=text, more=text)
    choices = FilterChoices(
        projects=((text, text),), branches=((text, text),), models=((text, text),)
    )
    project = ProjectSummary(id=text, name=text, path=text)
    more: dict[str, Any] = {"choices": choices, "pinned": [one], "project": project}
    beside = SessionListContext(now=NOW, strips={f"{text}/{text}": STRIP}, zone=UTC, **more)
    return sessions_page([one], shell(text), asked, beside)


def test_a_limit_says_when_it_is_reset() -> None:
    limit = Status("limited", None, "transcript", "2026-11-15T23:59:00.000Z", "You've hit it")
    (day,) = page(summary("a", "2026-11-15T20:00:00.000Z", status=limit)).days

    assert day.rows[0].since == "resets 23:59"


def test_sessions_stand_under_their_day() -> None:
    made = page(
        summary("a", "2026-11-15T20:00:00.000Z", 2.0),
        summary("b", "2026-11-15T09:00:00.000Z", 1.5),
        summary("c", "2026-11-14T09:00:00.000Z", None),
        summary("d", "2026-11-01T09:00:00.000Z"),
        summary("e"),
    )

    assert [(day.name, day.summary) for day in made.days] == [
        ("Today, Sun 15 Nov", "2 sessions, $3.50 in total"),
        ("Yesterday, Sat 14 Nov", "1 session, unpriced in total"),
        ("Sun 1 Nov", "1 session, $1.00 in total"),
        ("No date", "1 session, $1.00 in total"),
    ]


@pytest.mark.parametrize(
    ("spent", "total"),
    [
        ([TotalMetrics(cost_usd=2.0), TotalMetrics(cost_usd=1.5)], "$3.50"),
        ([TotalMetrics(cost_usd=2.0), TotalMetrics(cost_usd=1.5, lower_bound=True)], "≥ $3.50"),
        ([TotalMetrics(cost_usd=2.0), TotalMetrics(cost_usd=None)], "≥ $2.00"),
    ],
)
def test_a_day_costs_at_least_its_sum_if_a_session_does(
    spent: list[TotalMetrics], total: str
) -> None:
    rows = [structs.replace(summary(str(n)), metrics=one) for n, one in enumerate(spent)]

    assert page(*rows).days[0].summary == f"2 sessions, {total} in total"


def test_a_day_says_what_was_spent_on_it_and_leads_there() -> None:
    rows = summary("a", "2026-11-15T20:00:00.000Z"), summary("b", "2026-11-01T09:00:00.000Z")
    made = page(*rows, spent={"2026-11-15": Spend(pico=3 * 10**12, lower_bound=1)})

    assert [(day.summary, day.spent) for day in made.days] == [
        ("1 session", "≥ $3.00"),
        ("1 session", "$0.00"),
    ]
    assert "/spend?day=2026-11-15" in seen(made).hrefs


def test_a_row_leads_to_its_session_and_its_project() -> None:
    hrefs = seen(page(summary("a"))).hrefs

    assert "/s/-dev-a/id-a" in hrefs
    assert "/projects/-dev-a" in hrefs


def test_what_was_asked_for_stands_in_the_form() -> None:
    asked = SessionListQuery(q="x", status="idle", branch="main", least="2", since="2026-11-01")
    made = seen(page(asked=asked, choices=FilterChoices(branches=(("main", "main"),))))
    fields = [found for found in made.all("input") if "value" in found]
    given = {found["name"]: found["value"] for found in fields}
    chosen = [found["value"] for found in made.all("option") if "selected" in found]

    assert given == {"q": "x", "since": "2026-11-01", "until": "", "least": "2", "status": "idle"}
    assert chosen == ["main"]


def test_the_list_says_how_many_of_how_many_it_shows() -> None:
    rows = [summary(str(n)) for n in range(3)]

    assert page(*rows, total=2_010).summary == "3 of 2,010 sessions"
    assert page(*rows, total=3).summary == "3 sessions"
    idle = SessionListQuery(status="idle")
    assert page(*rows, asked=idle, total=9, statuses={"idle": 4}).summary == "3 of 4 sessions"


def test_statuses_are_filters_with_counts() -> None:
    made = page(summary("a"), total=9, statuses={"idle": 8, "working": 1})

    assert [(one.name, one.count) for one in made.statuses] == [
        ("All", "9"),
        ("Working", "1"),
        ("Idle", "8"),
    ]
    assert "/sessions?status=working" in seen(made).hrefs


def test_the_status_of_a_quiet_session_says_when_it_was_last_active() -> None:
    at = "2026-11-15T20:00:00.000Z"
    (day,) = page(structs.replace(summary("a"), last_activity=at)).days

    assert (day.rows[0].kind, day.rows[0].since) == ("idle", ago(at, NOW, UTC))
    assert day.rows[0].since


def test_a_sorted_column_says_which_way() -> None:
    for sort, way in (("title", "ascending"), ("cost", "descending")):
        heads = seen(page(summary("a"), asked=SessionListQuery(sort=sort))).all("th")

        assert [head["aria-sort"] for head in heads if "aria-sort" in head] == [way]


def test_a_column_sorts_and_keeps_the_filters() -> None:
    hrefs = seen(page(summary("a"), asked=SessionListQuery(status="idle", cursor="c"))).hrefs

    assert "/sessions?status=idle&sort=cost" in hrefs


def test_another_order_has_no_days() -> None:
    rows = summary("a", "2026-11-15T20:00:00.000Z"), summary("b", "2026-11-01T20:00:00.000Z")

    assert [day.name for day in page(*rows, asked=SessionListQuery(sort="cost")).days] == [
        "By cost"
    ]


def test_pinned_sessions_come_first_and_once() -> None:
    pinned = SessionSummary(session=SessionInfo(id="id-b", project_id="-dev-b"), pinned=True)
    made = page(summary("a"), summary("b"), pinned=[pinned])

    assert [[row.session_id for row in day.rows] for day in made.days] == [["id-b"], ["id-a"]]
    assert made.days[0].name == "Pinned"


def test_pinned_sessions_are_counted_once_among_those_shown() -> None:
    pinned = SessionSummary(session=SessionInfo(id="id-b", project_id="-dev-b"), pinned=True)

    assert page(summary("a"), summary("b"), pinned=[pinned], total=9).summary == "2 of 9 sessions"


def test_a_row_counts_what_failed() -> None:
    (row,) = page(summary("a"), strips={"-dev-a/id-a": STRIP}).days[0].rows

    assert (row.errors, row.spool is not None) == (1, True)


def test_ids_and_commands_can_be_copied_and_marks_changed() -> None:
    buttons = seen(page(summary("a"))).all("button")
    copied = [found["data-copy"] for found in buttons if "data-copy" in found]

    assert copied == ["id-a", "claude --resume id-a"]
    assert [found["data-mark"] for found in buttons if "data-mark" in found] == ["pinned", "hidden"]


def test_one_project_says_what_it_came_to() -> None:
    project = ProjectSummary(id="-dev-a", name="a", path="/dev/a", sessions=3)
    made = page(summary("a"), project=project)

    assert made.title == "a"
    assert made.facts[:2] == ("/dev/a", "3 sessions")
    assert "/projects/-dev-a?sort=cost" in seen(made).hrefs


def test_more_rows_are_one_link_away() -> None:
    made = page(summary("a"), asked=SessionListQuery(more="next"))

    assert "/sessions?cursor=next" in seen(made).hrefs
    assert made.summary == "1 session so far"


def test_an_empty_list_says_why() -> None:
    assert "No sessions yet" in seen(page()).text
    assert "No sessions match" in seen(page(asked=SessionListQuery(q="x"))).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_session_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)
