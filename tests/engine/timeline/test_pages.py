"""Pages of a timeline, one event whole, and which timelines stay open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import hook_log, root, talk
from tests.serve.served import Served, served
from unspool.engine.timeline.pages import EventCursor, EventQuery, Timelines
from unspool.engine.timeline.timeline import Timeline
from unspool.errors import NotFound
from unspool.model.query import SessionKey

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 8 + "AA"
KINDS = ["user_prompt", "thinking", "pre_tool_use", "post_tool_use", "assistant_text"]


NAME = "-home-dev-kettle", "session-one"


def asked(limit: int = 50, cursor: EventCursor | None = None, newest: bool = False) -> EventQuery:
    return EventQuery(limit=limit, cursor=cursor, newest=newest)


def timelines_of(site: Served, budget: int = 50_000_000) -> Timelines:
    around = site.context.config
    return Timelines(around.store, around.roots, around.redactor, budget)


@pytest.fixture
def timelines(site: Served) -> Timelines:
    return timelines_of(site)


@pytest.fixture
def secret(tmp_path: Path) -> Iterator[Timelines]:
    said = "x" * 450 + " " + KEY
    with served(root(tmp_path / "secret", talk().user(said))) as made:
        yield timelines_of(made)


def test_a_session_is_told_event_by_event(timelines: Timelines) -> None:
    page = timelines.page(NAME, asked())

    assert [event.event_type for event in page.items] == KINDS
    assert (page.total, page.after, page.before) == (5, None, None)
    assert page.seq == timelines.page(NAME, asked()).seq > 0


def test_pages_go_both_ways(timelines: Timelines) -> None:
    first = timelines.page(NAME, asked(2))
    second = timelines.page(NAME, asked(2, first.after))
    third = timelines.page(NAME, asked(2, second.after))

    told = [event.event_type for page in (first, second, third) for event in page.items]
    assert told == KINDS
    assert third.after is None
    assert timelines.page(NAME, asked(2, second.before)).items == first.items


def test_the_last_page_may_come_first(timelines: Timelines) -> None:
    page = timelines.page(NAME, asked(2, newest=True))

    assert [event.event_type for event in page.items] == KINDS[-2:]
    assert (page.after, page.before is None) == (None, False)


def test_tokens_grow_along_a_timeline(timelines: Timelines) -> None:
    tokens = [event.tokens_output for event in timelines.page(NAME, asked()).items]

    assert tokens == sorted(tokens)
    assert tokens[0] == 0 < tokens[-1]


def test_a_preview_has_no_half_of_a_secret(secret: Timelines) -> None:
    (event,) = secret.page(NAME, asked(1, newest=True)).items

    assert event.preview.startswith("xxx")
    assert KEY[:12] not in event.preview


def test_an_event_is_given_with_its_line(timelines: Timelines) -> None:
    event = timelines.page(NAME, asked(1)).items[0]
    full = timelines.full(NAME, event.event_id)

    assert full.event == event
    assert b"alpha prompt of session-one" in bytes(full.event_data)


def test_an_event_may_be_asked_for_by_its_hooks_id(tmp_path: Path) -> None:
    line = (
        '{"timestamp":"2026-01-01T10:00:00.100Z","sessionId":"session-one",'
        '"eventType":"Stop","input":{"last_assistant_message":"bye"}}'
    )
    place = root(tmp_path / "claude")
    hook_log(place, line)
    with served(place) as made:
        timelines = timelines_of(made)
        (event,) = [one for one in timelines.page(NAME, asked()).items if one.sources == ("hook",)]
        full = timelines.full(NAME, event.event_id)

        assert (event.event_type, event.preview) == ("stop", "bye")
        assert [copy.event_type for copy in full.hooks] == ["stop"]


def test_an_event_that_was_told_twice_is_shown_as_the_first_told_it(tmp_path: Path) -> None:
    told = [
        f'{{"timestamp":"2026-01-01T10:00:00.{n}00Z","sessionId":"session-one","eventType":'
        f'"PreToolUse","input":{{"tool_use_id":"t9","tool_input":{{"command":"{word}"}}}}}}'
        for n, word in enumerate(("first", "second"))
    ]
    place = root(tmp_path / "claude")
    hook_log(place, *told)
    with served(place) as made:
        events = timelines_of(made).page(NAME, asked()).items
    (event,) = [one for one in events if one.sources == ("hook",)]

    assert (event.timestamp, "first" in event.preview) == ("2026-01-01T10:00:00.000Z", True)


@pytest.mark.parametrize("event", ["0.0.0", "1.2.3"])
def test_an_event_that_is_not_there_is_not_found(timelines: Timelines, event: str) -> None:
    with pytest.raises(NotFound):
        timelines.full(NAME, event)


TWO = "-home-dev-kettle", "session-two"


def opened(timelines: Timelines, *names: SessionKey) -> list[Timeline]:
    found = []
    for name in names:
        with timelines.open(name) as timeline:
            found.append(timeline)
    return found


def test_a_timeline_that_nobody_follows_makes_room_for_others(site: Served) -> None:
    first, _, again = opened(timelines_of(site, budget=1), NAME, TWO, NAME)

    assert again is not first


def test_a_timeline_that_is_followed_stays_whatever_others_weigh(site: Served) -> None:
    timelines = timelines_of(site, budget=1)
    timelines.follow("session-one")
    first, _, again = opened(timelines, NAME, TWO, NAME)
    timelines.unfollow("session-one")
    *_, later = opened(timelines, TWO, TWO, NAME)

    assert again is first
    assert later is not first
