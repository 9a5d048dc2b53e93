"""Tombstones of this machine against those of the hub: what to send, and what not to ship."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from threading import Lock
from typing import Final

from unspool.model.files import Root
from unspool.model.shipping import ShippedTombstone
from unspool.source.forgotten import Tombstone, log_stamp, tombstones
from unspool.source.roots import same_directory
from unspool.store.shipping import tombstone_digest, tombstone_name

_AT_ONCE: Final = 5_000


class TombstoneQueue:
    """Both sides keep the later word on a session. Nothing of it is kept here.

    A machine that was restored from a backup has fewer than the hub: those sessions stay with it.
    """

    def __init__(self, roots: Sequence[Root]) -> None:
        self._roots, self._lock = roots, Lock()
        self._stamps: set[tuple[int, ...]] | None = None
        self._mine: dict[str, ShippedTombstone] = {}
        self._theirs: dict[str, ShippedTombstone] = {}

    def digest(self) -> str:
        """Of all that this machine has."""
        with self._lock:
            return tombstone_digest(self._read().values())

    def compare(self, theirs: Iterable[ShippedTombstone] | None) -> None:
        """Take in what the hub has; None: the same."""
        with self._lock:
            found = self._mine.values() if theirs is None else theirs
            self._theirs = {one.name: one for one in found}

    def waiting(self) -> list[ShippedTombstone]:
        """Some that the hub lacks."""
        with self._lock:
            lacking = [one for one in self._read().values() if self._is_news(one)]
        return lacking[:_AT_ONCE]

    def _is_news(self, one: ShippedTombstone) -> bool:
        known = self._theirs.get(one.name)
        return known is None or (one != known and one.at >= known.at)

    def delivered(self, some: Iterable[ShippedTombstone]) -> None:
        """The hub has them now."""
        with self._lock:
            self._theirs |= {one.name: one for one in some}

    def is_forgotten(self, project_id: str, session_id: str) -> bool:
        """Whether a session was forgotten, here or before a backup."""
        name = tombstone_name(project_id, session_id)
        with self._lock:
            known = [one for one in (self._read().get(name), self._theirs.get(name)) if one]
        return bool(known) and not max(known, key=lambda one: one.at).is_restored

    def _read(self) -> dict[str, ShippedTombstone]:
        stamps = {log_stamp(root.tombstones) for root in self._roots}
        if stamps != self._stamps:
            found = sorted(self._logged(), key=lambda one: one.at)
            self._stamps, self._mine = stamps, {one.name: one for one in found}
        return self._mine

    def _logged(self) -> Iterator[ShippedTombstone]:
        for root in self._roots:
            log = tombstones(root.tombstones)
            paths = {one.root for one in chain(log, log.restored())}
            same = {path for path in paths if same_directory(path, root.path)}
            for some, is_restored in ((log, False), (log.restored(), True)):
                for one in some:
                    if one.root in same:
                        yield from _shipped(one, root.prefix, is_restored)


def _shipped(one: Tombstone, prefix: str, is_restored: bool) -> Iterator[ShippedTombstone]:
    """For the session, and for events of hooks that do not say which project it is of."""
    for project in (prefix + one.project, ""):
        yield ShippedTombstone(tombstone_name(project, one.session), max(0, one.at), is_restored)
