"""Every look at the file system of this process, while somebody wants to know."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_EVENTS = ("open", "os.listdir", "os.scandir", "os.walk", "glob.glob", "os.chdir", "os.utime")
# What raises no audit event; `os.path` and `pathlib` come through these.
_CALLS = ("stat", "lstat", "access", "readlink", "statvfs")

_touched: list[set[str]] = []


def _note(path: Any) -> None:
    if _touched and isinstance(path, str | bytes | os.PathLike):
        _touched[-1].add(os.fsdecode(path))


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _touched and event in _EVENTS and args:
        _note(args[0])


sys.addaudithook(_hook)


@contextmanager
def touched_paths() -> Iterator[set[str]]:
    """The paths that were opened, listed or looked at while the block lasted."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, _noted(getattr(os, name)))
        _touched.append(set())
        try:
            yield _touched[-1]
        finally:
            _touched.pop()


def _noted(call: Any) -> Any:
    def noted(path: Any, *given: Any, **named: Any) -> Any:
        _note(path)
        return call(path, *given, **named)

    return noted
