"""When things happened in sessions, kept for as long as nothing new has."""

from collections.abc import Iterable
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple

from unspool.model.insights import ActivityStrip
from unspool.serve.desks.around import Around

_MOST: Final = 1_000
_REST: Final = 10.0
_STEPS: Final = 150  # a strip on the board is some 300 pixels wide: two of them are one step
_Key = tuple[str, str]


class _Kept(NamedTuple):
    version: object
    strip: ActivityStrip
    until: float  # by the clock that never jumps: a long session is not read for every line


class Strips:
    """Asks the index once for each version of a session."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._kept: dict[_Key, _Kept] = {}

    def of(self, wanted: Iterable[tuple[_Key, object]]) -> dict[_Key, ActivityStrip]:
        """Sessions by project and id, each with a word that changes when it does."""
        found: dict[_Key, ActivityStrip] = {}
        for key, version in wanted:
            kept = self._kept.get(key)
            if kept is None or (kept.version != version and monotonic() >= kept.until):
                kept = self._read(key, version)
            if kept is not None:
                found[key] = kept.strip
        return found

    def _read(self, key: _Key, version: object) -> _Kept | None:
        begun = monotonic()
        strip = self._around.store.strips([key]).get(key)
        if strip is None:
            return None
        now = monotonic()
        rest = max((now - begun) * _REST, _seconds(strip) / _STEPS)
        made = _Kept(version, strip, now + rest)
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = made
            while len(self._kept) > _MOST:
                self._kept.pop(next(iter(self._kept)))
        return made


def _seconds(strip: ActivityStrip) -> float:
    starts = [one[0].start for one in (strip.turns, strip.calls) if one]
    ends = [one[-1].end for one in (strip.turns, strip.calls) if one]
    return (max(ends) - min(starts)) / 1_000 if starts else 0.0
