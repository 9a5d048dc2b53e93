"""Names and roots -> sessions, newest first, each read once while memory allows."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import structs

from unspool.derive.whole import Prices
from unspool.errors import SourceError, UnspoolError
from unspool.model.files import Root, TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.listing import SessionSummary
from unspool.model.prices import PriceTable
from unspool.model.usage import Mode
from unspool.recall.announced import last_activity
from unspool.recall.archive import Archive
from unspool.recall.cache import DEFAULT_BUDGET, DataCache
from unspool.recall.finding import Finder
from unspool.recall.hooks import Spooled
from unspool.recall.marked import AllMarks
from unspool.recall.neighbours import Neighbours
from unspool.recall.owners import Owners
from unspool.recall.reel import Reel
from unspool.recall.session import Session
from unspool.recall.setting import ENTERPRISE, Setting
from unspool.recall.swept import Swept
from unspool.source.files import is_agent, stat_file
from unspool.source.roots import Scope
from unspool.source.session_files import newest_first, session_files
from unspool.source.spool import SPOOL
from unspool.store import Store
from unspool.store.sqlite.marks import MarkStore


class Recall:
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
        self._swept: Swept | None = None
        self._setting = Setting(now, Prices(prices, mode), ENTERPRISE, home, owners=Owners(roots))
        self._neighbours = Neighbours(roots)
        self._cache: DataCache[tuple[str, str, bool], Reel] = DataCache(budget)

    @classmethod
    def in_home(
        cls,
        scope: Scope,
        prices: PriceTable,
        *,
        now: int,
        home: Path,
        archive: Archive | None = None,
    ) -> "Recall":
        """One that knows the marks and hooks of a home too, and its archive where that is given."""
        made, spool = cls(scope.roots, prices, now=now, home=home), os.path.join(scope.home, SPOOL)
        made.rename(MarkStore(Path(scope.home)).all())
        made.listen(spool, archive)
        if archive is not None:
            made.remember(archive)
        return made

    def rename(self, marks: AllMarks) -> None:
        """From now on, sessions have the titles their reader gave them."""
        self._setting = structs.replace(self._setting, marks=marks)

    def is_hidden(self, project_id: str, session_id: str) -> bool:
        """Whether its reader wants to see no more of a session."""
        mark = self._setting.marks.get((project_id, session_id))
        return mark is not None and mark.hidden

    def at(self, now: int) -> None:
        """From now on, say how sessions stand at another moment."""
        self._setting = structs.replace(self._setting, now=now)

    def remember(self, archive: Archive) -> None:
        """From now on, bring sessions back from the archive too where their files are gone."""
        self._swept = Swept(archive, self._roots)
        self.ask_owners(archive.store)

    def ask_owners(self, store: Store) -> None:
        """From now on, ask an index which responses are a session's own."""
        self._setting = structs.replace(self._setting, owners=Owners(self._roots, store))

    def listen(self, spool: str, archive: Archive | None = None) -> None:
        """From now on, take in the hook events of a spool too, and those the archive has of it."""
        self._setting = structs.replace(self._setting, spooled=Spooled(spool, self._roots, archive))

    def spooled(self, project_id: str, session_id: str) -> list[HookEvent]:
        """What hooks told of a session, beyond the log it may have of its own."""
        spooled = self._setting.spooled
        return spooled.of(project_id, session_id) if spooled else []

    def find(self, name: str, *, project: str | None = None) -> TranscriptFile:
        """A session by id, unique beginning, path or `latest`, wherever anything of it lies."""
        return self._finder.by_name(name, project)

    @property
    def _finder(self) -> Finder:
        return Finder(self._roots, self._setting.now, self._setting.spooled, self._swept)

    def open(self, file: TranscriptFile | str | Path) -> Session:
        """Open a session; an agent's file opens as that agent of its session."""
        found = file if isinstance(file, TranscriptFile) else self.find(str(file))
        main = _main_of(found) if is_agent(found.kind) else None
        if main is not None:
            session = Session(self._reel(main), self._neighbours)
            if any(agent.id == found.agent_id for agent in session.agents):
                return session.agent(found.agent_id or "")
        reel = self._reel(found)
        if reel.is_empty and not found.size:
            raise SourceError(f"{found.path} is empty: nothing was said in this session yet.")
        # A warm-up or a lone agent is no part of a session, but it can be read.
        return Session(reel, self._neighbours)

    def _reel(self, file: TranscriptFile) -> Reel:
        is_there = stat_file(file.path) is not None
        key = (file.project_id, file.path, is_there)
        reel = self._cache.get(key)
        if reel is None:
            reel = Reel(file, self._setting, self._swept)
        else:
            reel.refresh(self._setting)
        self._cache.put(key, reel)
        return reel

    def files(self, *, project: str | None = None) -> list[TranscriptFile]:
        """Every session that has a transcript, if only an agent's, last written first."""
        found = self._finder.files()
        if project is not None:
            found = [file for file in found if project.lower() in file.project_id.lower()]
        return newest_first(found)

    def summaries(
        self,
        *,
        project: str | None = None,
        since: int | None = None,
        status: str | None = None,
        limit: int | None = None,
        everything: bool = False,
    ) -> list[SessionSummary]:
        """Sessions as rows, newest first; those with nothing to read only in `everything`."""
        files = self.files()
        others = self._finder.announced({file.session_id for file in files}.__contains__)
        begins, wanted = since or 0, (project or "").lower()
        lately = [
            file
            for file in files
            if file.mtime_ns // 1_000_000 >= begins and wanted in file.project_id.lower()
        ]
        told = [
            row
            for row in others
            if last_activity(row) >= begins and wanted in row.session.project_id.lower()
        ]
        rows = (
            row
            for row in self._rows(lately, told)
            if (everything or row.displayable) and status in (None, row.session.status.state)
        )
        return list(islice(rows, limit))

    def announced(self, is_known: Callable[[str], bool]) -> list[SessionSummary]:
        """Sessions of which only hooks or the registry tell so far, newest activity first."""
        return self._finder.announced(is_known, archived=False)

    def _rows(
        self, files: Iterable[TranscriptFile], others: list[SessionSummary]
    ) -> Iterator[SessionSummary]:
        for file in files:
            while others and last_activity(others[0]) >= file.mtime_ns // 1_000_000:
                yield others.pop(0)
            try:
                yield Session(self._reel(file), self._neighbours).summary()
            except UnspoolError:
                continue  # deleted or locked since it was listed
        yield from others


def _main_of(file: TranscriptFile) -> TranscriptFile | None:
    """The main transcript an agent's file belongs to, where it is still there."""
    if file.session_id is None:
        return None
    project = Path(file.root.projects) / file.project_id.removeprefix(file.root.prefix)
    return session_files(file.root, project, file.session_id).main
