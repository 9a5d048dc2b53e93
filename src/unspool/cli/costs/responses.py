"""Roots -> every response of theirs with its owner: from the ledger, else from the files."""

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from unspool.cli.costs import given
from unspool.cli.costs.asked import Asked, asked
from unspool.cli.costs.catch_up import caught_up
from unspool.cli.costs.scanning import alone
from unspool.derive.usage.responses import settled
from unspool.ingest.scan.worker import tallied
from unspool.model.usage import OwnedUsage
from unspool.store.sqlite.store import SqliteStore


def responses(explicit: Sequence[str]) -> list[OwnedUsage]:
    """Each response once."""
    wanted = freshened(explicit)
    return _kept(wanted) if wanted.is_fresh else _scanned(wanted)


def owners(explicit: Sequence[str], keys: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Project and session that each of some responses counts for."""
    wanted, asking = freshened(explicit), list(keys)
    if not wanted.is_fresh:
        every = {owned.row.message_key: owned[:2] for owned in _scanned(wanted)}
        return {key: every[key] for key in asking if key in every}
    with closing(SqliteStore(Path(wanted.home), mode="ro")) as store:
        return store.owners(asking)


def freshened(explicit: Sequence[str]) -> Asked:
    """What is asked of, with a ledger that has all of it, unless that cannot be written."""
    wanted = asked(explicit)
    if wanted.is_fresh:
        return wanted
    if os.path.exists(wanted.ledger):
        caught_up(wanted)
    else:
        alone(wanted, keep=True)
    return asked(explicit)


def _kept(wanted: Asked) -> list[OwnedUsage]:
    with closing(SqliteStore(Path(wanted.home), mode="ro")) as store:
        return list(store.every_response())


def _scanned(wanted: Asked) -> list[OwnedUsage]:
    paths = (path for path, _, _ in wanted.files)
    tally = tallied(paths, given.roots(wanted), given.prices())
    every = (
        OwnedUsage(source.project_id, source.session_id, row)
        for source, rows in tally.drain()
        for row in rows
    )
    return list(settled(every).values())
