"""Names and roots -> sessions, newest first, each read once while memory allows."""

import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from msgspec import structs

from unspool.derive.approvals import hook_state
from unspool.derive.whole import Prices
from unspool.engine.archive.reader import Archive
from unspool.engine.cache import DEFAULT_BUDGET, DataCache
from unspool.engine.hooks.events import SpoolEvents
from unspool.engine.quota import QuotaLog, RecentQuota
from unspool.engine.sessions.finder import Finder
from unspool.engine.sessions.grouping import Grouping
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.marks import AllMarks
from unspool.engine.sessions.options import ENTERPRISE, ReadingOptions
from unspool.engine.sessions.ownership import Owners
from unspool.engine.sessions.related import RelatedSessions
from unspool.engine.sessions.row import RowContext, last_activity, place, session_row
from unspool.engine.sessions.session import SessionReader
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.errors import SourceError, UnspoolError
from unspool.model.document import TotalMetrics
from unspool.model.files import Root, TranscriptFile
from unspool.model.prices import PriceTable
from unspool.model.session import SessionSummary
from unspool.model.usage import Mode
from unspool.source.files import is_agent, stat_file
from unspool.source.roots import Scope
from unspool.source.session_files import newest_first, session_files
from unspool.source.spool import SPOOL
from unspool.store import Store
from unspool.store.sqlite.marks import MarkStore

_MakeRow: TypeAlias = Callable[[], SessionSummary | None]


class RootSessions:
    """Brings sessions back from the transcripts of some roots."""

    def __init__(
        self,
        roots: Sequence[Root],
        prices: PriceTable,
        *,
        now: int,
        mode: Mode = "billing",
        home: Path | None = None,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._roots = roots
        self._swept: ArchivedSessions | None = None
        self._setting = ReadingOptions(
            now, Prices(prices, mode), ENTERPRISE, home, owners=Owners(roots)
        )
        self._neighbours = RelatedSessions(roots)
        self._cache: DataCache[tuple[str, str, bool], LiveSession] = DataCache(budget)

    @classmethod
    def in_home(
        cls,
        scope: Scope,
        prices: PriceTable,
        *,
        now: int,
        home: Path,
        archive: Archive | None = None,
    ) -> "RootSessions":
        """One that knows the marks and hooks of a home too, and its archive where that is given."""
        made, spool = cls(scope.roots, prices, now=now, home=home), os.path.join(scope.home, SPOOL)
        made.rename(MarkStore(Path(scope.home)).all())
        made.limit(QuotaLog(scope.home))
        made.listen(spool, archive)
        if archive is not None:
            made.remember(archive)
        return made

    def rename(self, marks: AllMarks) -> None:
        """From now on, sessions have the titles their reader gave them."""
        self._setting = structs.replace(self._setting, marks=marks)

    def group(self, groups: Grouping) -> None:
        """From now on, rows say which project their checkout belongs to."""
        self._setting = structs.replace(self._setting, groups=groups)

    def limit(self, quota: RecentQuota) -> None:
        """From now on, say when a usage limit is reset that its message does not name."""
        self._setting = structs.replace(self._setting, recent_quota=quota)

    def at(self, now: int) -> None:
        """From now on, say how sessions stand at another moment."""
        self._setting = structs.replace(self._setting, now=now)

    def remember(self, archive: Archive) -> None:
        """From now on, bring sessions back from the archive too where their files are gone."""
        swept = self._swept = ArchivedSessions(archive, self._roots)
        self.ask_owners(archive.store)
        self._neighbours = RelatedSessions(self._roots, archive.store, lambda: swept)

    def ask_owners(self, store: Store) -> None:
        """From now on, ask an index which responses are a session's own, and who is related."""
        self._neighbours = RelatedSessions(self._roots, store)
        self._setting = structs.replace(self._setting, owners=Owners(self._roots, store))

    def listen(self, spool: str, archive: Archive | None = None) -> None:
        """From now on, take in the hook events of a spool too, and those the archive has of it."""
        self._setting = structs.replace(
            self._setting, spooled=SpoolEvents(spool, self._roots, archive)
        )

    def find(self, name: str, *, project: str | None = None) -> TranscriptFile:
        """A session by id, unique beginning, path or `latest`, wherever anything of it lies."""
        newest = self._latest(project) if name == "latest" else None
        return newest or self._finder.by_name(name, project)

    def _latest(self, project: str | None) -> TranscriptFile | None:
        """The first of the list that has a transcript."""
        files = {(file.project_id, file.session_id): file for file in self.files()}
        for row in self.summaries(project=project or ""):
            file = files.get((row.session.project_id, row.session.id))
            if file is not None and not row.hidden and project in (None, file.project_id):
                return file
        return None

    @property
    def _finder(self) -> Finder:
        return Finder(self._roots, self._setting.spooled, self._swept)

    def open(self, file: TranscriptFile | str | Path) -> SessionReader:
        """Open a session; an agent's file opens as that agent of its session."""
        found = file if isinstance(file, TranscriptFile) else self.find(str(file))
        main = _main_of(found) if is_agent(found.kind) else None
        if main is not None:
            session = SessionReader(self._live(main), self._neighbours)
            if any(agent.id == found.agent_id for agent in session.agents):
                return session.agent(found.agent_id or "")
        # A warm-up or a lone agent is no part of a session, but it can be read.
        return SessionReader(self._begun(found), self._neighbours)

    def _begun(self, file: TranscriptFile) -> LiveSession:
        """A session of which something is known; SourceError for others."""
        live = self._live(file)
        if live.is_empty and not file.size:
            raise SourceError(f"{file.path} is empty: this session has no messages yet.")
        return live

    def _live(self, file: TranscriptFile) -> LiveSession:
        is_there = stat_file(file.path) is not None
        key = (file.project_id, file.path, is_there)
        live = self._cache.get(key)
        if live is None:
            live = LiveSession(file, self._setting, self._swept)
        else:
            live.refresh(self._setting)
        self._cache.put(key, live)
        return live

    def files(self, *, project: str | None = None) -> list[TranscriptFile]:
        """Every session that has a transcript, if only an agent's, last written first."""
        found = self._finder.files()
        if project is not None:
            is_asked = self._setting.groups.matching(project)
            found = [file for file in found if is_asked(file.project_id)]
        return newest_first(found)

    def named(self, session_id: str) -> list[TranscriptFile]:
        """The sessions of an id, of whichever project, newest first."""
        return self._finder.named(session_id)

    def everything(self) -> list[TranscriptFile]:
        """Every session, also those that only hooks know, by where its transcript would be."""
        return self._finder.everything()

    def summaries(
        self, *, project: str = "", since: int | None = None, everything: bool = False
    ) -> Iterator[SessionSummary]:
        """Sessions, newest activity first; as many files as it takes are read.

        Those with nothing to read are there only in `everything`.
        """
        files, is_asked = self.files(project=project), self._setting.groups.matching(project)
        lately = [file for file in files if file.mtime_ns // 1_000_000 >= (since or 0)]
        known = {file.session_id or "" for file in files}
        others = [r for r in self._hook_only_rows(known) if is_asked(r.session.project_id)]
        for row in _newest_first(self._rows(lately), others):
            if last_activity(row) >= (since or 0) and (everything or row.displayable):
                yield row

    def _hook_only_rows(self, known: Container[str]) -> Iterator[SessionSummary]:
        """Sessions of which only hooks or the registry tell so far."""
        setting = self._setting
        for facts, events, live in self._finder.hook_only_sessions(known.__contains__):
            mark = setting.marks.get((facts.project_id, facts.session_id))
            group = setting.groups.of(facts.project_id)
            context = RowContext(setting.now, mark, group, setting.recent_quota)
            yield session_row(facts, hook_state(events), live, TotalMetrics(), context)

    def _rows(self, files: Iterable[TranscriptFile]) -> Iterator[tuple[int, _MakeRow]]:
        """Each to be made, with when its file was last written."""
        return ((file.mtime_ns // 1_000_000, partial(self._row, file)) for file in files)

    def _row(self, file: TranscriptFile) -> SessionSummary | None:
        try:
            return SessionReader(self._begun(file), self._neighbours).summary()
        except UnspoolError:
            return None  # empty, or deleted or locked since it was listed


def _newest_first(
    rows: Iterable[tuple[int, _MakeRow]], others: Iterable[SessionSummary]
) -> Iterator[SessionSummary]:
    """Rows in the order of files -> in that of activity, which is mostly no later than its file.

    A row is made when those before it have been taken, and no sooner.
    A file may be younger than all that was said in it: a copy, a restored backup.
    """
    waiting = [(place(row), row) for row in others]
    for written, make in rows:
        waiting.sort(key=_first, reverse=True)
        while waiting and waiting[0][0][0] > written:
            yield waiting.pop(0)[1]
        row = make()
        if row is not None:
            waiting.append((place(row), row))
    yield from (row for _, row in sorted(waiting, key=_first, reverse=True))


def _first(found: tuple[tuple[int, str, str], SessionSummary]) -> tuple[int, str, str]:
    return found[0]


def _main_of(file: TranscriptFile) -> TranscriptFile | None:
    """The main transcript an agent's file belongs to, where it is still there."""
    if file.session_id is None:
        return None
    project = Path(file.root.projects) / file.project_id.removeprefix(file.root.prefix)
    return session_files(file.root, project, file.session_id).main
