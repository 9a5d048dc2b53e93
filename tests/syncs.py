"""What is made safe from a power cut, and when: every fsync and every new name, in their order."""

import os
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Noted: TypeAlias = tuple[str, int, int]  # what was done, to which inode, and its size then


class Syncs:
    """Notes what the operating system is asked for, and has it done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.noted: list[Noted] = []
        fsync = os.fsync

        def synced(fd: int) -> None:
            fsync(fd)
            self._note("sync", os.fstat(fd))

        monkeypatch.setattr(os, "fsync", synced)
        for name in ("replace", "rename", "link"):
            monkeypatch.setattr(os, name, self._named(getattr(os, name)))

    def _named(self, call: Any) -> Any:
        def named(source: Any, target: Any, **how: Any) -> None:
            self._note("name", os.stat(source))
            call(source, target, **how)

        return named

    def _note(self, what: str, info: os.stat_result) -> None:
        self.noted.append((what, info.st_ino, info.st_size))


def synced(path: Path) -> Noted:
    """All of a file, as it is now, went to the disk."""
    return "sync", path.stat().st_ino, path.stat().st_size


def named(path: Path) -> Noted:
    """It got its name when it was as it is now."""
    return "name", path.stat().st_ino, path.stat().st_size
