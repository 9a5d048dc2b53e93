"""The files written to last: where the system tells nothing, they are looked at most."""

from collections.abc import Iterable
from typing import Final

_HOUR: Final = 3_600.0
_MOST: Final = 64


class Recent:
    """Paths and when they last changed; dropped after an hour, or when there are newer ones."""

    def __init__(self, newest_first: Iterable[str], now: float) -> None:
        self._at = dict.fromkeys(list(newest_first)[_MOST - 1 :: -1], now)

    def note(self, path: str, now: float) -> None:
        """A file has changed."""
        self._at.pop(path, None)
        self._at[path] = now
        if len(self._at) > _MOST:
            del self._at[next(iter(self._at))]

    def forget(self, path: str) -> None:
        """A file is gone."""
        self._at.pop(path, None)

    def paths(self, now: float) -> list[str]:
        """The files that may well change again."""
        return [path for path, at in self._at.items() if now - at < _HOUR]
