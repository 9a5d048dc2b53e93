"""Lines that a search found in one session -> a list above its column, ticks on its spool."""

from collections.abc import Iterable
from datetime import tzinfo

from msgspec import Struct

from unspool.model.api import SearchAnswer, SearchResult
from unspool.model.document import SessionDocument
from unspool.show import times
from unspool.show.money import plural
from unspool.show.views.search import Hit, hit


class Found(Struct, frozen=True, kw_only=True):
    """What was looked for, and what there is."""

    words: str
    say: str
    hits: tuple[Hit, ...] = ()


def found(words: str, answer: SearchAnswer, zone: tzinfo | None = None) -> Found:
    """The hits in the order of the session."""
    lines = sorted(answer.items, key=lambda one: (one.timestamp or "", one.line))
    more = ", the newest of more" if answer.next_cursor else ""
    part = "; the time was up before all was looked at" if answer.is_partial else ""
    return Found(
        words=words,
        say=f"{plural(len(lines), 'hit')} for {words!r}{more}{part}",
        hits=tuple(hit(one, zone) for one in lines),
    )


def ticks(document: SessionDocument, lines: Iterable[SearchResult]) -> tuple[float, ...]:
    """Where on the session's spool they lie."""
    places = (share(document, one.timestamp) for one in lines)
    return tuple(one for one in places if one is not None)


def share(document: SessionDocument, iso: str | None) -> float | None:
    """A moment as a part of the session's whole length."""
    told = [one for chunk in document.chunks for one in (chunk.start_time, chunk.end_time) if one]
    at = _ms(iso)
    # They are all written alike: the order of the words is the order of time.
    start, end = _ms(min(told, default=None)), _ms(max(told, default=None))
    if at is None or start is None or end is None:
        return None
    return min(max((at - start) / max(end - start, 1), 0.0), 1.0)


def _ms(iso: str | None) -> int | None:
    found = times.moment(iso)
    return int(found.timestamp() * 1_000) if found else None
