"""The reference: the contract in its plainest form, kept in lists and added up when asked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from unspool.derive.usage.responses import QUARTER, settled
from unspool.model.files import OutputFile
from unspool.model.query import (
    Change,
    Hit,
    ModelUsage,
    Name,
    SessionListing,
    SessionQuery,
    StoreStatus,
    TextQuery,
    UsageTotal,
)
from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SessionRow, SourceRow
from unspool.model.usage import OwnedUsage, Price, UsageRow
from unspool.store.contract import MESSAGE_TYPES, at_home, is_due, is_stray, owner, told, unpriced
from unspool.store.pack import sliced
from unspool.store.shown import (
    fits,
    hit,
    is_asked,
    listing,
    model_usage,
    name_of,
    named,
    newest,
    place_of,
    total,
)
from unspool.store.terms import found, terms

Place = tuple[int, int]  # source and generation


class MemoryStore:
    """Every batch as it was given; nothing is kept twice, so nothing can disagree."""

    def __init__(self) -> None:
        self._sources: dict[Place, SourceRow] = {}
        self._newest: dict[int, int] = {}
        self._batches: dict[Place, list[Batch]] = defaultdict(list)
        self._facts: dict[Place, bytes] = {}
        self._unlinked: set[Name] = set()
        self._usage: list[OwnedUsage] = []
        self._price: Price = unpriced
        self._sessions: dict[Name, SessionRow] = {}
        self._agents: dict[Name, dict[str, AgentRow]] = {}
        self._segments: dict[Place, dict[int, Segment]] = defaultdict(dict)
        self._generations: dict[Place, SourceRow] = {}
        self._outputs: dict[tuple[str, str], tuple[OutputFile, bytes]] = {}
        self._names: set[Name] = set()
        self._feed: list[Change] = []

    def sources(self) -> list[SourceRow]:
        return [self._sources[place] for place in sorted(self._newest.items())]

    def spools(self) -> list[SourceRow]:
        return [source for source in self.sources() if source.kind == "spool"]

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        for source in sources:
            self._generations[place_of(source)] = named(source)
        for new in segments:
            kept = self._segments[new.source_id, new.generation]
            if new.offset in kept and kept[new.offset] != new:
                for offset in [offset for offset in kept if offset >= new.offset]:
                    del kept[offset]
            kept[new.offset] = new

    def generations(self) -> list[SourceRow]:
        return [self._generations[place] for place in sorted(self._generations)]

    def archived(self, source_id: int, generation: int) -> int:
        end = 0
        for segment in self.segments(source_id, generation):
            end = max(end, segment.end) if segment.offset <= end else end
        return end

    def segments(self, source_id: int, generation: int) -> Iterator[Segment]:
        kept = self._segments.get((source_id, generation), {})
        yield from (kept[offset] for offset in sorted(kept))

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        return sliced(self.segments(source_id, generation), offset, length)

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        for file, data in outputs:
            self._outputs[file.root, file.path] = file, data

    def outputs(self) -> list[OutputFile]:
        return [file for file, _ in self._outputs.values()]

    def output(self, root: str, path: str) -> bytes | None:
        found = self._outputs.get((root, path))
        return found[1] if found else None

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        self._price = price
        due, known = [], dict(self._newest)
        checkpoints = {place: source.offset for place, source in self._sources.items()}
        for batch in batches:
            source, place = batch.source, place_of(batch.source)
            if is_due(batch, known.get(source.source_id), checkpoints.get(place)):
                due.append(batch)
                known[source.source_id], checkpoints[place] = source.generation, source.offset
        before = settled(self._usage)
        for batch in due:
            self._take(at_home(batch, self._project))
        self._note_losers(before)
        return self.head()

    def _project(self, session_id: str) -> str:
        """The project of a session of which only the id is known; "" where there is none."""
        known = [row for name, row in self._sessions.items() if name[0] and name[1] == session_id]
        known.sort(key=lambda row: (row.last_activity or 0, row.project_id))
        return known[-1].project_id if known else ""

    def _take(self, batch: Batch) -> None:
        source, place = batch.source, place_of(batch.source)
        last = self._newest.get(source.source_id, source.generation)
        before = [old for old in self._batches[place] if old.is_provisional]
        for known in {place, (source.source_id, last)}:
            self._batches[known] = [old for old in self._batches[known] if not old.is_provisional]
        self._batches[place].append(batch)
        self._sources[place] = source
        self._newest[source.source_id] = source.generation
        if batch.facts:
            self._facts[place] = batch.facts
            self._unlinked.add(name_of(source))
        self._usage += [OwnedUsage(*name_of(source), row) for row in batch.usage]
        self._names.add(name_of(source))
        news = {name for row in batch.sessions if (name := self._tell(row))}
        if last < source.generation:
            self._note("restart", name_of(source), source, batch.begins)
        elif source.offset > batch.begins or _places(before) != _places([batch]):
            self._note("lines", name_of(source), source, batch.begins)
        elif name_of(source) in news:
            self._note("session", name_of(source), source, batch.begins)
        news |= {owner(hook, source) for hook in batch.hooks}
        self._names |= news
        for name in sorted(news - {name_of(source)}):
            self._note("session", name, source, batch.begins)

    def _tell(self, row: SessionRow) -> Name | None:
        name = row.project_id, row.session_id
        new = told(row, self._sessions.get(name))
        if new is not None:
            self._sessions[name] = new
            if row.project_id and not is_stray(new):
                self._adopt(name)
        return None if new is None else name

    def _adopt(self, mine: Name) -> None:
        """Hooks that came before their session's project was known become its own."""
        known = [name for name in self._names if name[1] == mine[1] != "" and name != mine]
        rows = {name: self._sessions.get(name) for name in known}
        strays = {name for name, row in rows.items() if not name[0] or (row and is_stray(row))}
        strays -= {name_of(source) for source in self._sources.values()}
        if not strays:
            return
        self._names -= strays
        for stray in strays:
            self._sessions.pop(stray, None)
        for place, batches in self._batches.items():
            self._batches[place] = [_moved(batch, strays, mine) for batch in batches]

    def _note(
        self, kind: str, name: Name, source: SourceRow | None = None, begins: int = 0
    ) -> None:
        place = (*place_of(source), begins, source.offset) if source else (0, 0, 0, 0)
        self._feed.append(Change(len(self._feed) + 1, *name, *place, kind))

    def _note_losers(self, before: dict[str, OwnedUsage]) -> None:
        """A session whose figure shrank has no line of its own to say so."""
        now = settled(self._usage)
        for name in sorted({old[:2] for key, old in before.items() if now[key][:2] != old[:2]}):
            self._note("usage", name)

    def reprice(self, price: Price, prices: str) -> None:
        before = list(self._ledger())
        self._price = price
        if list(self._ledger()) != before:
            self._note("usage", ("", ""))

    def _ledger(self) -> Iterator[OwnedUsage]:
        """Each response once, priced."""
        for owned in settled(self._usage).values():
            yield owned._replace(row=owned.row._replace(usd_pico=self._price(owned.row)))

    def owners(self, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
        known = settled(self._usage)
        return {key: known[key][:2] for key in keys if key in known}

    def responses(self, project_id: str, session_id: str) -> list[UsageRow]:
        name = project_id, session_id
        return [owned.row for owned in self._ledger() if owned[:2] == name]

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

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        name, new = (project_id, session_id), {row.agent_id: row for row in rows}
        self._unlinked.discard(name)
        self._names.add(name)
        if self._agents.get(name, {}) != new:
            self._agents[name] = new
            self._note("agents", name)

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        for source in self.sources():
            if source.source_id in source_ids and source.gone_at is None:
                self._sources[place_of(source)] = replace(source, gone_at=at)
                self._note("gone", name_of(source), source, source.offset)

    def sessions(self, query: SessionQuery) -> list[SessionListing]:
        rows = [row for row in map(self._listing, self._names) if is_asked(row, query)]
        if not query.everything:
            rows = [row for row in rows if row.is_displayable]
        rows.sort(key=newest, reverse=True)
        return [row for row in rows if query.after is None or newest(row) < query.after][
            : query.limit
        ]

    def search(self, query: TextQuery) -> list[Hit]:
        wanted = terms(query.terms)
        if query.terms.strip() and not wanted:
            return []
        hits = [
            hit(batch, text.line_id, self._listing(name_of(batch.source)).title)
            for batch in self._current()
            for text in batch.texts
            if found(wanted, text.body)
        ]
        hits = [hit for hit in hits if fits(hit, query)]
        hits.sort(key=lambda hit: (hit.line_id >> 22, hit.source_id, hit.offset), reverse=True)
        seen = [hit.line_id for hit in hits]
        start = seen.index(query.before) + 1 if query.before in seen else 0
        return hits[start : start + query.limit]

    def totals(self) -> Iterator[UsageTotal]:
        groups: dict[tuple[int, str, str, str, str], list[UsageRow]] = defaultdict(list)
        for project, session, row in self._ledger():
            quarter = max(0, row.timestamp or 0) // QUARTER * QUARTER
            groups[quarter, project, session, row.agent_id, row.model].append(row)
        return (total(key, groups[key]) for key in sorted(groups))

    def usage_of(self, names: Sequence[Name]) -> dict[Name, list[ModelUsage]]:
        groups: dict[Name, dict[str, list[UsageRow]]] = {}
        for project, session, row in self._ledger():
            if (project, session) in names:
                models = groups.setdefault((project, session), {})
                models.setdefault(row.model, []).append(row)
        return {
            name: [model_usage(model, rows) for model, rows in models.items()]
            for name, models in groups.items()
        }

    def agents_of(self, names: Sequence[Name]) -> dict[Name, list[bytes]]:
        known = ((name, self._agents.get(name, {})) for name in names)
        return {name: [row.facts for row in rows.values()] for name, rows in known if rows}

    def changes(self, *, after: int = 0, limit: int = 500) -> list[Change]:
        return self._feed[after : after + limit]

    def head(self) -> int:
        return len(self._feed)

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

    def merge(self) -> Iterator[None]:
        return iter(())

    def settle(self) -> None:
        pass

    def close(self) -> None:
        pass

    def _current(self) -> Iterator[Batch]:
        """Batches of newest generations, under the names their files have by now."""
        for place in sorted(self._newest.items()):
            for batch in self._batches[place]:
                yield replace(batch, source=self._sources[place])

    def _listing(self, name: Name) -> SessionListing:
        return listing(
            self._sessions.get(name) or name,
            [source for source in self.sources() if name_of(source) == name],
            [batch for batch in self._current() if name_of(batch.source) == name],
            sum(owner(h, b.source) == name for b in self._current() for h in b.hooks),
        )


def _places(batches: list[Batch]) -> list[tuple[int, int]]:
    """Where all lines stand, good and bad."""
    lines = [(line.offset, line.length) for batch in batches for line in batch.lines]
    return lines + [(bad.offset, bad.length) for batch in batches for bad in batch.bad]


def _moved(batch: Batch, strays: set[Name], mine: Name) -> Batch:
    """A batch with the hooks of some sessions as those of another."""
    hooks = [
        replace(hook, project_id=mine[0], session_id=mine[1])
        if owner(hook, batch.source) in strays
        else hook
        for hook in batch.hooks
    ]
    return replace(batch, hooks=hooks)
