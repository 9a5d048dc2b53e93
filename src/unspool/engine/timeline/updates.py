"""A timeline and the bytes that were added -> what to tell a reader of it, now or later."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from unspool.derive.event_columns import HOOK
from unspool.derive.timeline import event_id, is_within, place_of
from unspool.engine.timeline.timeline import Timeline
from unspool.model.live import ByteRange, MergedEvent
from unspool.model.query import Change

# Files of one session are written side by side: a little late is not out of order.
_LATE_MS: Final = 2_000
_FOREVER: Final = 2**63
MOST_EVENTS: Final = 500


class TimelineUpdate(Struct, frozen=True, kw_only=True):
    """Events that are new and their positions, events that changed, and ids that are no more."""

    added: Sequence[tuple[int, MergedEvent]] = ()
    updated: Sequence[MergedEvent] = ()
    removed: Sequence[str] = ()
    newest: int = 0  # time of the newest event that was told before
    is_too_long: bool = False  # to be told one by one

    @property
    def is_inserted(self) -> bool:
        """Whether what is new is in between others."""
        return any(event.key[0] < self.newest - _LATE_MS for _, event in self.added)

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.updated or self.removed)


def update_of(
    timeline: Timeline, spans: Sequence[ByteRange], before: Sequence[ByteRange] = ()
) -> TimelineUpdate:
    """What is new in a timeline by these spans; what `before` has too was told already."""
    positions = timeline.within(spans, MOST_EVENTS + 1)
    if len(positions) > MOST_EVENTS:
        return TimelineUpdate(is_too_long=True)
    added: list[tuple[int, MergedEvent]] = []
    updated: list[MergedEvent] = []
    removed: list[str] = []
    for event in timeline.events(positions):
        copies = [hook.event_id for hook in event.hooks if hook.event_id != event_id(event.place)]
        if is_within(event.place, spans) and not is_within(event.place, before):
            added.append((timeline.index.columns.position(event.key), event))
            removed += [id for id in copies if not is_within(place_of(id), spans)]
        else:
            updated.append(event)
    newest = _newest_before(timeline, {position for position, _ in added}, spans) if added else 0
    return TimelineUpdate(added=added, updated=updated, removed=removed, newest=newest)


def parts_of(
    update: TimelineUpdate, groups: Iterable[Sequence[ByteRange]]
) -> Iterator[TimelineUpdate]:
    """What is new by each of some groups of spans, out of the update of all of them together."""
    updated, newest = list(update.updated), update.newest
    for spans in groups:
        added = [one for one in update.added if is_within(one[1].place, spans)]
        ids = {hook.event_id for _, event in added for hook in event.hooks}
        mine = [event for event in updated if _is_touched(event, spans)]
        updated = [event for event in updated if event not in mine]
        yield TimelineUpdate(
            added=added,
            updated=mine,
            removed=[id for id in update.removed if id in ids],
            newest=newest,
            is_too_long=update.is_too_long,
        )
        newest = max(newest, *(event.key[0] for _, event in added), 0)


def _is_touched(event: MergedEvent, spans: Sequence[ByteRange]) -> bool:
    places = (event.place, *(place_of(hook.event_id) for hook in event.hooks))
    return any(is_within(place, spans) for place in places)


def _newest_before(timeline: Timeline, added: Container[int], spans: Sequence[ByteRange]) -> int:
    """The time of the newest event that was told already."""
    columns, index = timeline.index.columns, timeline.index
    ends: dict[int, int] = {}
    for span in spans:
        ends[span.source_id] = max(span.end, ends.get(span.source_id, 0))
    for n in range(len(columns) - 1, -1, -1):
        source_id, offset = columns.source[n], columns.offset[n]
        if columns.kind[n] == HOOK:
            place = place_of(index.groups_at(n)[0].first.event_id)
            source_id, offset = place.source_id, place.offset
        # The index may be ahead of what is told: what is further on is not old but yet to come.
        if n not in added and offset < ends.get(source_id, _FOREVER):
            return columns.order[n]
    return 0


def spans_of(changes: Iterable[Change]) -> list[ByteRange]:
    """The bytes that changes added; what was written piece by piece is one span."""
    spans: dict[tuple[int, int], list[ByteRange]] = {}
    for one in changes:
        if not one.source_id or one.end <= one.offset:
            continue
        mine = spans.setdefault((one.source_id, one.generation), [])
        begin, end = one.offset, one.end
        if mine and mine[-1].begin <= begin <= mine[-1].end:
            last = mine.pop()
            begin, end = last.begin, max(last.end, end)
        mine.append(ByteRange(one.source_id, one.generation, begin, end))
    return [span for mine in spans.values() for span in mine]
