"""The list: by day, newest first, every row a link with its cost and marks."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.document import SessionInfo, TotalMetrics
from unspool.model.listing import SessionSummary
from unspool.show.charts.tape import Stretch, Tape
from unspool.show.views.sessions import Asked, SessionsPage, sessions_page


def summary(name: str, start: str | None = None, cost: float | None = 1.0, **more: Any) -> Any:
    told = {"id": f"id-{name}", "project_id": f"-dev-{name}", "title": name, **more}
    info = SessionInfo(start_time=start, **told)
    return SessionSummary(session=info, metrics=TotalMetrics(cost_usd=cost))


def page(*rows: SessionSummary, asked: Asked | None = None) -> SessionsPage:
    return sessions_page(rows, shell(), NOW, asked, zone=UTC)


def hostile(text: str) -> SessionsPage:
    names = ("id", "project_id", "project_name", "title", "git_branch")
    told: dict[str, Any] = dict.fromkeys(names, text)
    one = summary("a", **told)
    asked = Asked(needle=text, project=text, more=text)
    tapes = {f"{text}/{text}": Tape(turns=(Stretch(0, 1),))}
    return sessions_page([one], shell(text), NOW, asked, tapes, UTC)


def test_sessions_stand_under_the_day_they_began_on() -> None:
    made = page(
        summary("a", "2026-11-15T20:00:00.000Z", 2.0),
        summary("b", "2026-11-15T09:00:00.000Z", 1.5),
        summary("c", "2026-11-14T09:00:00.000Z", None),
        summary("d", "2026-11-01T09:00:00.000Z"),
        summary("e"),
    )

    assert [(day.name, day.say) for day in made.days] == [
        ("Today, Sun 15 Nov", "2 sessions, $3.50"),
        ("Yesterday, Sat 14 Nov", "1 session, $0.00"),
        ("Sun 1 Nov", "1 session, $1.00"),
        ("No time known", "1 session, $1.00"),
    ]


def test_a_row_leads_to_its_session_and_its_project() -> None:
    hrefs = seen(page(summary("a"))).hrefs

    assert "/s/-dev-a/id-a" in hrefs
    assert "/projects/-dev-a" in hrefs


def test_the_chosen_filter_is_marked_and_keeps_the_words() -> None:
    made = seen(page(asked=Asked(needle="x", status="idle")))
    (chosen,) = [found for found in made.all("a") if found.get("aria-current") == "true"]

    assert chosen["href"] == "/sessions?q=x&status=idle"


def test_more_rows_are_one_link_away() -> None:
    made = page(summary("a"), asked=Asked(more="next"))

    assert "/sessions?cursor=next" in seen(made).hrefs
    assert made.say == "1 session so far"


def test_an_empty_list_says_why() -> None:
    assert "No sessions yet" in seen(page()).text
    assert "No session fits" in seen(page(asked=Asked(needle="x"))).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_session_becomes_an_element(text: str) -> None:
    made = seen(hostile(text))

    assert made.shape == seen(hostile("calm")).shape
    assert all(href.startswith(("/", "#main")) for href in made.hrefs)
