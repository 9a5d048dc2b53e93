"""What pages of a session are made from, without secrets, while the session is locked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, structs

from unspool.engine.sessions.session import SessionReader
from unspool.engine.sessions.session_cache import LockedSession
from unspool.errors import NotFound
from unspool.model.document import Context, SessionDocument, ToolExecution
from unspool.serve.context import ServerContext
from unspool.serve.pages.session.overview import outdated_ms, session_overview
from unspool.serve.pages.session.windows import Plan
from unspool.show.html.links import LiveLinks
from unspool.show.html.passages import Layout
from unspool.show.html.render_context import ReaderOptions
from unspool.show.html.session_page import SessionOverview
from unspool.show.html.step_types import PageLocation


class PageSource(Struct, frozen=True, kw_only=True):
    """One session, or one of its agents."""

    context: ServerContext
    held: LockedSession
    session: SessionReader
    project: str
    id: str
    agent: str = ""
    seq: int = 0  # of the feed, before the session was read

    @property
    def tag(self) -> str:
        """Changes when any page of it may."""
        marks = self.context.marks.of(self.project, self.id)
        return f"{self.held.tag}{hash(marks) & 0xFFFFFFFF:08x}"

    @property
    def links(self) -> LiveLinks:
        """Addresses on its pages."""
        return LiveLinks(self.agent)

    @property
    def overview(self) -> SessionOverview:
        """Figures of the whole session; they may be a moment old, but not its title and status."""
        found = session_overview(self.context, self.held, self.session, self.agent)
        now = self.context.redactor.value(self.session.info())
        info = structs.replace(
            found.document.session,
            title=now.title,
            status=now.status,
            pending_tool=now.pending_tool,
        )
        if info == found.document.session:
            return found
        return structs.replace(found, document=structs.replace(found.document, session=info))

    @property
    def outdated_ms(self) -> int:
        """How soon its page can have other figures than those of `overview`; 0: as they are."""
        return outdated_ms(self.held, self.agent)

    @property
    def version(self) -> str:
        """Its tag, as HTTP has it."""
        return f'W/"{self.tag}"'

    @property
    def feed(self) -> dict[str, Any]:
        """Where a page stands: its number in the feed, its version, and when to fetch it again."""
        again = self.outdated_ms
        return {"seq": self.seq, "version": "" if again else self.version, "again": again}

    def spot(self, **more: Any) -> PageLocation:
        """The location of a page."""
        return PageLocation(project=self.project, id=self.id, agent=self.agent, **more)

    def reader(self, *, is_whole: bool = False) -> ReaderOptions:
        """Options for rendering."""
        return ReaderOptions(now=self.context.now(), is_whole=is_whole, events=self._events())

    def _events(self) -> Callable[[str, int], str]:
        first = self.context.lines.event_id(self.session.source_id, 0)
        file, fold = (first or "").rpartition(".")[0], self.session.fold

        def event_id(_: str, line: int) -> str:
            return f"{file}.{fold.place(line)[0]}" if file and 0 < line <= fold.lines else ""

        return event_id

    def document(self, plan: Plan) -> tuple[SessionDocument, Layout]:
        """A window's document without secrets, and its layout in the session."""
        document = self.session.parts(plan.cuts)
        phases = self.context.redactor.value(document.context.phases)
        layout = plan.layout(self.session, phases)
        if plan.folds:
            layout = structs.replace(layout, calls=self._calls(frozenset(plan.folds)))
        return self.clean(document), layout

    def _calls(self, chunks: frozenset[str]) -> dict[str, list[ToolExecution]]:
        """All calls of some chunks, without their texts."""
        found: dict[str, list[ToolExecution]] = {}
        for one in self.overview.document.tool_executions:
            if one.chunk_id in chunks:
                found.setdefault(one.chunk_id or "", []).append(one)
        return found

    def clean(self, document: SessionDocument) -> SessionDocument:
        """A document without secrets, and without what the page does not show."""
        bare = structs.replace(document, context=Context(), turns=())
        return self.context.redactor.value(bare)


@contextmanager
def open_source(
    context: ServerContext, project: str, id: str, agent: str | None = None
) -> Iterator[PageSource]:
    """A session, or one of its agents, locked for the block."""
    seq = context.store.head()
    with context.open_sessions.locked(project, id) as held:
        session = held.session
        if agent:
            session = session.agent(agent)
            if session.id != agent:
                raise NotFound("This session has no such agent.")
        yield PageSource(
            context=context,
            held=held,
            session=session,
            project=project,
            id=id,
            agent=agent or "",
            seq=seq,
        )
