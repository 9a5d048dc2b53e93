"""The archive and the files that are still there -> a new index, while the old one serves."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs
from msgspec.msgpack import Decoder

from unspool.derive.usage.prices import Pricer
from unspool.engine.indexing.commits import Commits
from unspool.engine.indexing.indexer import Indexer, SweepReport
from unspool.engine.indexing.replay import Replay
from unspool.engine.indexing.run import Progress
from unspool.engine.indexing.spool import with_projects
from unspool.errors import StoreError
from unspool.model.files import Root
from unspool.model.message import LinkFacts
from unspool.model.prices import PriceTable
from unspool.model.rows import Batch, SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.model.usage import Price
from unspool.source.roots import KnownRoot
from unspool.store import Store

_facts = Decoder(LinkFacts)
_PREFIX = re.compile(r"^r[0-9]+~")


def rebuild(
    store: Store,
    roots: Sequence[Root],
    prices: PriceTable,
    now: int,
    progress: Progress | None = None,
    *,
    known: Sequence[KnownRoot] = (),
) -> SweepReport:
    """Rebuild the index from every generation in the archive, then read the files.

    `known` are all roots of the index: those that are not read now have archived sessions, and
    the archive may have projects under another prefix.
    """
    reports: list[SweepReport] = []

    def fill(fresh: Store) -> None:
        names = [*roots, *_others(roots, known)], {one.path: one.prefix for one in known}
        _replay(store, fresh, Pricer(prices).price_of, names, progress)
        reports.append(Indexer(fresh, roots, prices).sweep(now))

    store.rebuild_into(fill)
    return reports[0]


def _others(roots: Sequence[Root], known: Iterable[KnownRoot]) -> list[Root]:
    paths = {root.path for root in roots}
    left = (one for one in known if one.path not in paths)
    return [Root(0, one.path, one.prefix, os.path.join(one.path, "projects")) for one in left]


def _replay(
    old: Store,
    fresh: Store,
    price: Price,
    names: tuple[Sequence[Root], Mapping[str, str]],
    progress: Progress | None,
) -> None:
    roots, prefixes = names
    known = _known(old)
    total, done = old.status().archived_bytes, 0

    def tell(batches: Sequence[Batch]) -> None:
        nonlocal done
        done += sum(batch.source.offset - batch.begins for batch in batches)
        if progress is not None:
            progress(min(done, total), total)

    commits = Commits(fresh, price, tell)
    for source in (_prefixed(source, prefixes) for source in old.generations()):
        replay = Replay(source, stored_meta(old, known.get(source.source_id)))
        for batch in replay.batches(old.segments(source.source_id, source.generation)):
            commits.add(([], with_projects(batch, roots)))
    commits.flush()
    for _ in fresh.merge():
        pass
    _mark_gone(fresh, known.values())


def _prefixed(source: SourceRow, prefixes: Mapping[str, str]) -> SourceRow:
    prefix = prefixes.get(source.root)
    if prefix is None or not source.project_id:
        return source
    bare = _PREFIX.sub("", source.project_id)
    return structs.replace(source, project_id=prefix + bare)


def _known(old: Store) -> dict[int, SourceRow]:
    """What a damaged index can still say of its files is a help, not a need."""
    try:
        return {source.source_id: source for source in old.sources()}
    except StoreError:
        return {}


def stored_meta(old: Store, source: SourceRow | None) -> AgentMeta | None:
    """An agent's sidecar, which is gone when its file is."""
    if source is None or not source.agent_id:
        return None
    try:
        packed = old.facts(source.project_id, source.session_id).get(source.source_id)
    except StoreError:
        return None
    return _facts.decode(packed).meta if packed else None


def _mark_gone(fresh: Store, sources: Iterable[SourceRow]) -> None:
    gone: dict[int, list[int]] = {}
    for source in sources:
        if source.gone_at is not None:
            gone.setdefault(source.gone_at, []).append(source.source_id)
    for at, ids in sorted(gone.items()):
        fresh.mark_gone(ids, at)
