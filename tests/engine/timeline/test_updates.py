"""What is new in a timeline, sent now or later."""

from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.engine.timeline.timeline import Timeline
from unspool.engine.timeline.updates import TimelineUpdate, parts_of, spans_of, update_of
from unspool.model.live import ByteRange
from unspool.model.query import Change


def timeline_of(site: Served) -> Timeline:
    made = Timeline(site.context.store, "-home-dev-kettle", "session-one")
    made.refresh()
    return made


@pytest.fixture
def timeline(site: Served) -> Timeline:
    return timeline_of(site)


def update(
    timeline: Timeline, first: int, last: int, before: tuple[int, int] | None = None
) -> TimelineUpdate:
    """The update of a session by the numbers of its events."""
    spans = [_span(timeline, first, last)]
    return update_of(timeline, spans, [_span(timeline, *before)] if before else [])


def _span(timeline: Timeline, first: int, last: int) -> ByteRange:
    begin, end = timeline.events([first, last])
    place = begin.place
    return ByteRange(place.source_id, place.generation, place.offset, end.place.offset + 1)


def positions(found: TimelineUpdate) -> list[int]:
    return [position for position, _ in found.added]


def test_the_last_events_are_news_in_their_places(timeline: Timeline) -> None:
    found = update(timeline, 3, 4)

    assert (positions(found), found.is_inserted, found.is_empty) == ([3, 4], False, False)


def test_what_another_file_says_of_long_ago_is_inserted(tmp_path: Path) -> None:
    early = "2026-01-01T09:00:00.000Z"
    agent = Transcript("session-one", "/home/dev/kettle", agent="late", start=early).user("look")
    with served(root(tmp_path / "claude", talk(), agent)) as site:
        found = update(timeline_of(site), 0, 0)

    assert (positions(found), found.is_inserted) == ([0], True)


def test_what_the_index_has_read_beyond_is_not_older(timeline: Timeline) -> None:
    found = update(timeline, 0, 0)

    assert (positions(found), found.is_inserted) == ([0], False)


def test_what_was_told_before_is_only_an_update(timeline: Timeline) -> None:
    found = update(timeline, 3, 4, before=(3, 3))

    assert (len(found.added), len(found.updated)) == (1, 1)


def test_without_new_bytes_there_is_no_news(timeline: Timeline) -> None:
    assert update_of(timeline, []).is_empty


def test_bytes_written_piece_by_piece_are_one_span() -> None:
    pieces = [(1, 0, 10), (2, 0, 5), (1, 10, 20), (1, 30, 40), (0, 0, 9), (2, 5, 5)]
    changes = [Change(1, "", "", id, 0, begin, end, "lines") for id, begin, end in pieces]
    assert spans_of(changes) == [
        ByteRange(1, 0, 0, 20),
        ByteRange(1, 0, 30, 40),
        ByteRange(2, 0, 0, 5),
    ]


def test_the_parts_of_an_update_are_those_that_each_group_has_alone(timeline: Timeline) -> None:
    groups = [[_span(timeline, 0, 1)], [_span(timeline, 2, 2)], [], [_span(timeline, 3, 4)]]
    whole = update_of(timeline, [span for spans in groups for span in spans])
    parts = list(parts_of(whole, groups))

    assert [positions(part) for part in parts] == [[0, 1], [2], [], [3, 4]]
    alone = [update_of(timeline, spans) for spans in groups]
    assert [part.added for part in parts] == [list(one.added) for one in alone]
    assert not any(part.is_inserted for part in parts)


def test_a_part_that_is_older_than_one_before_it_is_inserted(timeline: Timeline) -> None:
    groups = [[_span(timeline, 4, 4)], [_span(timeline, 0, 0)]]
    whole = update_of(timeline, [span for spans in groups for span in spans])

    assert [part.is_inserted for part in parts_of(whole, groups)] == [False, True]
