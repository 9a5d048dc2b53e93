"""The library: the sessions of some Claude Code directories, behind one object.

It uses an index where there is one and never writes it. Nothing is redacted but exports.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import date, datetime
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Event
from typing import Final, Literal, Self, TypeAlias
from weakref import finalize

from msgspec import structs

from unspool.engine import dates
from unspool.engine.board.feed import BoardQuery, board_query, boards, current_board
from unspool.engine.freshness import is_unchanged, listing_of
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.search.full_text import Results, Search
from unspool.engine.sessions.index_scope import IndexScope
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.row import last_activity
from unspool.engine.sessions.session import Session, SessionReader
from unspool.engine.settings import settings
from unspool.engine.stores import Stores
from unspool.engine.usage.cost import (
    CAUSES,
    GROUPS,
    PERIODS,
    BlockQuery,
    BlockReport,
    CostQuery,
    block_report,
    cost_report,
    matching,
)
from unspool.engine.usage.totals import RootUsage
from unspool.errors import StoreError, UsageError
from unspool.model.api import Explanation
from unspool.model.document import StatusName
from unspool.model.live import LiveEvent
from unspool.model.query import TextQuery
from unspool.model.rows import TextKind
from unspool.model.session import Board, SessionSummary
from unspool.model.usage import Report, TotalRow
from unspool.source.roots import Scope
from unspool.source.watch import Watcher

Moment: TypeAlias = str | int | date | datetime | None
By: TypeAlias = Literal[
    "day",
    "week",
    "month",
    "daily",
    "weekly",
    "monthly",
    "session",
    "project",
    "model",
    "skill",
    "mcp",
    "agent",
    "command",
    "tool",
]
ExportFormat: TypeAlias = Literal["html", "md", "json", "jsonl"]

_PERIODS: Final = {"day": "daily", "week": "weekly", "month": "monthly"}
_IDLE: Final = 2.0  # how soon `follow` notices that a process is gone


class Workspace:
    """The sessions of some Claude Code directories; make one with `unspool.open`.

    Times are given as `7d`, `24h`, `yesterday`, `2026-01-31`, as a date or datetime, or in
    milliseconds since 1970.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._open = ExitStack()
        self._sessions: RootSessions | None = None
        self._totals: tuple[object, list[TotalRow]] | None = None
        self._search_stores: Stores | None = None

    def __repr__(self) -> str:
        index = "with" if self._stores.is_there() else "without"
        return f"<Workspace {', '.join(self.roots)} {index} an index>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index and remove temporary files."""
        self._sessions = self._search_stores = None
        self._open.close()

    @property
    def roots(self) -> tuple[str, ...]:
        """The directories it reads."""
        return tuple(root.path for root in self._stores.roots)

    def sessions(
        self,
        *,
        since: Moment = None,
        until: Moment = None,
        project: str = "",
        status: StatusName | None = None,
        hidden: bool = False,
        everything: bool = False,
    ) -> Iterator[SessionSummary]:
        """Sessions last active in some time, newest activity first, read as they are asked for.

        `project` is part of a project's name or id, or the path of one checkout. Sessions with
        nothing to read are left out unless `everything` is set, those you have hidden unless
        `hidden` is.
        """
        first, end = self._start(since), self._end(until)
        for row in self._rows(first, project, everything or hidden):
            is_shown = (hidden or not row.hidden) and (everything or row.displayable)
            is_early = end is None or last_activity(row) < end
            if is_shown and is_early and status in (None, row.status):
                yield row

    def session(
        self, name: str | os.PathLike[str] = "latest", *, project: str | None = None
    ) -> Session:
        """A session by id, unique prefix of at least four characters, path, or `latest`.

        `project` chooses if several projects have that id. Raises NotFound, Ambiguous or
        SourceError.
        """
        sessions = self._reading()
        path = os.path.expanduser(os.fspath(name))
        return Session(sessions.open(sessions.find(path, project=project)))

    def cost(  # noqa: PLR0913 - all optional, by name
        self,
        by: By = "day",
        *,
        since: Moment = None,
        until: Moment = None,
        project: str = "",
        model: str = "",
        timezone: str = "",
        mode: Literal["billing", "devtools"] = "billing",
        separate: bool = False,
    ) -> Report:
        """What was spent, as `unspool cost`; each response counts once.

        By project, worktrees and clones of one repository are one, unless `separate` is set.
        """
        kind = _PERIODS.get(by, by)
        if kind not in (*PERIODS, *GROUPS, *CAUSES):
            known = ", ".join((*_PERIODS, *GROUPS, *CAUSES))
            raise UsageError(f"Unknown report {by!r}. Use one of {known}.")
        zone = dates.time_zone(timezone)
        query = CostQuery(
            kind,
            self._start(since, timezone),
            self._end(until, timezone),
            project,
            model,
            zone,
            separate=separate,
        )
        if kind in CAUSES:
            return cost_report(self._causes(query), query)
        totals = self._devtools_totals() if mode == "devtools" else self._usage()
        return cost_report(matching(totals, query, self._stores.groups.current), query)

    def blocks(self, *, hours: float = 5) -> BlockReport:
        """The windows of five hours that a plan counts usage in."""
        return block_report(self._usage(), self._stores.machine.now(), BlockQuery(hours))

    def explain(self, session: Session | str) -> Explanation:
        """How the cost of a session is made up, and how ccusage would count it."""
        from unspool.engine.usage.explain import explain_cost  # noqa: PLC0415 - few ask for it

        reader = self._reader(session)
        return explain_cost(reader, self._stores.usage_source())

    def search(  # noqa: PLR0913 - all optional, by name
        self,
        text: str,
        *,
        regex: bool = False,
        project: str = "",
        session: Session | str = "",
        since: Moment = None,
        until: Moment = None,
        kinds: Sequence[TextKind] = (),
        ranked: bool = False,
        limit: int = 20,
    ) -> Results:
        """Lines of any session: words, "a phrase", a prefix*; or an RE2 pattern.

        Without an index everything is read into a temporary one first.
        """
        query = TextQuery(
            terms="" if regex else text,
            regex=text if regex else "",
            session=self._reader(session).file.session_id or "" if session else "",
            kinds=tuple(kinds),
            since=self._start(since),
            until=self._end(until),
            order="ranked" if ranked else "newest",
            limit=limit,
        )
        stores = self._searchable()
        with stores.reading() as (store, archive), closing(archive):
            projects = self._stores.groups.current().select(project, store.project_ids())
            query = structs.replace(query, projects=projects)
            search = Search(store, archive, [root.path for root in stores.roots])
            return search.scan(query) if regex else search.find(query)

    def board(self) -> Board:
        """What waits for you, what is at work, and what was spent today."""
        return current_board(self._board())

    def follow_board(self, stop: Event | None = None) -> Iterator[Board]:
        """The board now, and again whenever it may have changed, until `stop` is set."""
        return boards(self._board(), stop or Event())

    def follow(
        self, session: Session | str = "", *, last: int = 0, stop: Event | None = None
    ) -> Iterator[LiveEvent]:
        """Events of all live sessions, or of one, as they happen, until `stop` is set.

        It starts with the `last` events before now.
        """
        from unspool.engine.archive.redacted import cleaner  # noqa: PLC0415
        from unspool.engine.follow import Follower, FollowQuery  # noqa: PLC0415

        stores, now, stop = self._stores, self._stores.machine.now, stop or Event()
        only = self._reader(session).file.session_id or "" if session else ""
        with Watcher(stores.roots, stores.spool, say=stores.machine.warn) as watcher:
            query = FollowQuery(
                stores.roots, stores.spool, cleaner(None), only, stores.recent_quota
            )
            follower = Follower(query, now())
            yield from follower.past(last)
            for batch in watcher.batches(stop, idle=_IDLE):
                yield from follower.look(batch, now())

    def export(
        self,
        session: Session | str,
        format: ExportFormat = "html",
        *,
        anonymise: bool = False,
        unredacted: bool = False,
    ) -> bytes:
        """A session as a file: a page that stands alone, Markdown, its document, or its lines.

        Secrets are taken out, unless it is to be `unredacted`; `anonymise` replaces every word.
        """
        from unspool.engine.export.files import Export, ExportOptions  # noqa: PLC0415 - loads jinja2

        options = ExportOptions(
            format=format,
            anonymous=anonymise,
            unredacted=unredacted,
            now=self._stores.machine.now(),
        )
        return b"".join(Export(self._reader(session), options).pieces())

    def _reader(self, session: Session | str) -> SessionReader:
        return (self.session(session) if isinstance(session, str) else session)._reader

    def _reading(self) -> RootSessions:
        if self._sessions is None:
            self._sessions, archive = self._stores.open_sessions()
            if archive is not None:
                self._open.callback(archive.store.close)
                self._open.callback(archive.close)
        self._sessions.at(self._stores.machine.now())
        self._sessions.group(self._stores.groups.current())
        return self._sessions

    def _rows(self, since: int | None, project: str, everything: bool) -> Iterator[SessionSummary]:
        """By the index where it has every file as it is, else by the files."""
        stores = self._stores
        if stores.is_there():
            try:
                store, archive = stores.open()
                with closing(store), closing(archive):
                    if is_unchanged(stores.roots, stores.spool, store):
                        listing = listing_of(stores, store, stores.machine.now())
                        yield from listing.summaries(
                            project=project, since=since, everything=everything
                        )
                        return
            except StoreError:
                pass  # the files can be read all the same
        yield from self._reading().summaries(project=project, since=since, everything=everything)

    def _usage(self) -> list[TotalRow]:
        """The sums of all usage, kept until a file or the index changes."""
        source = self._stores.usage_source()
        state = source.index_state(), source.prices, source.files()
        if self._totals is None or self._totals[0] != state:
            self._totals = state, RootUsage(source).totals()
        return self._totals[1]

    def _devtools_totals(self) -> list[TotalRow]:
        from unspool.engine.usage.totals import devtools_totals  # noqa: PLC0415 - few ask for it

        return devtools_totals(self._stores.usage_source())

    def _board(self) -> BoardQuery:
        rules = settings(Path(self._stores.machine.prices.home)).rules
        return board_query(self._stores, rules)

    def _causes(self, query: CostQuery) -> list[TotalRow]:
        from unspool.engine.usage.spending import index_causes  # noqa: PLC0415 - few ask for it

        stores = self._searchable()
        with stores.reading() as (store, _):
            scope = IndexScope(store, stores.roots, stores.home).current()
            return index_causes(store, query, scope, stores.groups.current)

    def _searchable(self) -> Stores:
        if self._stores.is_there() and self._stores.is_obedient():
            return self._stores
        if self._search_stores is None:
            home = mkdtemp(prefix="unspool-")
            self._open.callback(finalize(self, rmtree, home, ignore_errors=True))
            stores = Stores(Scope(self._stores.scope.places, home), self._stores.machine)
            with closing(stores.writing()) as store:
                indexer = Indexer(store, stores.roots, stores.prices(), spool=self._stores.spool)
                indexer.sweep(stores.machine.now())
            self._search_stores = stores
        return self._search_stores

    def _start(self, moment: Moment, timezone: str = "") -> int | None:
        return self._moment(moment, timezone, dates.start_time)

    def _end(self, moment: Moment, timezone: str = "") -> int | None:
        return self._moment(moment, timezone, dates.end_time)

    def _moment(self, moment: Moment, timezone: str, parsed: Callable[..., int]) -> int | None:
        if moment is None or isinstance(moment, int):
            return moment
        if isinstance(moment, datetime):
            return int(moment.timestamp() * 1_000)
        text = moment if isinstance(moment, str) else moment.isoformat()
        return parsed(text, self._stores.machine.now(), dates.time_zone(timezone))
