"""Directories -> the paths in them that the system says have changed."""

import os
from collections.abc import Callable, Iterable, Iterator
from threading import Event
from typing import Final, TypeAlias

from watchfiles._rust_notify import RustNotify

from unspool.source.mounts import mounted, network

News: TypeAlias = tuple[int, str]  # a watchfiles.Change, and a path
Present: TypeAlias = dict[str, tuple[int, int]]

# While much is written, this is how long news are gathered: longer only makes them later, since
# those that come while a batch is dealt with are gathered anyway.
_DEBOUNCE_MS: Final = 1
# How often to ask, by how many seconds nothing was heard: to ask often costs, to wait for a
# long time and then be a little late does not.
_STEPS_MS: Final = ((1.0, 1), (10.0, 10))
_LONGEST_STEP_MS: Final = 50
_POLL: Final = 0.2


class Listener:
    """Hears of changes where the system tells of them; where it cannot, `polling` is set."""

    def __init__(self, say: Callable[[str], object], *, polling: bool = False) -> None:
        self.polling = polling
        self._say = say
        self._notify: RustNotify | None = None
        self._present: Present | None = None
        self._names: dict[str, str] = {}

    def tune(self, directories: Iterable[str]) -> bool:
        """Listen to those that are there; whether anything was missed until now.

        One that was removed and made again is another directory, and has to be listened to anew.
        """
        present = _present(directories)
        if present == self._present:
            return False
        if not self.polling:
            self._refuse_network(present)
        fresh = self._tuned(present)
        self.close()
        self._notify, self._present = fresh, present
        return True

    def wait(self, seconds: float, stop: Event, *, quiet: float) -> Iterator[News]:
        """Wait for news, so long at most; `quiet` is how long there was none."""
        if self._notify is None:
            stop.wait(min(seconds, _POLL) if self.polling else seconds)
            return
        step = next((step for until, step in _STEPS_MS if quiet < until), _LONGEST_STEP_MS)
        try:
            news = self._notify.watch(_DEBOUNCE_MS, step, max(1, int(seconds * 1_000)), stop)
        except RuntimeError:
            self.close()  # the system's watch has failed: the next `tune` sets up another
            return
        if news == "signal":
            raise KeyboardInterrupt
        if isinstance(news, set):
            yield from ((kind, self._named(path)) for kind, path in news)

    def close(self) -> None:
        """Stop listening."""
        if self._notify is not None:
            self._notify.close()
        self._notify = self._present = None

    def _tuned(self, present: Present) -> RustNotify | None:
        if self.polling or not present:
            return None
        # Some systems tell real paths whatever they were asked for, so real ones are asked for.
        self._names = {os.path.realpath(name): name for name in present}
        try:
            return RustNotify(list(self._names), False, False, 1_000, True, True)
        except FileNotFoundError:
            present.clear()  # gone since: the next `tune` looks again
        except (OSError, RuntimeError) as error:
            self._poll(str(error))
        return None

    def _named(self, path: str) -> str:
        for real, name in self._names.items():
            if path.startswith(real + os.sep):
                return name + path[len(real) :]
        return path

    def _refuse_network(self, present: Present) -> None:
        table = mounted()
        kinds = (network(place, table) for place in present)
        if kind := next(filter(None, kinds), ""):
            self._poll(f"they lie on a network file system ({kind})")

    def _poll(self, reason: str) -> None:
        self.polling = True
        self._say(f"Files are looked at by turns, which is slower: {reason}.")


def _present(directories: Iterable[str]) -> Present:
    found = {}
    for directory in directories:
        try:
            info = os.stat(directory)
        except (OSError, ValueError):
            continue
        found[directory] = (info.st_dev, info.st_ino)
    return found
