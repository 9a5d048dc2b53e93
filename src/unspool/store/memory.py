"""The reference store: what it is given, kept in lists."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from unspool.derive.usage.responses import merge_rows
from unspool.model.files import OutputFile
from unspool.model.query import Change, SessionKey
from unspool.model.rows import AgentRow, Batch, Segment, SessionRow, SourceRow
from unspool.model.usage import OwnedUsage, Price
from unspool.store import Store
from unspool.store.contract import is_due, is_stray, newer_row, owner, unpriced, with_project
from unspool.store.memory_events import MemoryEvents
from unspool.store.memory_rows import name_of, named, place_of


class MemoryStore(MemoryEvents):
    """Takes every batch that is due, and notes it in the feed."""

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        for source in sources:
            self._generations[place_of(source)] = named(source)
        for new in segments:
            kept = self._segments[new.source_id, new.generation]
            if new.offset in kept and kept[new.offset] != new:
                for offset in [offset for offset in kept if offset >= new.offset]:
                    del kept[offset]
            kept[new.offset] = new

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        for file, data in outputs:
            self._outputs[file.root, file.path] = file, data

    def erase(
        self,
        source_ids: Collection[int],
        outputs: Collection[tuple[str, str]] = (),
        instead: Iterable[Segment] = (),
    ) -> None:
        for known in (self._segments, self._generations):
            for place in [place for place in known if place[0] in source_ids]:
                del known[place]
        for name in outputs:
            self._outputs.pop(name, None)
        for segment in instead:
            self._segments[segment.source_id, segment.generation][segment.offset] = segment

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        self._price = price
        due, known = [], dict(self._newest)
        checkpoints = {place: source.offset for place, source in self._sources.items()}
        for batch in batches:
            source, place = batch.source, place_of(batch.source)
            if is_due(batch, known.get(source.source_id), checkpoints.get(place)):
                due.append(batch)
                known[source.source_id], checkpoints[place] = source.generation, source.offset
        before = merge_rows(self._usage)
        for batch in due:
            self._take(with_project(batch, self._projects))
        self._note_losers(before)
        return self.head()

    def _projects(self, session_ids: Collection[str]) -> dict[str, str]:
        """The projects of sessions by their ids alone, where they are known."""
        known = [
            row for (project, id), row in self._sessions.items() if project and id in session_ids
        ]
        known.sort(key=lambda row: (row.last_activity or 0, row.project_id))
        return {row.session_id: row.project_id for row in known}

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

    def _tell(self, row: SessionRow) -> SessionKey | None:
        name = row.project_id, row.session_id
        new = newer_row(row, self._sessions.get(name))
        if new is not None:
            self._sessions[name] = new
            if row.project_id and not is_stray(new):
                self._adopt(name)
        return None if new is None else name

    def _adopt(self, mine: SessionKey) -> None:
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
        self, kind: str, name: SessionKey, source: SourceRow | None = None, begins: int = 0
    ) -> None:
        place = (*place_of(source), begins, source.offset) if source else (0, 0, 0, 0)
        self._feed.append(Change(self.head() + 1, *name, *place, kind))

    def _note_losers(self, before: dict[str, OwnedUsage]) -> None:
        """A session whose figure shrank has no line of its own to say so."""
        now = merge_rows(self._usage)
        for name in sorted({old[:2] for key, old in before.items() if now[key][:2] != old[:2]}):
            self._note("usage", name)

    def reprice(self, price: Price, prices: str) -> None:
        before = list(self._ledger())
        self._price, self._prices = price, prices
        if list(self._ledger()) != before:
            self._note("usage", ("", ""))

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

    def rebuild_into(self, fill: Callable[[Store], None]) -> None:
        fresh = MemoryStore()
        fresh.marks, fresh._outputs = self.marks, self._outputs
        fresh._segments, fresh._generations = self._segments, self._generations
        fresh._begins = self.head()
        fill(fresh)
        self.__dict__ = fresh.__dict__

    def merge(self) -> Iterator[None]:
        return iter(())

    def settle(self) -> None:
        pass

    def close(self) -> None:
        pass


def _places(batches: list[Batch]) -> list[tuple[int, int]]:
    """Where all lines stand, good and bad."""
    lines = [(line.offset, line.length) for batch in batches for line in batch.lines]
    return lines + [(bad.offset, bad.length) for batch in batches for bad in batch.bad]


def _moved(batch: Batch, strays: set[SessionKey], mine: SessionKey) -> Batch:
    """A batch with the hooks of some sessions as those of another."""
    hooks = [
        replace(hook, project_id=mine[0], session_id=mine[1])
        if owner(hook, batch.source) in strays
        else hook
        for hook in batch.hooks
    ]
    return replace(batch, hooks=hooks)
