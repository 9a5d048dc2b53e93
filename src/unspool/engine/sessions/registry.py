"""The live registry of some roots -> for each session its entry, and whether its process lives."""

from collections.abc import Iterable

from msgspec import Struct, structs

from unspool.decode.sidecars import registry_entry
from unspool.model.files import RegistryFile, Root
from unspool.model.sidecars import RegistryEntry
from unspool.source.sidecars import is_alive, read_entry, registry


class Registered(Struct, frozen=True):
    """What one file says; `gone_at` is when it was seen to be taken away."""

    file: RegistryFile
    entry: RegistryEntry
    alive: bool
    gone_at: int | None = None

    @property
    def session_id(self) -> str:
        """The session the process is in."""
        return self.entry.session_id or ""


class Registry:
    """Kept in step by being told which files changed."""

    def __init__(self, roots: Iterable[Root] = ()) -> None:
        found = (_read(one) for root in roots for one in registry(root.path))
        self._known = {one.file.path: one for one in found if one is not None}
        self._left: dict[str, Registered] = {}

    def look(self, path: str, now: int) -> set[str]:
        """Read a file again; the sessions about which it says something else now."""
        before, file = self._known.pop(path, None), read_entry(path)
        after = _read(file) if file else None
        if before is not None and (after is None or after.session_id != before.session_id):
            ended = structs.replace(before.entry, status_updated_at=now)
            self._left[before.session_id] = Registered(before.file, ended, False, now)
        if after is not None:
            self._known[path] = after
            self._left.pop(after.session_id, None)
        return {one.session_id for one in (before, after) if one is not None}

    def check(self) -> set[str]:
        """Ask which processes still live; the sessions of those that do not any more."""
        died = {
            path: structs.replace(one, alive=False)
            for path, one in self._known.items()
            if one.alive and not is_alive(one.file.pid)
        }
        self._known |= died
        return {one.session_id for one in died.values()}

    def sessions(self) -> dict[str, Registered]:
        """Each session with what is known of its process: one that lives, else the last to go."""
        found = dict(self._left)
        for one in sorted(self._known.values(), key=lambda one: (one.alive, one.file.mtime_ns)):
            found[one.session_id] = one
        return found

    def forget(self, session_id: str) -> None:
        """Nobody asks about this one any more."""
        self._left.pop(session_id, None)


def _read(file: RegistryFile) -> Registered | None:
    found = registry_entry(file.data)
    return Registered(file, found, file.alive) if found and found.session_id else None
