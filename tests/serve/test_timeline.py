"""Pages of a timeline, and one event whole."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import hook_log, root, talk
from tests.serve.served import Served, served
from unspool.errors import NotFound
from unspool.serve.timeline import EventsAsked, Timelines

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 8 + "AA"
KINDS = ["user_prompt", "thinking", "pre_tool_use", "post_tool_use", "assistant_text"]


def asked(limit: int = 50, cursor: str | None = "", newest: bool = False) -> EventsAsked:
    return EventsAsked(session_id="session-one", limit=limit, cursor=cursor or "", newest=newest)


@pytest.fixture
def timelines(site: Served) -> Timelines:
    return Timelines(site.desk.around, site.desk.ours)


@pytest.fixture
def secret(tmp_path: Path) -> Iterator[Timelines]:
    said = "x" * 450 + " " + KEY
    with served(root(tmp_path / "secret", talk().user(said))) as made:
        yield Timelines(made.desk.around, made.desk.ours)


def test_a_session_is_told_event_by_event(timelines: Timelines) -> None:
    page = timelines.page(asked())

    assert [event.event_type for event in page.items] == KINDS
    assert (page.total, page.next_cursor, page.prev_cursor) == (5, None, None)
    assert page.seq == timelines.page(asked()).seq > 0


def test_pages_go_both_ways(timelines: Timelines) -> None:
    first = timelines.page(asked(2))
    second = timelines.page(asked(2, first.next_cursor))
    third = timelines.page(asked(2, second.next_cursor))

    told = [event.event_type for page in (first, second, third) for event in page.items]
    assert told == KINDS
    assert third.next_cursor is None
    assert timelines.page(asked(2, second.prev_cursor)).items == first.items


def test_the_last_page_may_come_first(timelines: Timelines) -> None:
    page = timelines.page(asked(2, newest=True))

    assert [event.event_type for event in page.items] == KINDS[-2:]
    assert (page.next_cursor, page.prev_cursor is None) == (None, False)


def test_tokens_grow_along_a_timeline(timelines: Timelines) -> None:
    tokens = [event.tokens_output for event in timelines.page(asked()).items]

    assert tokens == sorted(tokens)
    assert tokens[0] == 0 < tokens[-1]


def test_a_preview_has_no_half_of_a_secret(secret: Timelines) -> None:
    (event,) = secret.page(asked(1, newest=True)).items

    assert event.preview.startswith("xxx")
    assert KEY[:12] not in event.preview


def test_an_event_is_given_with_its_line(timelines: Timelines) -> None:
    event = timelines.page(asked(1)).items[0]
    full = timelines.full("session-one", event.event_id)

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
        timelines = Timelines(made.desk.around, made.desk.ours)
        (event,) = [one for one in timelines.page(asked()).items if one.sources == ("hook",)]
        full = timelines.full("session-one", event.event_id)

        assert (event.event_type, event.preview) == ("stop", "bye")
        assert [copy.event_type for copy in full.hooks] == ["stop"]


@pytest.mark.parametrize("event", ["0.0.0", "1.2.3"])
def test_an_event_that_is_not_there_is_not_found(timelines: Timelines, event: str) -> None:
    with pytest.raises(NotFound):
        timelines.full("session-one", event)


def test_an_unknown_session_is_not_found(timelines: Timelines) -> None:
    with pytest.raises(NotFound):
        timelines.name("session-none")


def test_a_session_of_another_project_is_not_found(timelines: Timelines) -> None:
    with pytest.raises(NotFound):
        timelines.name("session-one", "-elsewhere")
