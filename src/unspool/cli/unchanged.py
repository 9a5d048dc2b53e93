"""Roots and an index -> whether it has every file as it is, told by one look at each.

Where that cannot be told so cheaply the answer is no, and a survey finds out what there is.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from unspool.errors import StoreError
from unspool.model.files import Root
from unspool.source.files import scan_files
from unspool.source.spool import spool_files
from unspool.store.sqlite.store import SqliteStore

_KNOWN: Final = """
    SELECT root || ? || path, size, mtime_ns, root FROM sources
    WHERE gone_at IS NULL AND NOT superseded
"""
_MOST: Final = 10_000_000


def is_unchanged(roots: Sequence[Root], spool: str, store: SqliteStore) -> bool:
    """Whether there is no file that is new, gone, or not as the index has it."""
    if any(root.only is not None for root in roots):
        return False
    with suppress(OSError, ValueError, StoreError):
        files = (file for root in roots for file in scan_files(root, with_sessions=False))
        seen = {file.state for file in files}
        waiting = {(file.path, file.size, file.mtime_ns) for file in spool_files(spool)}
        _, known = store.sql(_KNOWN, (os.sep,), limit=_MOST)
        ours = {root.path for root in roots}
        has = {(path, size, at) for path, size, at, root in known if root in ours}
        return seen == has and waiting <= {(path, size, at) for path, size, at, _ in known}
    return False
