"""The live registry of some roots: each session's entry, and whether its process is alive."""

import os
from collections.abc import Sequence

from msgspec import Struct, structs

from unspool.decode.sidecars import registry_entry
from unspool.model.files import RegistryFile, Root
from unspool.model.sidecars import RegistryEntry
from unspool.source.forgotten import forgotten_ids
from unspool.source.sidecars import read_entry, registry
from unspool.system.processes import is_alive


class RegisteredProcess(Struct, frozen=True):
    """One file of the registry; `gone_at` is when it was found deleted."""

    file: RegistryFile
    entry: RegistryEntry
    alive: bool
    gone_at: int | None = None

    @property
    def session_id(self) -> str:
        """The session the process is in."""
        return self.entry.session_id or ""


class Registry:
    """Kept up to date by calls for each changed file."""

    def __init__(self, roots: Sequence[Root] = ()) -> None:
        self._roots = roots
        # In the copy of another machine's directory, a process by a number is not one of ours.
        self._copies = tuple(os.path.join(root.path, "") for root in roots if root.machine)
        own = (root for root in roots if not root.machine)
        found = (_read(one) for root in own for one in registry(root.path))
        self._known = {one.file.path: one for one in found if one is not None}
        self._left: dict[str, RegisteredProcess] = {}

    def look(self, path: str, now: int) -> set[str]:
        """Read a file again; returns the sessions that changed."""
        if path.startswith(self._copies):
            return set()
        before, file = self._known.pop(path, None), read_entry(path)
        after = _read(file) if file else None
        if before is not None and (after is None or after.session_id != before.session_id):
            ended = structs.replace(before.entry, status_updated_at=now)
            self._left[before.session_id] = RegisteredProcess(before.file, ended, False, now)
        if after is not None:
            self._known[path] = after
            self._left.pop(after.session_id, None)
        return {one.session_id for one in (before, after) if one is not None}

    def check(self) -> set[str]:
        """Check which processes are alive; returns the sessions of those that ended."""
        died = {
            path: structs.replace(one, alive=False)
            for path, one in self._known.items()
            if one.alive and not is_alive(one.file.pid)
        }
        self._known |= died
        return {one.session_id for one in died.values()}

    def sessions(self) -> dict[str, RegisteredProcess]:
        """Each session with its process: one that is alive, else the last one."""
        found, gone = dict(self._left), forgotten_ids(self._roots)
        for one in sorted(self._known.values(), key=lambda one: (one.alive, one.file.mtime_ns)):
            found[one.session_id] = one
        return {id: one for id, one in found.items() if id not in gone} if gone else found

    def forget(self, session_id: str) -> None:
        """Drop an ended session."""
        self._left.pop(session_id, None)


def _read(file: RegistryFile) -> RegisteredProcess | None:
    found = registry_entry(file.data)
    return RegisteredProcess(file, found, file.alive) if found and found.session_id else None
