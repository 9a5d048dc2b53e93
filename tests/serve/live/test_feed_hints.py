"""Pages that only want to know that there is something new."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import talk
from tests.cli.servings import Serving, serving
from tests.serve.live.listening import known, page, save


@pytest.fixture
def server(place: Path) -> Iterator[Serving]:
    with serving(place) as made:
        assert known(made, "session-one", 5)
        assert known(made, "session-two", 5)
        yield made


def test_who_wants_no_events_is_told_that_there_are_some(server: Serving, place: Path) -> None:
    with page(server) as hinted, page(server) as told:
        hinted.subscribe("session-one", events=False)
        told.subscribe("session-one")
        save(talk().says("one more"), place)

        assert told.until(lambda it: bool(it.of("event_added")))
        assert hinted.until(lambda it: bool(it.of("event_added")))
        assert len(told.of("event_added")[0]["data"]["events"]) == 1
        assert hinted.of("event_added")[0]["data"]["events"] == []


def test_who_was_away_is_told_once_that_there_may_be_some(server: Serving) -> None:
    with page(server) as hinted:
        hinted.subscribe("session-one", events=False, seq=0)

        assert hinted.until(lambda it: bool(it.of("event_added")))
        hinted.rest()
        assert len(hinted.of("event_added")) == 1


def test_who_has_seen_all_is_told_nothing(server: Serving) -> None:
    with page(server) as hinted:
        hinted.subscribe("session-one", events=False, seq=hinted.seq)
        hinted.rest()

        assert hinted.of("event_added") == []


def test_other_sessions_are_not_told_of(server: Serving, place: Path) -> None:
    with page(server) as hinted:
        hinted.subscribe("session-two", events=False)
        save(talk().says("one more"), place)

        assert hinted.until(lambda it: bool(it.of("session_update")))
        assert hinted.of("event_added") == []


def test_who_shows_no_list_is_told_of_no_rows(server: Serving, place: Path) -> None:
    with page(server, "?lists=false") as hinted, page(server) as listed:
        hinted.subscribe("session-one", events=False)
        save(talk("session-three", day=3), place)
        assert listed.until(lambda it: bool(it.of("session_update")))
        save(talk().says("one more"), place)
        assert hinted.until(lambda it: bool(it.of("event_added")))

        assert hinted.told[0]["data"] == {"sessions": [], "nextCursor": None}
        assert {one["sessionId"] for one in hinted.told[1:]} == {"session-one"}
        assert not hinted.of("session_update")


def test_who_shows_no_list_is_told_how_its_session_stands(server: Serving) -> None:
    with page(server, "?lists=false") as hinted:
        hinted.subscribe("session-one", events=False, seq=hinted.seq)

        assert hinted.until(lambda it: bool(it.of("session_updated")))
        assert hinted.of("session_updated")[0]["sessionId"] == "session-one"
