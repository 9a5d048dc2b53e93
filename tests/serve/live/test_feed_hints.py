"""Pages that only want to know that there is something new."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.serve.live.listening import Page, known, page, save
from unspool.demo import Transcript


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return root(tmp_path_factory.mktemp("hints") / "claude")


@pytest.fixture(scope="module")
def server(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for all: each test has sessions of its own."""
    home = tmp_path_factory.mktemp("unspool")
    with serving(place, "--port", "0", UNSPOOL_HOME=str(home)) as made:
        yield made


@pytest.fixture
def made(server: Serving, place: Path, request: pytest.FixtureRequest) -> Transcript:
    """A session that the server knows."""
    session = talk(f"of-{request.node.name.removeprefix('test_')}")
    save(session, place)
    assert known(server, session.session, 5)
    return session


def told_of(it: Page) -> set[str]:
    """Sessions of whose rows a page was told."""
    return {message["sessionId"] for message in it.of("session_update")}


def test_who_wants_no_events_is_told_that_there_are_some(
    server: Serving, place: Path, made: Transcript
) -> None:
    with page(server) as hinted, page(server) as told:
        hinted.subscribe(made.session, events=False)
        told.subscribe(made.session)
        save(made.says("one more"), place)

        assert told.until(lambda it: bool(it.of("event_added")))
        assert hinted.until(lambda it: bool(it.of("event_added")))
        assert len(told.of("event_added")[0]["data"]["events"]) == 1
        assert hinted.of("event_added")[0]["data"]["events"] == []


def test_who_was_away_is_told_once_that_there_may_be_some(
    server: Serving, made: Transcript
) -> None:
    with page(server) as hinted:
        hinted.subscribe(made.session, events=False, seq=0)

        assert hinted.until(lambda it: bool(it.of("event_added")))
        hinted.rest()
        assert len(hinted.of("event_added")) == 1


def test_who_has_seen_all_is_told_nothing(server: Serving, made: Transcript) -> None:
    with page(server) as hinted:
        hinted.subscribe(made.session, events=False, seq=hinted.seq)
        hinted.rest()

        assert hinted.of("event_added") == []


def test_other_sessions_are_not_told_of(server: Serving, place: Path, made: Transcript) -> None:
    other = talk("of-another")
    save(other, place)
    assert known(server, other.session, 5)
    with page(server) as hinted:
        hinted.subscribe(made.session, events=False)
        save(other.says("one more"), place)

        assert hinted.until(lambda it: other.session in told_of(it))
        assert hinted.of("event_added") == []


def test_who_shows_no_list_is_told_of_no_rows(
    server: Serving, place: Path, made: Transcript
) -> None:
    with page(server, "?lists=false") as hinted, page(server) as listed:
        hinted.subscribe(made.session, events=False)
        save(talk("session-three", day=3), place)
        assert listed.until(lambda it: "session-three" in told_of(it))
        save(made.says("one more"), place)
        assert hinted.until(lambda it: bool(it.of("event_added")))

        assert hinted.told[0]["data"] == {"sessions": [], "nextCursor": None}
        assert {one["sessionId"] for one in hinted.told[1:]} == {made.session}
        assert not hinted.of("session_update")


def test_who_shows_no_list_is_told_how_its_session_stands(
    server: Serving, made: Transcript
) -> None:
    with page(server, "?lists=false") as hinted:
        hinted.subscribe(made.session, events=False, seq=hinted.seq)

        assert hinted.until(lambda it: bool(it.of("session_updated")))
        assert hinted.of("session_updated")[0]["sessionId"] == made.session
