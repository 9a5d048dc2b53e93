"""A timeline and the bytes that were added -> what to tell of it, now or to one who was away."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from unspool.derive.timeline import event_id, is_within, place_of
from unspool.engine.timeline import Timeline
from unspool.model.live import ByteRange, EventsUpdate, MergedEvent, TimelineEvent

# Files of one session are written side by side: a little late is not out of order.
_LATE_MS: Final = 2_000
_FOREVER: Final = 2**63


class News(Struct, frozen=True):
    """Events to tell, and whether they fell in between others."""

    told: EventsUpdate
    inserted: bool

    @property
    def is_any(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.told.events or self.told.updated or self.told.removed)


def news(
    timeline: Timeline,
    spans: Sequence[ByteRange],
    shown: Callable[[Timeline, MergedEvent], TimelineEvent],
    before: Sequence[ByteRange] = (),
) -> News:
    """What is new in a timeline by these spans; what `before` has too was told already."""
    added: list[tuple[int, MergedEvent]] = []
    updated: list[MergedEvent] = []
    removed: list[str] = []
    newest_old, ends = 0, _ends(spans)
    for n, event in enumerate(timeline.events):
        copies = [hook.event_id for hook in event.hooks if hook.event_id != event_id(event.place)]
        fresh = [id for id in copies if is_within(place_of(id), spans)]
        if is_within(event.place, spans) and not is_within(event.place, before):
            added.append((n, event))
            removed += [id for id in copies if id not in fresh]
            continue
        # The index may be ahead of what is told: what stands further on is not old but yet to come.
        if event.place.offset < ends.get(event.place.source_id, _FOREVER):
            newest_old = max(newest_old, event.key[0])
        if fresh or is_within(event.place, spans):
            updated.append(event)
    told = EventsUpdate(
        events=tuple(shown(timeline, event) for _, event in added),
        positions=tuple(n for n, _ in added),
        updated=tuple(shown(timeline, event) for event in updated),
        removed=tuple(removed),
    )
    return News(told, any(event.key[0] < newest_old - _LATE_MS for _, event in added))


def _ends(spans: Sequence[ByteRange]) -> dict[int, int]:
    ends: dict[int, int] = {}
    for span in spans:
        ends[span.source_id] = max(span.end, ends.get(span.source_id, 0))
    return ends
