"""One session, or one of its agents: `Session` for callers, `SessionReader` for unspool itself."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager

from msgspec import structs

from unspool.decode.tool_calls import tool_arguments, tool_result
from unspool.derive.document import Cut, Window
from unspool.derive.session_steps import IsCounted, session_steps
from unspool.derive.transcript import TranscriptFold
from unspool.derive.whole import MAIN
from unspool.engine.archive.reader import SessionOutputs
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.related import RelatedSessions
from unspool.engine.sessions.row import RowContext, session_info, session_row, with_counts
from unspool.engine.sessions.side_files import plan_of, with_side_files
from unspool.engine.transcripts import rows
from unspool.engine.transcripts.bodies import Bodies
from unspool.engine.transcripts.reader import TranscriptReader
from unspool.errors import NotFound
from unspool.model.document import (
    Chunk,
    Context,
    LineRow,
    SessionDocument,
    SessionInfo,
    SessionMetrics,
    StatusName,
    Subagent,
    ToolExecution,
    Turn,
)
from unspool.model.files import TranscriptFile
from unspool.model.message import ConversationMessage
from unspool.model.session import SessionSummary
from unspool.model.steps import ContextPoint, SessionStep
from unspool.model.tool_inputs import ToolCall
from unspool.model.usage import UsageRow


class SessionReader:
    """Reads one session for pages, commands and the library.

    `owner` is an agent's id, or the main conversation.
    """

    def __init__(self, live: LiveSession, neighbours: RelatedSessions, owner: str = MAIN) -> None:
        self._live = live
        self._neighbours = neighbours
        self._owner = owner

    @property
    def id(self) -> str:
        """The session's id, or the agent's."""
        file = self._live.file
        return self._owner or file.agent_id or file.session_id or ""

    @property
    def path(self) -> str:
        """Where its transcript lies."""
        return self._transcript.file.path

    @property
    def source_id(self) -> int:
        """The number that the index has for its transcript."""
        return self._transcript.source_id

    @property
    def file(self) -> TranscriptFile:
        """The main transcript of the session, or where it would be."""
        return self._live.file

    @property
    def fold(self) -> TranscriptFold:
        """What its transcript says."""
        return self._live.fold(self._owner)

    @property
    def agents(self) -> tuple[Subagent, ...]:
        """The agents it led to, at any depth, by start."""
        return tuple(self._live.whole.below(self._owner))

    @property
    def is_ongoing(self) -> bool:
        """Whether somebody is at work on it now."""
        return self._live.is_ongoing(self._owner)

    @property
    def _transcript(self) -> TranscriptReader:
        return self._live.transcript(self._owner)

    def agent(self, agent_id: str) -> "SessionReader":
        """One agent's transcript as a session of its own, by id or a unique beginning of it."""
        known = self._live.whole.runs
        is_exact = agent_id in known
        fitting = (
            [agent_id] if is_exact else [id for id in known if agent_id and id.startswith(agent_id)]
        )
        if len(fitting) != 1:
            raise NotFound(
                f"This session has no agent {agent_id!r}. Its agents: {', '.join(known) or 'none'}."
            )
        return SessionReader(self._live, self._neighbours, fitting[0])

    def refresh(self, now: int | None = None) -> bool:
        """Take in what was written since; True where anything changed."""
        setting = self._live.setting
        later = setting if now is None else structs.replace(setting, now=now)
        return self._live.refresh(later)

    def info(self) -> SessionInfo:
        """Who, where, when, and how it stands now; its links are in the document."""
        return session_info(*self._live.known(self._owner), self._context)

    @property
    def _context(self) -> RowContext:
        project, setting = self._live.file.project_id, self._live.setting
        mark = None if self._owner else setting.marks.get((project, self.id))
        return RowContext(setting.now, mark, setting.groups.of(project), setting.recent_quota)

    def _complete(self, document: SessionDocument) -> SessionDocument:
        """A document with what its transcript cannot say: what is missing, and how long it was."""
        missing = "" if self._owner else self._live.missing()
        if missing:
            diagnostics = structs.replace(document.diagnostics, missing=missing)
            document = structs.replace(document, diagnostics=diagnostics)
        if not self._owner and not self._live.has_own:
            facts, _, _ = self._live.known(self._owner)
            total = with_counts(facts, document.metrics.total, document.session.duration_ms)
            metrics = structs.replace(document.metrics, total=total)
            # What filled its context nobody knows: an estimate would be of the hooks' own words.
            document = structs.replace(document, metrics=metrics, context=Context())
        return document

    def _linked(self) -> SessionInfo:
        if self._owner:
            return self.info()
        live, about = self._live, self._live.whole.abouts[self._owner]
        return structs.replace(
            with_side_files(self.info(), live.file.root),
            links=self._neighbours.links(live.file, live.head, about.resumed_from),
        )

    def document(
        self, *, first: int = 0, limit: int | None = None, bodies: bool = True
    ) -> SessionDocument:
        """The session document, or a window of `limit` chunks; without bodies it has no texts."""
        assembler, window = self._live.assembler(self._owner), Window(first, limit)
        hooks = self._live.hooks(self._owner)
        if not bodies:
            return self._complete(assembler.document(self._linked(), window, None, hooks))
        with self._bodies() as read:
            made = assembler.document(self._linked(), window, read, hooks)
        return self._complete(made if first else self.with_plan(made))

    def with_plan(self, document: SessionDocument) -> SessionDocument:
        """A document with the text of its plan, which no page needs before it is asked for."""
        session = structs.replace(document.session, plan_text=self.plan())
        return structs.replace(document, session=session)

    def plan(self) -> str | None:
        """The text of the plan that the session wrote; an agent has none of its own."""
        return None if self._owner else plan_of(self.info(), self._live.file.root)

    def parts(self, cuts: Sequence[Cut]) -> SessionDocument:
        """The document with some parts of some chunks: no more of the file is read than those."""
        assembler, hooks = self._live.assembler(self._owner), self._live.hooks(self._owner)
        with self._bodies() as read:
            if read is not None:
                read.is_typed = False  # no page shows them
            return self._complete(assembler.parts(self._linked(), cuts, read, hooks))

    def executions(self, ids: Set[str]) -> tuple[ToolExecution, ...]:
        """Some tool calls with what they were given and answered."""
        assembler, hooks = self._live.assembler(self._owner), self._live.hooks(self._owner)
        with self._bodies() as read:
            return assembler.executions(assembler.calls(ids), read, hooks)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Every tool call by start, its input and its result as Structs of the tool."""
        assembler, hooks = self._live.assembler(self._owner), self._live.hooks(self._owner)
        calls = {call.piece.id: call for call in self.fold.tools.executions()}
        with self._bodies() as read:
            made = assembler.executions(None, read, hooks)
            return tuple(
                ToolCall(
                    one,
                    tool_arguments(one.name, one.input),
                    tool_result(one.name, read.structured(calls[one.tool_use_id])) if read else "",
                )
                for one in made
            )

    def sketch(self) -> SessionDocument:
        """The whole session without any text: no body is read."""
        assembler, hooks = self._live.assembler(self._owner), self._live.hooks(self._owner)
        return self._complete(assembler.sketch(self._linked(), hooks))

    def steps(self, is_counted: IsCounted = lambda _: True) -> tuple[SessionStep, ...]:
        """All its steps with what they cost, by the times that count; no body is read."""
        whole = self._live.whole
        return session_steps(whole, self._owner, whole.join.pricer, is_counted)

    def context_points(self) -> tuple[ContextPoint, ...]:
        """What each response read, by category."""
        if not self._live.assembler(self._owner).context.turns:
            return ()
        return tuple(self._live.whole.transcript(self._owner).context_points)

    def steps_of(self, chunk: int) -> int:
        """How many steps a chunk has, by its number."""
        return self._live.assembler(self._owner).steps_of(self.fold.chunks.spans[chunk])

    def summary(self) -> SessionSummary:
        """This session as one row of a list."""
        live = self._live
        usage = live.assembler(self._owner).metrics.total
        return session_row(*live.known(self._owner), usage, self._context)

    def lines(self) -> Iterator[LineRow]:
        """Every line of its transcript as it lies in the file."""
        with self._bodies() as read:
            if read is not None:
                yield from rows.line_rows(self.fold, read)

    def messages(self) -> Iterator[ConversationMessage]:
        """What was said, with its text, in file order."""
        with self._bodies() as read:
            if read is not None:
                yield from rows.messages(self.fold, read)

    def raw(self, first: int = 1, last: int | None = None) -> Iterator[bytes]:
        """The bytes of its lines, by their numbers, from the file or from the archive."""
        numbers, end = self.fold.numbers, last or self.fold.lines
        with self._bodies() as read:
            for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, end)]:
                yield b"" if read is None else read.raw(number)

    @property
    def earlier_responses(self) -> Sequence[UsageRow]:
        """What was paid for and only an earlier version of a file has told, if in part."""
        return self._live.whole.ownership.earlier

    def transcripts(self) -> Iterator[tuple[TranscriptFile, Iterator[bytes]]]:
        """Its transcript and those of all agents of the session, each with its lines."""
        live = self._live
        for one in (live.main, *live.agents.values()):
            if one.fold.lines:
                yield one.file, _lines(one, live.outputs)

    def _bodies(self) -> AbstractContextManager[Bodies | None]:
        return self._transcript.bodies(self._live.outputs)

    @property
    def weight(self) -> int:
        """About how many bytes of memory it holds."""
        return self._live.weight

    @property
    def generations(self) -> tuple[int, ...]:
        """Changes when any of its files was rewritten, cut or replaced."""
        return self._live.generations


class Session:
    """One session, or one of its agents; each call reads what it returns, and no more."""

    def __init__(self, reader: SessionReader) -> None:
        self._reader = reader

    def __repr__(self) -> str:
        row = self.summary()
        return f"<Session {self.id} {row.title!r} {row.status} {_dollars(row.cost_usd)}>"

    @property
    def id(self) -> str:
        """The id of the session, or of the agent."""
        return self._reader.id

    @property
    def path(self) -> str:
        """The path of its transcript, which may be gone."""
        return self._reader.path

    @property
    def project_id(self) -> str:
        """The directory of its project below `projects/`."""
        return self._reader.file.project_id

    @property
    def title(self) -> str:
        """Your title, or the one Claude Code gave it, or its first prompt."""
        return self._reader.info().title

    @property
    def status(self) -> StatusName:
        """What it is doing; `summary().session.status` has the evidence."""
        return self._reader.info().status.state

    def summary(self) -> SessionSummary:
        """Its row, as `Workspace.sessions` has it."""
        return self._reader.summary()

    def messages(self) -> Iterator[ConversationMessage]:
        """What was said, in file order: prompts, answers, tool results, notices."""
        return self._reader.messages()

    def chunks(self) -> tuple[Chunk, ...]:
        """The conversation in parts: a prompt, the work that answers it, a compaction."""
        return self.document().chunks

    def turns(self) -> tuple[Turn, ...]:
        """One for each prompt, with what it took to answer it."""
        return self._reader.document(limit=0, bodies=False).turns

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Every tool call, with its input and its result typed by tool."""
        return self._reader.tool_calls()

    def agents(self) -> tuple[Subagent, ...]:
        """The agents it started, at any depth, each with the proof of its parent."""
        return self._reader.agents

    def agent(self, agent_id: str) -> "Session":
        """One of its agents as a session of its own, by id or unique prefix."""
        return Session(self._reader.agent(agent_id))

    def context(self) -> Context:
        """What filled the context window, turn by turn."""
        return self._reader.document(limit=0, bodies=False).context

    def usage(self) -> SessionMetrics:
        """Tokens and dollars: of the session itself, of its agents, and in total."""
        return self._reader.document(limit=0, bodies=False).metrics

    def document(self, *, first: int = 0, limit: int | None = None) -> SessionDocument:
        """Everything, as `unspool show --json`; or `limit` chunks from number `first` on."""
        return self._reader.document(first=first, limit=limit)

    def lines(self) -> Iterator[LineRow]:
        """Every line of the transcript, damaged ones included."""
        return self._reader.lines()

    def raw(self) -> Iterator[bytes]:
        """The lines as they are in the file."""
        return self._reader.raw()

    def refresh(self) -> bool:
        """Read what was written since; whether anything changed."""
        return self._reader.refresh()


def _dollars(usd: float | None) -> str:
    return "unpriced" if usd is None else f"${usd:.2f}"


def _lines(transcript: TranscriptReader, outputs: SessionOutputs) -> Iterator[bytes]:
    with transcript.bodies(outputs) as read:
        for number in range(1, transcript.fold.lines + 1):
            yield b"" if read is None else read.raw(number)
