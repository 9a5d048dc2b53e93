import re
from datetime import UTC
from itertools import pairwise
from typing import Any

from tests.show.made import NOON, PIPE, texts
from unspool.model.document import SessionInfo, SessionLink, SessionLinks, Status, TotalMetrics
from unspool.model.session import SessionSummary
from unspool.show.text.layout import Frame
from unspool.show.text.listing import session_table

INFO: dict[str, Any] = {
    "id": "3f2a1b9c-1111-2222",
    "title": "Make the limiter per tenant",
    "project_name": "api-server",
    "end_time": "2026-01-01T11:50:00Z",
    "duration_ms": 720_000,
    "status": Status("working"),
}


def summary(info: dict[str, Any] | None = None, **more: Any) -> SessionSummary:
    metrics = TotalMetrics(cost_usd=3.1, total_tokens=1_200_000)
    active = "2026-01-01T11:56:00Z"
    given = {"agents": 3, "compactions": 1, "metrics": metrics, "last_activity": active, **more}
    return SessionSummary(session=SessionInfo(**{**INFO, **(info or {})}), **given)


def test_a_wide_row_tells_all() -> None:
    row = texts(session_table([summary()], Frame(120, NOON)))[1]

    assert re.split(r"\s{2,}", row) == [
        "3f2a1b9c", "4 min ago", "api-server", "Make the limiter per tenant", "● working", "12 min",
        "$3.10", "1.2M", "3", "‖1",
    ]  # fmt: skip


def test_a_limit_says_when_it_is_reset() -> None:
    limit = Status("limited", None, "transcript", "2026-01-01T15:00:00.000Z", "You've hit it")
    wide, narrow = (
        texts(session_table([summary({"status": limit})], Frame(width, NOON, UTC)))[1]
        for width in (120, 80)
    )

    assert "◆ limited until 15:00" in wide
    assert "◆ limited  " in narrow, "and the project stays"


def test_a_narrow_row_keeps_what_matters() -> None:
    row = texts(session_table([summary()], Frame(80, NOON)))[1]

    assert re.split(r"\s{2,}", row) == [
        "3f2a1b9c", "4 min ago", "api-server", "Make the limiter per tenant", "● working", "$3.10",
    ]  # fmt: skip


def test_columns_are_dropped_one_by_one_the_least_important_first() -> None:
    heads = [
        texts(session_table([summary()], Frame(width, NOON)))[0].split()
        for width in range(140, 60, -1)
    ]
    dropped = [sorted({*before} - {*after}) for before, after in pairwise(heads)]

    assert [gone for gone in dropped if gone] == [
        ["TOKENS"], ["LENGTH"], ["AGENTS"], ["MARKS"], ["PROJECT"],
    ]  # fmt: skip


def test_a_pipe_gets_the_whole_id() -> None:
    assert texts(session_table([summary()], PIPE))[1].startswith("3f2a1b9c-1111-2222  ")


def test_a_price_that_is_not_whole_says_so() -> None:
    metrics = TotalMetrics(cost_usd=1.0, unpriced=("odd",), lower_bound=True)

    assert "≥ $1.00 +?" in texts(session_table([summary(metrics=metrics)], PIPE))[1]
    assert (
        "unpriced" in texts(session_table([summary(metrics=TotalMetrics(cost_usd=None))], PIPE))[1]
    )


def test_plans_and_forks_are_marked() -> None:
    links = SessionLinks(implementation=SessionLink("x"), forked_from=SessionLink("y"))

    assert "▸plan ⑂fork" in texts(session_table([summary({"links": links})], PIPE))[1]


def test_a_session_without_a_title_goes_by_its_goal() -> None:
    assert "Be quick" in texts(session_table([summary({"title": "", "goal": "Be quick"})], PIPE))[1]
