"""What is new in a timeline, told now or later."""

from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.engine.timeline import Timeline
from unspool.model.live import ByteRange, EventPosition
from unspool.serve.live.news import News, news
from unspool.serve.timeline import Timelines


@pytest.fixture
def timelines(site: Served) -> Timelines:
    return Timelines(site.desk.around, site.desk.ours)


def told(
    timelines: Timelines, first: int, last: int, before: tuple[int, int] | None = None
) -> News:
    """News of a session by the numbers of its events."""
    with timelines.open(timelines.name("session-one")) as timeline:
        spans = [_span(timeline, first, last)]
        earlier = [_span(timeline, *before)] if before else []
        return news(timeline, spans, timelines.shown, earlier)


def _span(timeline: Timeline, first: int, last: int) -> ByteRange:
    begin: EventPosition = timeline.events[first].place
    return ByteRange(
        begin.source_id, begin.generation, begin.offset, timeline.events[last].place.offset + 1
    )


def test_the_last_events_are_news_in_their_places(timelines: Timelines) -> None:
    found = told(timelines, 3, 4)

    assert (found.told.positions, found.inserted, found.is_any) == ((3, 4), False, True)


def test_what_another_file_says_of_long_ago_is_inserted(tmp_path: Path) -> None:
    early = "2026-01-01T09:00:00.000Z"
    agent = Transcript("session-one", "/home/dev/kettle", agent="late", start=early).user("look")
    with served(root(tmp_path / "claude", talk(), agent)) as site:
        found = told(Timelines(site.desk.around, site.desk.ours), 0, 0)

    assert (found.told.positions, found.inserted) == ((0,), True)


def test_what_the_index_has_read_beyond_is_not_older(timelines: Timelines) -> None:
    found = told(timelines, 0, 0)

    assert (found.told.positions, found.inserted) == ((0,), False)


def test_what_was_told_before_is_only_an_update(timelines: Timelines) -> None:
    found = told(timelines, 3, 4, before=(3, 3))

    assert (len(found.told.events), len(found.told.updated)) == (1, 1)


def test_without_new_bytes_there_is_no_news(timelines: Timelines) -> None:
    with timelines.open(timelines.name("session-one")) as timeline:
        assert not news(timeline, [], timelines.shown).is_any
