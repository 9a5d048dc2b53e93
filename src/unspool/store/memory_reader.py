"""The reference store's answers: the contract in its plainest form, worked out when asked."""

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import chain

from msgspec import UNSET
from msgspec.structs import asdict, replace

from unspool.derive.usage.responses import QUARTER, is_used, merge_rows
from unspool.model.api import Marks, MarksUpdate
from unspool.model.files import OutputFile
from unspool.model.health import StoreStatus
from unspool.model.query import (
    BadLinePlace,
    Change,
    Facets,
    HitCount,
    HitCounts,
    LineLocation,
    ModelUsage,
    OddityCount,
    ProjectTotal,
    Scope,
    SearchHits,
    SessionKey,
    SessionListing,
    SessionQuery,
    TextQuery,
    TotalsQuery,
    UsageTotal,
)
from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SessionRow, SourceRow, TextKind
from unspool.model.usage import OwnedUsage, Price, UsageRow
from unspool.store.contract import MESSAGE_TYPES, most_frequent, owner, unpriced
from unspool.store.memory_rows import (
    TotalKey,
    coarser,
    fits,
    hit,
    is_asked,
    is_wanted,
    listing,
    model_usage,
    name_of,
    newest,
    place_of,
    project_total,
    total,
)
from unspool.store.pack import sliced
from unspool.store.terms import found, terms, words

Place = tuple[int, int]  # source and generation


class MemoryMarks:
    """What the user decided about sessions."""

    def __init__(self) -> None:
        self._marks: dict[SessionKey, Marks] = {}
        self._changes = 0

    def all(self) -> dict[SessionKey, Marks]:
        return self._marks

    def of(self, project_id: str, session_id: str) -> Marks:
        none = Marks(project_id=project_id, session_id=session_id)
        return self._marks.get((project_id, session_id), none)

    def stamp(self) -> Hashable:
        return self._changes

    def change(self, project_id: str, session_id: str, given: MarksUpdate) -> Marks:
        new = {name: value for name, value in asdict(given).items() if value is not UNSET}
        marks = replace(self.of(project_id, session_id), **new)
        self._marks = {**self._marks, (project_id, session_id): marks}
        if marks == Marks(project_id=project_id, session_id=session_id):
            del self._marks[project_id, session_id]
        self._changes += 1
        return marks

    def erase(self, names: Collection[SessionKey]) -> None:
        self._marks = {name: mark for name, mark in self._marks.items() if name not in names}
        self._changes += 1


class MemoryReader:
    """Every batch as it was given; nothing is kept twice, so nothing can disagree."""

    def __init__(self) -> None:
        self._sources: dict[Place, SourceRow] = {}
        self._newest: dict[int, int] = {}
        self._batches: dict[Place, list[Batch]] = defaultdict(list)
        self._facts: dict[Place, bytes] = {}
        self._unlinked: set[SessionKey] = set()
        self._usage: list[OwnedUsage] = []
        self._price: Price = unpriced
        self._prices = ""
        self.marks = MemoryMarks()
        self._sessions: dict[SessionKey, SessionRow] = {}
        self._agents: dict[SessionKey, dict[str, AgentRow]] = {}
        self._segments: dict[Place, dict[int, Segment]] = defaultdict(dict)
        self._generations: dict[Place, SourceRow] = {}
        self._outputs: dict[tuple[str, str], tuple[OutputFile, bytes]] = {}
        self._names: set[SessionKey] = set()
        self._feed: list[Change] = []
        self._begins = 0  # seq of the last change before the feed

    def sources(self) -> list[SourceRow]:
        return [self._sources[place] for place in sorted(self._newest.items())]

    def source(self, source_id: int) -> SourceRow | None:
        return next((one for one in self.sources() if one.source_id == source_id), None)

    def sources_of(self, project_id: str, session_id: str) -> list[SourceRow]:
        return [one for one in self.sources() if name_of(one) == (project_id, session_id)]

    def roots(self) -> list[str]:
        return sorted({source.root for source in self.sources()})

    def line_at(self, source_id: int, generation: int, offset: int) -> LineLocation | None:
        source = self._sources.get((source_id, generation))
        for batch in self._batches.get((source_id, generation), ()):
            for line in batch.lines:
                if source and line.offset == offset:
                    agent = line.agent_id or source.agent_id
                    return LineLocation(line.length, *name_of(source), agent, source.root)
        return None

    def file_states(self) -> list[tuple[str, str, int, int]]:
        there = (source for source in self.sources() if source.gone_at is None)
        return [(one.root, one.path, one.size, one.mtime_ns) for one in there]

    def line_counts(self) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], set[int]] = {}
        for batch in self._current():
            rows = (row for rows in (batch.lines, batch.bad) for row in rows)
            before = {row.line_number for row in rows if row.offset < batch.source.offset}
            if before:
                found.setdefault(place_of(batch.source), set()).update(before)
        return {place: len(numbers) for place, numbers in found.items()}

    def bad_lines(self, *, limit: int) -> list[BadLinePlace]:
        found = [
            (-source.mtime_ns, BadLinePlace(source.root, source.path, bad.line_number, bad.reason))
            for source, bads in ((batch.source, batch.bad) for batch in self._current())
            for bad in bads
        ]
        return [bad for _, bad in sorted(found)][:limit]

    def oddities(self, *, limit: int) -> list[OddityCount]:
        counts: Counter[tuple[str, str, str]] = Counter()
        for batch in self._current():
            for row in batch.oddities:
                counts[row.version, row.what, row.name] += row.count
        found = [OddityCount(*name, count) for name, count in counts.items()]
        return sorted(found, key=lambda one: (-one.count, one))[:limit]

    def unpriced_models(self, *, limit: int) -> list[tuple[str, int]]:
        counts = Counter(row.model for _, _, row in self._ledger() if row.usd_pico is None)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def spools(self) -> list[SourceRow]:
        return [source for source in self.sources() if source.kind == "spool"]

    def generations(self) -> list[SourceRow]:
        return [self._generations[place] for place in sorted(self._generations)]

    def archived(self, source_id: int, generation: int) -> int:
        end = 0
        for segment in self.segments(source_id, generation):
            end = max(end, segment.end) if segment.offset <= end else end
        return end

    def segments(self, source_id: int, generation: int, after: int = 0) -> Iterator[Segment]:
        kept = self._segments.get((source_id, generation), {})
        every = (kept[offset] for offset in sorted(kept))
        yield from (segment for segment in every if segment.end > after)

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        return sliced(self.segments(source_id, generation), offset, length)

    def outputs(self) -> list[OutputFile]:
        return [file for file, _ in self._outputs.values()]

    def output(self, root: str, path: str) -> bytes | None:
        found = self._outputs.get((root, path))
        return found[1] if found else None

    def _ledger(self) -> Iterator[OwnedUsage]:
        """Each response that counts once, priced."""
        return (owned for owned in self._priced() if is_used(owned.row))

    def _priced(self) -> Iterator[OwnedUsage]:
        for owned in merge_rows(self._usage).values():
            yield owned._replace(row=owned.row._replace(usd_pico=self._price(owned.row)))

    def prices(self) -> str:
        return self._prices

    def check(self, *, thorough: bool = False) -> list[str]:
        return []

    def owners(self, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
        known = merge_rows(self._usage)
        return {key: known[key][:2] for key in keys if key in known}

    def responses(self, project_id: str, session_id: str) -> list[UsageRow]:
        name = project_id, session_id
        return [owned.row for owned in self._priced() if owned[:2] == name]

    def hooks(self, project_id: str, session_id: str) -> list[HookRow]:
        name = project_id, session_id
        mine = [
            replace(hook, session_id=session_id, project_id=project_id)
            for batch in self._current()
            for hook in batch.hooks
            if owner(hook, batch.source) == name
        ]
        return sorted(mine, key=lambda hook: (hook.timestamp or 0, hook.line_id))

    def facts(self, project_id: str, session_id: str) -> dict[int, bytes]:
        mine = [s for s in self.sources() if name_of(s) == (project_id, session_id)]
        return {s.source_id: self._facts[place_of(s)] for s in mine if place_of(s) in self._facts}

    def fold_state(self, source_id: int, generation: int) -> tuple[int, bytes] | None:
        batches = self._batches.get((source_id, generation), ())
        return next(((b.source.offset, b.state) for b in reversed(batches) if b.state), None)

    def message_uuids(self, source_id: int, generation: int, end: int) -> list[tuple[str, str]]:
        return [
            (line.uuid, line.agent_id)
            for batch in self._batches.get((source_id, generation), ())
            for line in batch.lines
            if line.uuid and line.offset < end and line.type in MESSAGE_TYPES
        ]

    def hook_sessions(self) -> list[tuple[str, str]]:
        return sorted(name for name, row in self._sessions.items() if row.origin == "hook")

    def unlinked(self) -> list[tuple[str, str]]:
        return sorted(self._unlinked)

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        rows = [row for row in map(self._listing, self._names) if is_asked(row, query)]
        rows = [
            row for row in rows if self._is_within((row.project_id, row.session_id), query.scope)
        ]
        if not query.everything:
            rows = [row for row in rows if row.is_displayable]
        rows.sort(key=newest, reverse=True)
        return [row for row in rows if query.after is None or newest(row) < query.after][
            : query.limit
        ]

    def search(self, query: TextQuery) -> SearchHits:
        wanted = terms(query.terms)
        if query.terms.strip() and not wanted:
            return SearchHits()
        groups = [list(chain.from_iterable(map(terms, group))) for group in query.one_of]
        hits = [
            hit(batch, text.line_id, self._listing(name_of(batch.source)).title)
            for batch in self._current()
            for text in batch.texts
            if found(wanted, text.body)
            and all(any(found([one], text.body) for one in group) for group in groups)
        ]
        hits = [hit for hit in hits if fits(hit, query)]
        hits.sort(key=lambda hit: (hit.line_id >> 22, hit.source_id, hit.offset), reverse=True)
        seen = [hit.line_id for hit in hits]
        start = seen.index(query.before) + 1 if query.before in seen else 0
        return SearchHits(hits[start : start + query.limit])

    def count_hits(self, query: TextQuery, roots: Collection[str] = ()) -> HitCounts:
        if not terms(query.terms):
            return HitCounts()
        groups: dict[tuple[str, str, TextKind], list[int]] = defaultdict(list)
        for one in self.search(replace(query, kinds=(), before=None, limit=sys.maxsize)):
            source = self.source(one.source_id)
            if not roots or (source is not None and source.root in roots):
                groups[one.project_id, one.session_id, one.text_kind].append(one.line_id >> 22)
        return HitCounts(tuple(HitCount(*key, len(at), max(at)) for key, at in groups.items()))

    def words_with(self, parts: Collection[str], limit: int) -> dict[str, list[str] | None]:
        texts = (text.body for batch in self._current() for text in batch.texts)
        every = sorted({word for text in texts for word in words(text)})
        answers = {part: [word for word in every if part in word] for part in parts}
        return {part: one if len(one) <= limit else None for part, one in answers.items()}

    def totals(self, query: TotalsQuery) -> Iterator[UsageTotal]:
        cells: dict[TotalKey, list[UsageRow]] = defaultdict(list)
        for project, session, row in self._ledger():
            if self._is_within((project, session), query.scope):
                quarter = max(0, row.timestamp or 0) // QUARTER * QUARTER
                cells[quarter, project, session, row.agent_id, row.model].append(row)
        wanted = [(key, rows) for key, rows in cells.items() if is_wanted(key, rows, query)]
        groups: dict[TotalKey, list[UsageRow]] = defaultdict(list)
        for key, rows in wanted:
            groups[coarser(key, query.by)] += rows
        return (total(key, groups[key], query.by) for key in sorted(groups))

    def projects(
        self, scope: Scope = None, *, ids: Collection[str] | None = None
    ) -> list[ProjectTotal]:
        rows = [row for row in map(self._listing, self._names) if row.is_displayable]
        groups: dict[str, list[SessionListing]] = defaultdict(list)
        for row in rows:
            if self._is_within((row.project_id, row.session_id), scope):
                groups[row.project_id].append(row)
        ledger = list(self._ledger())
        return [
            project_total(id, groups[id], [owned for owned in ledger if owned.project_id == id])
            for id in sorted(groups)
            if ids is None or id in ids
        ]

    def project_ids(self) -> list[str]:
        return sorted({project for project, _ in self._names if project})

    def facets(self, *, limit: int, newest: int = 2_000) -> Facets:
        rows = self.sessions(SessionQuery(limit=newest))
        return Facets(
            most_frequent((row.git_branch for row in rows), limit),
            most_frequent((row.model for row in rows), limit),
        )

    def _is_within(self, name: SessionKey, scope: Scope) -> bool:
        """Whether a session has a file in some roots."""
        mine = {source.root for source in self.sources_of(*name)}
        return scope is None or any(
            root in mine and project in ("", name[0]) for root, project in scope
        )

    def usage_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[ModelUsage]]:
        groups: dict[SessionKey, dict[str, list[UsageRow]]] = {}
        for project, session, row in self._ledger():
            if (project, session) in names:
                models = groups.setdefault((project, session), {})
                models.setdefault(row.model, []).append(row)
        return {
            name: [model_usage(model, rows) for model, rows in models.items()]
            for name, models in groups.items()
        }

    def related(self, ties: Collection[int]) -> list[str]:
        every = (batch for batches in self._batches.values() for batch in batches)
        tied = {name_of(batch.source) for batch in every if not {*ties}.isdisjoint(batch.ties)}
        rows = (self._sessions.get(name) for name in tied)
        return sorted({row.transcript_path for row in rows if row and row.transcript_path})

    def agents_of(self, names: Sequence[SessionKey]) -> dict[SessionKey, list[bytes]]:
        known = ((name, self._agents.get(name, {})) for name in names)
        return {name: [row.facts for row in rows.values()] for name, rows in known if rows}

    def changes(self, *, after: int = 0, limit: int = 500) -> list[Change]:
        return [change for change in self._feed if change.seq > after][:limit]

    def head(self) -> int:
        return self._begins + len(self._feed)

    def status(self) -> StoreStatus:
        current = list(self._current())
        lines = sum(len(batch.lines) for batch in current)
        everything = sum(len(b.lines) for made in self._batches.values() for b in made)
        kept = [segment for made in self._segments.values() for segment in made.values()]
        return StoreStatus(
            lines=lines,
            superseded=everything - lines,
            sessions=len(self._names),
            sources=len(self._newest),
            hook_files=sum(source.kind in ("hook_log", "spool") for source in self.sources()),
            gone=sum(source.gone_at is not None for source in self.sources()),
            bad_lines=sum(len(batch.bad) for batch in current),
            hook_events=sum(len(batch.hooks) for batch in current),
            seq=self.head(),
            raw_bytes=sum(len(segment.packed) for segment in kept),
            archived_bytes=sum(segment.end - segment.offset for segment in kept),
            outputs=len(self._outputs),
            output_bytes=sum(file.size for file in self.outputs()),
        )

    def _current(self) -> Iterator[Batch]:
        """Batches of newest generations, under the names their files have by now."""
        for place in sorted(self._newest.items()):
            for batch in self._batches[place]:
                yield replace(batch, source=self._sources[place])

    def _listing(self, name: SessionKey) -> SessionListing:
        found = listing(
            self._sessions.get(name) or name,
            [source for source in self.sources() if name_of(source) == name],
            [batch for batch in self._current() if name_of(batch.source) == name],
            sum(owner(h, b.source) == name for b in self._current() for h in b.hooks),
        )
        return replace(found, title=self.marks.of(*name).title or found.title)
