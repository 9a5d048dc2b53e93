"""Roots -> every response of theirs with its owner: from the ledger, else from the files."""

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from unspool.cli.costs import given
from unspool.cli.costs.asked import Asked, asked
from unspool.cli.costs.catch_up import caught_up
from unspool.cli.costs.scanning import alone
from unspool.ingest.scan.worker import tallied
from unspool.model.rows import UsageRow
from unspool.store.rules import Owned, settled
from unspool.store.sqlite.store import SqliteStore

_ASK = """
    SELECT project_id, session_id, message_key, timestamp, NOT lower_bound, model, input_tokens,
        output_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_5m,
        cache_creation_1h, web_searches, speed, geo, usd_pico, agent_id, line_id
    FROM usage
"""
_EVER = 10**9
_AT_ONCE = 500


def responses(explicit: Sequence[str]) -> list[Owned]:
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
        rows = [
            row
            for at in range(0, len(asking), _AT_ONCE)
            for row in _asked(store, asking[at : at + _AT_ONCE])
        ]
    return {key: (project, session) for key, project, session in rows}


def _asked(store: SqliteStore, keys: list[str]) -> list[tuple[str, str, str]]:
    marks = ", ".join("?" * len(keys))
    ask = f"SELECT message_key, project_id, session_id FROM usage WHERE message_key IN ({marks})"  # noqa: S608
    _, rows = store.sql(ask, keys, limit=_EVER, seconds=_EVER)
    return [(key, project, session) for key, project, session in rows]


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


def _kept(wanted: Asked) -> list[Owned]:
    with closing(SqliteStore(Path(wanted.home), mode="ro")) as store:
        _, rows = store.sql(_ASK, limit=_EVER, seconds=_EVER)
    return [
        Owned(project, session, UsageRow(key, b"", b"", at, bool(finished), *rest))
        for project, session, key, at, finished, *rest in rows
    ]


def _scanned(wanted: Asked) -> list[Owned]:
    paths = (path for path, _, _ in wanted.files)
    tally = tallied(paths, given.roots(wanted), given.prices())
    every = (
        Owned(source.project_id, source.session_id, row)
        for source, rows in tally.drain()
        for row in rows
    )
    return list(settled(every).values())
