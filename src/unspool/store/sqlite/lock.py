"""One process writes: the lock on `index.lock`, and where not to put a database."""

import os
from pathlib import Path
from time import monotonic, sleep

from unspool.errors import StoreBusy, StoreError, StoreFull
from unspool.private_files import private_directory
from unspool.system.files import open_file, read_at
from unspool.system.locks import lock
from unspool.system.mounts import file_system, mount_table

# Shared memory does not cross machines: readers and writers would not see each other.
_SHARED = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "fuse.sshfs"}
_INHERITED_WITHIN = 1.0
_DOUBTFUL = {"9p", "virtiofs", "fuse.glusterfs", "ceph"}


class WriterLock:
    """Held as long as this object is; the kernel lets go of it when the process dies."""

    def __init__(self, path: Path) -> None:
        self._take_file(path)
        while not self._is_at(path):  # deleted while we waited: others would lock another one
            os.close(self._file)
            self._take_file(path)
        os.truncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, b"%d\n" % os.getpid())

    def _take_file(self, path: Path) -> None:
        try:
            private_directory(path.parent)
            self._file = open_file(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise StoreFull(f"{path} cannot be written ({error.strerror})") from error
        try:
            self._take()
        except OSError as error:
            pid = self._holder()
            os.close(self._file)
            raise StoreBusy(
                f"process {pid} is writing to {path.parent}; stop it, or only read", pid
            ) from error

    def _is_at(self, path: Path) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(path))
        except FileNotFoundError:
            return False

    def _take(self) -> None:
        deadline = monotonic() + _INHERITED_WITHIN
        while True:
            try:
                lock(self._file)
                return
            except OSError:
                # We let go of it ourselves, and a child that another thread has just forked
                # still has it, until it becomes another program.
                if self._holder() != os.getpid() or monotonic() > deadline:
                    raise
            sleep(0.01)

    def _holder(self) -> int:
        return _pid(read_at(self._file, 20, 0))

    def release(self) -> None:
        """Let another process write. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _pid(text: bytes) -> int:
    return int(text) if text.strip().isdigit() else 0


def place_trouble(home: Path) -> str:
    """What is doubtful about a home's file system; StoreError where it cannot work."""
    kind = file_system(home, mount_table())
    if kind in _SHARED:
        raise StoreError(
            f"{home} is on {kind}, where databases get damaged; set UNSPOOL_HOME to a local disk"
        )
    return f"{home} is on {kind}, which may lose locks" if kind in _DOUBTFUL else ""
