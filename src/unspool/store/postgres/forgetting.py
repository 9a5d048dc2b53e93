"""Tombstones of a machine -> nothing is left of their sessions, in the same transaction."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from unspool.model.query import SessionKey
from unspool.model.rows import Batch, SourceRow
from unspool.model.shipping import MachineIdentity, ShippedTombstone
from unspool.model.usage import OwnedUsage, Price
from unspool.remote_paths import project_prefix
from unspool.store.postgres.archive import NAMES
from unspool.store.postgres.database import Database
from unspool.store.postgres.writing.ledger import ResponseTable
from unspool.store.postgres.writing.sources import SessionTable
from unspool.store.postgres.writing.transaction import Transaction
from unspool.store.shipping import tombstone_name

_ALL: Final = """
    SELECT name, at, is_restored FROM forgotten
    WHERE owner = ANY(%(visible)s) AND machine = %(machine)s
"""
_NAMED: Final = """
    SELECT name FROM forgotten WHERE owner = %(owner)s AND machine = %(machine)s
        AND name = ANY(%(names)s) AND NOT is_restored
"""
_BURY: Final = """
    INSERT INTO forgotten AS known (owner, machine, name, at, is_restored)
    SELECT %(owner)s, %(machine)s, * FROM unnest(%(names)s::text[], %(times)s::bigint[],
        %(restored)s::boolean[])
    ON CONFLICT (machine, name) DO UPDATE SET at = excluded.at, is_restored = excluded.is_restored
        WHERE known.at < excluded.at
            OR (known.at = excluded.at AND known.is_restored <> excluded.is_restored)
    RETURNING name, is_restored
"""
_SESSIONS: Final = """
    SELECT session, project_id, session_id FROM session
    WHERE owner = %(owner)s AND machine = %(machine)s AND encode(sha256(convert_to(
        substr(project_id, %(prefix)s) || '/' || session_id, 'UTF8')), 'hex') = ANY(%(names)s)
"""
# Beside its own files, spools that have events of it: the machine sends them again without.
_FILES: Final = """
    SELECT DISTINCT source_id FROM source WHERE owner = %(owner)s AND (
        session = ANY(%(sessions)s) OR source IN (
            SELECT source FROM hook WHERE owner = %(owner)s AND session = ANY(%(sessions)s)))
"""
# With a lock: the projection of texts leaves their words alone until they are gone.
_GENERATIONS: Final = """
    SELECT source FROM source WHERE owner = %(owner)s AND source_id = ANY(%(ids)s) FOR UPDATE
"""
_LEXEMES: Final = """
    SELECT DISTINCT each.lexeme COLLATE "C" AS word
    FROM body AS b CROSS JOIN LATERAL unnest(b.words) AS each
    WHERE b.owner = %(owner)s AND b.source = ANY(%(sources)s)
"""
_STALE: Final = f"""
    WITH gone AS ({_LEXEMES}), taken AS (
        DELETE FROM word AS w USING gone WHERE w.owner = %(owner)s AND w.word = gone.word
    )
    INSERT INTO stale_word (owner, word) SELECT %(owner)s, word FROM gone ON CONFLICT DO NOTHING
"""  # noqa: S608
_SHARED: Final = """
    UPDATE source SET is_uncounted = true WHERE owner = %(owner)s AND source IN (
        SELECT l.source FROM line AS l WHERE l.owner = %(owner)s
            AND l.source <> ALL(%(sources)s) AND l.message_id IN (
                SELECT message_id FROM line
                WHERE owner = %(owner)s AND source = ANY(%(sources)s)))
"""
_UNCOUNTED: Final = """
    SELECT s.source_id, s.generation, s.root, s.path, s.kind, e.project_id, e.session_id,
        s.agent_id
    FROM source AS s JOIN session AS e ON e.owner = s.owner AND e.session = s.session
    WHERE s.owner = %(owner)s AND s.owner = ANY(%(visible)s) AND s.is_uncounted
    ORDER BY s.source LIMIT %(limit)s
"""
_LINES: Final = """
    SELECT l."offset", l.line FROM source AS s
    JOIN line AS l ON l.owner = s.owner AND l.source = s.source
        AND l.at BETWEEN s.first_at AND s.last_at
    WHERE s.owner = %(owner)s AND s.source_id = %(source_id)s AND s.generation = %(generation)s
        AND l."offset" = ANY(%(places)s)
"""
_COUNTED: Final = """
    UPDATE source SET is_uncounted = false
    WHERE owner = %(owner)s AND source_id = %(source_id)s AND generation = %(generation)s
"""
# In this order: the projection that makes words of a text takes it out of `new_text` first.
_BY_SOURCE: Final = (
    "new_text", "body", "line", "bad", "tool", "hook", "touched", "cause", "oddity", "fold",
)  # fmt: skip
_BY_FILE: Final = ("segment", "generation", "source", "shipped", "quarantine")
_BY_SESSION: Final = ("tie", "agent", "response", "total", "session")
_NAMED_ROWS: Final = """
    DELETE FROM {} WHERE owner = %(owner)s AND (project_id, session_id) IN (
        SELECT * FROM unnest(%(projects)s::text[], %(session_ids)s::text[]))
"""
_OUTPUT_PIECES: Final = """
    DELETE FROM output_piece AS p USING output AS o
    WHERE p.owner = %(owner)s AND o.owner = p.owner AND o.output = p.output
        AND (o.project_id, o.session_id) IN (
            SELECT * FROM unnest(%(projects)s::text[], %(session_ids)s::text[]))
"""
_OUTPUTS_SHIPPED: Final = """
    DELETE FROM shipped AS s USING output AS o
    WHERE s.owner = %(owner)s AND o.owner = s.owner AND o.source_id = s.source_id
        AND (o.project_id, o.session_id) IN (
            SELECT * FROM unnest(%(projects)s::text[], %(session_ids)s::text[]))
"""
_LIVE: Final = """
    DELETE FROM live WHERE owner = %(owner)s AND machine = %(machine)s
        AND session_id = ANY(%(session_ids)s)
"""
# Who has something of the index in memory drops it.
RENEW: Final = "UPDATE person SET edition = edition + 1 WHERE owner = %(owner)s"


def tombstones_of(database: Database, machine: int) -> list[ShippedTombstone]:
    """All of a machine."""
    return [ShippedTombstone(*row) for row in database.every(_ALL, machine=machine)]


def uncounted(database: Database, limit: int = 100) -> list[SourceRow]:
    """Files whose responses are to be added up again."""
    rows = database.every(_UNCOUNTED, owner=database.owner, limit=limit)
    return [SourceRow(**dict(zip(NAMES, row, strict=True))) for row in rows]


def count_again(
    transaction: Transaction, source: SourceRow, batches: Sequence[Batch], price: Price
) -> None:
    """Put into the ledger what a file says that it used, from its beginning."""
    place = {"source_id": source.source_id, "generation": source.generation}
    offsets = {line.line_id: line.offset for batch in batches for line in batch.lines}
    used = [row for batch in batches for row in batch.usage]
    found = transaction.run(_LINES, places=[offsets.get(one.line_id, 0) for one in used], **place)
    lines = {offset: line for offset, line in found}
    rows = [
        OwnedUsage(
            source.project_id,
            source.session_id,
            one._replace(line_id=lines.get(offsets.get(one.line_id), 0)),
        )
        for one in used
    ]
    changed = ResponseTable(transaction, SessionTable(transaction)).put(rows, price)
    transaction.run(_COUNTED, **place)
    for name in sorted({*changed, (source.project_id, source.session_id)}):
        transaction.note("usage", name)


def forgotten_among(
    transaction: Transaction, machine: int, names: Iterable[SessionKey]
) -> set[SessionKey]:
    """Of sessions of a machine, as it names them, those that were forgotten."""
    asked = {tombstone_name(*one): one for one in set(names)}
    rows = transaction.run(_NAMED, machine=machine, names=list(asked)) if asked else []
    return {asked[name] for (name,) in rows}


def forget(
    transaction: Transaction, sender: MachineIdentity, tombstones: Iterable[ShippedTombstone]
) -> None:
    """Note tombstones, and erase their sessions; what was noted before changes nothing."""
    latest = {one.name: one for one in sorted(tombstones, key=lambda one: one.at)}.values()
    values: dict[str, Any] = {
        "machine": sender.machine,
        "names": [one.name for one in latest],
        "times": [one.at for one in latest],
        "restored": [one.is_restored for one in latest],
    }
    new = transaction.run(_BURY, **values) if latest else []
    names = [name for name, is_restored in new if not is_restored]
    if names:
        prefix = len(project_prefix(sender.name)) + 1
        asked = {"machine": sender.machine, "names": names, "prefix": prefix}
        found = transaction.run(_SESSIONS, **asked)
        if found:
            _erase(transaction, sender.machine, found)


def forget_words(transaction: Transaction, source_ids: Collection[int]) -> None:
    """Take the words of some files out of the list; those that other texts have come back."""
    found = transaction.run(_GENERATIONS, ids=list(source_ids))
    transaction.run(_STALE, sources=[source for (source,) in found])


def drop_outputs(transaction: Transaction, names: Collection[SessionKey]) -> None:
    """Drop the long tool outputs of some sessions."""
    values = {
        "projects": [project for project, _ in names],
        "session_ids": [session for _, session in names],
    }
    for drop in (_OUTPUT_PIECES, _OUTPUTS_SHIPPED, _NAMED_ROWS.format("output")):
        transaction.run(drop, **values)


def _erase(transaction: Transaction, machine: int, found: Collection[tuple[Any, ...]]) -> None:
    run = transaction.run
    transaction.flush()
    transaction.unname([(project, session) for _, project, session in found])
    sessions = {"sessions": [session for session, _, _ in found]}
    ids = {"ids": [id for (id,) in run(_FILES, **sessions)]}
    sources = {"sources": [source for (source,) in run(_GENERATIONS, **ids)]}
    names = {
        "projects": [project for _, project, _ in found],
        "session_ids": [session for _, _, session in found],
    }
    run(_SHARED, **sources)
    forget_words(transaction, ids["ids"])
    for table in _BY_SOURCE:
        run(f"DELETE FROM {table} WHERE owner = %(owner)s AND source = ANY(%(sources)s)", **sources)  # noqa: S608
    for table in _BY_FILE:
        run(f"DELETE FROM {table} WHERE owner = %(owner)s AND source_id = ANY(%(ids)s)", **ids)  # noqa: S608
    for table in _BY_SESSION:
        mine = f"DELETE FROM {table} WHERE owner = %(owner)s AND session = ANY(%(sessions)s)"  # noqa: S608
        run(mine, **sessions)
    drop_outputs(transaction, [(project, session) for _, project, session in found])
    for table in ("mark", "change"):
        run(_NAMED_ROWS.format(table), **names)
    run(_LIVE, machine=machine, session_ids=names["session_ids"])
    run(RENEW)
    transaction.note("usage", ("", ""))
