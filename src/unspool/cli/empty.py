"""Roots without sessions: whether they are, and what a command says then."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from unspool.cli import config
from unspool.engine.stores import Stores
from unspool.errors import StoreError
from unspool.model.files import Root
from unspool.source.files import projects


def has_sessions(roots: Sequence[Root]) -> bool:
    """Whether a root has a transcript; lists directories, reads no file."""
    return any(
        file.info.st_size for root in roots for project in projects(root) for file in project.mains
    )


def is_empty(explicit: Sequence[str]) -> bool:
    """Whether there is no session at all, on disk or in the archive."""
    stores = config.open_stores(explicit)
    return not has_sessions(stores.roots) and not _is_archived(stores)


def note(explicit: Sequence[str]) -> str:
    """The message for a machine without sessions; "" if there are any."""
    if not is_empty(explicit):
        return ""
    looked = places(config.open_stores(explicit).roots, "and")
    return f"There are no sessions in {looked}. `unspool --demo` shows made-up ones."


def warn(explicit: Sequence[str]) -> bool:
    """Print the message to stderr; whether there is one."""
    text = note(explicit)
    if text:
        print(f"unspool: {text}", file=sys.stderr, flush=True)
    return bool(text)


def places(roots: Sequence[Root], word: str) -> str:
    """The directories of transcripts, the last one after `word`."""
    *others, last = (_short(root.projects) for root in roots)
    return f"{', '.join(others)} {word} {last}" if others else last


def _short(path: str) -> str:
    home = str(Path.home())
    is_below = path.startswith(os.path.join(home, ""))
    return f"~{path.removeprefix(home)}" if is_below else path


def _is_archived(stores: Stores) -> bool:
    if not stores.is_there():
        return False
    try:
        with stores.reading() as (store, _):
            places = {os.path.dirname(stores.spool), *(root.path for root in stores.roots)}
            return any(root in places for root in store.roots())
    except StoreError:
        return True  # damaged or busy: do not show made-up sessions instead
