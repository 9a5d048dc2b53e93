"""Directories -> the paths in them that the system reports as changed."""

import os
from collections.abc import Callable, Iterable, Iterator
from threading import Event
from typing import Final, TypeAlias

from watchfiles._rust_notify import RustNotify

from unspool.system.mounts import file_system, mount_table

_REMOTE: Final = frozenset(
    "9p afs ceph cifs davfs drvfs glusterfs lustre ncpfs nfs nfs4 prl_fs smb2 smb3 smbfs vboxsf"
    " fuse.davfs2 fuse.glusterfs fuse.grpcfuse fuse.rclone fuse.s3fs fuse.sshfs"
    " fuse.vmhgfs-fuse".split()
)


def network_type(path: str, table: str) -> str:
    """The type of the network file system a path is on, by the table of mounts; or ''."""
    kind = file_system(path, table)
    return kind if kind in _REMOTE else ""


FileNotice: TypeAlias = tuple[int, str]  # a watchfiles.Change, and a path
Present: TypeAlias = dict[str, tuple[int, int]]

# How long notices are collected while much is written: longer only delays them, since those that
# arrive while a batch is processed are collected anyway.
_DEBOUNCE_MS: Final = 1
# How often to poll the queue of notices, by seconds since the last one: frequent polling costs,
# and after a long pause a short delay does not matter.
_STEPS_MS: Final = ((1.0, 1), (10.0, 10))
_LONGEST_STEP_MS: Final = 50
_POLL: Final = 0.2


class Listener:
    """Receives change notices from the system; where there are none, `polling` is set."""

    def __init__(self, say: Callable[[str], object], *, polling: bool = False) -> None:
        self.polling = polling
        self._say = say
        self._notify: RustNotify | None = None
        self._present: Present | None = None
        self._names: dict[str, str] = {}

    def tune(self, directories: Iterable[str]) -> bool:
        """Listen to the directories that exist; whether changes may have been missed.

        A directory that was deleted and created again is another one and needs a new watch.
        """
        present = _existing(directories)
        if present == self._present:
            return False
        if not self.polling:
            self._refuse_network(present)
        fresh = self._tuned(present)
        self.close()
        self._notify, self._present = fresh, present
        return True

    def wait(self, seconds: float, stop: Event, *, quiet: float) -> Iterator[FileNotice]:
        """Wait for notices, up to a time; `quiet` is how long there have been none."""
        if self._notify is None:
            stop.wait(min(seconds, _POLL) if self.polling else seconds)
            return
        step = next((step for until, step in _STEPS_MS if quiet < until), _LONGEST_STEP_MS)
        try:
            notices = self._notify.watch(_DEBOUNCE_MS, step, max(1, int(seconds * 1_000)), stop)
        except RuntimeError:
            self.close()  # the system's watch has failed: the next `tune` creates another
            return
        if notices == "signal":
            raise KeyboardInterrupt
        if isinstance(notices, set):
            yield from ((kind, self._named(path)) for kind, path in notices)

    def close(self) -> None:
        if self._notify is not None:
            self._notify.close()
        self._notify = self._present = None

    def _tuned(self, present: Present) -> RustNotify | None:
        if self.polling or not present:
            return None
        # Some systems always report real paths, so watch those.
        self._names = {os.path.realpath(name): name for name in present}
        try:
            return _notify(list(self._names))
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
        table = mount_table()
        kinds = (network_type(place, table) for place in present)
        if kind := next(filter(None, kinds), ""):
            self._poll(f"files are on a network file system ({kind})")

    def _poll(self, reason: str) -> None:
        self.polling = True
        self._say(f"Falling back to polling, which is slower: {reason}.")


def _notify(paths: list[str]) -> RustNotify:
    try:
        return RustNotify(paths, False, False, 1_000, True, False)
    except PermissionError:
        # Where one directory is closed to us, the others are watched all the same. That ignores
        # every error, also that no more watches are allowed: so this is not tried first.
        return RustNotify(paths, False, False, 1_000, True, True)


def _existing(directories: Iterable[str]) -> Present:
    found = {}
    for directory in directories:
        try:
            info = os.stat(directory)
        except (OSError, ValueError):
            continue
        found[directory] = (info.st_dev, info.st_ino)
    return found
