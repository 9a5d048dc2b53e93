"""`/api/sessions/{sessionId}/events` and its neighbours, asked as a page would."""

from typing import Any

import pytest

from tests.serve.served import Served, problem

EVENTS = "/api/sessions/session-one/events"


def items(site: Served, path: str) -> list[Any]:
    answer = site.ask(path)
    assert answer.status_code == 200, answer.text
    found: list[Any] = answer.json()["items"]
    return found


def test_events_have_the_names_of_the_contract(site: Served) -> None:
    event = items(site, EVENTS)[2]

    assert (event["eventType"], event["toolName"]) == ("pre_tool_use", "Bash")
    assert event["sources"] == ["transcript"]
    assert event["eventId"].count(".") == 2
    assert set(event) >= {"sessionId", "timestamp", "subagentId", "eventUuid", "durationMs"}
    assert set(event) >= {"tokensInput", "tokensOutput", "tokensCacheCreation", "tokensCacheRead"}


def test_a_result_has_the_time_its_call_took(site: Served) -> None:
    assert items(site, EVENTS)[3]["durationMs"] > 0


def test_all_of_them_are_of_the_main_conversation_here(site: Served) -> None:
    assert items(site, f"{EVENTS}/main") == items(site, EVENTS)
    assert items(site, f"{EVENTS}/subagent/abc") == []


def test_one_event_is_given_whole(site: Served) -> None:
    event = items(site, EVENTS)[0]
    full = site.ask(f"{EVENTS}/{event['eventId']}/full").json()

    assert full["event"] == event
    assert full["eventData"]["message"]["content"] == "alpha prompt of session-one"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/sessions/nobody/events", 404),
        (f"{EVENTS}?project=-elsewhere", 404),
        (f"{EVENTS}/1.2.3/full", 404),
        (f"{EVENTS}/nonsense/full", 400),
        (f"{EVENTS}?limit=0", 400),
        (f"{EVENTS}?limit=201", 400),
        (f"{EVENTS}?cursor=nonsense", 404),
        ("/api/sessions/.hidden/events", 404),
        ("/api/sessions/a%00b/events", 400),
    ],
)
def test_what_cannot_be_given_is_a_problem(site: Served, path: str, status: int) -> None:
    answer = site.ask(path)

    assert (answer.status_code, problem(answer)["status"]) == (status, status)
