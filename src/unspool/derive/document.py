"""A whole session, and a way to read texts back -> its document, name by name."""

from collections.abc import Sequence, Set
from functools import cached_property
from typing import Any, Protocol

from msgspec import UNSET, Raw, Struct, structs

from unspool.derive.agents.subagents import agents_by_chunk
from unspool.derive.context.files import FileSizes
from unspool.derive.decisions import decisions
from unspool.derive.reading.clock import iso
from unspool.derive.story.chunks import Span
from unspool.derive.story.sketch import sketched
from unspool.derive.story.steps import AgentRun, count, is_interrupted, steps
from unspool.derive.story.threads import Threads
from unspool.derive.story.tools import Call
from unspool.derive.usage.session_usage import UsageSum, sum_usage
from unspool.derive.whole import MAIN, Whole
from unspool.model.document import (
    Chunk,
    Context,
    Metrics,
    RepeatedUsage,
    SessionDocument,
    SessionInfo,
    SessionMetrics,
    Subagent,
    ToolExecution,
    ToolHook,
    TotalMetrics,
    Turn,
)
from unspool.model.hooks import HookEvent
from unspool.model.message import Message, Piece

_NOTHING = Raw(b"{}")


class Readers(Protocol):
    """Reads texts back from where they lie."""

    def text(self, message: Message, piece: Piece) -> str: ...
    def said(self, message: Message) -> str: ...
    def given(self, call: Call) -> Raw: ...
    def answered(self, call: Call) -> Raw | None: ...
    def noted(self, call: Call) -> dict[str, Any]: ...


class Window(Struct, frozen=True):
    """Which chunks to show; no limit means all from the first."""

    first: int = 0
    limit: int | None = None

    def cut(self, spans: Sequence[Span]) -> Sequence[Span]:
        """The spans inside."""
        end = None if self.limit is None else self.first + max(0, self.limit)
        return spans[max(0, self.first) : end]


class Cut(Struct, frozen=True):
    """A chunk by its number, or those lines of it that stand between two numbers."""

    chunk: int
    first: int = 0
    end: int | None = None

    def of(self, spans: Sequence[Span]) -> Span:
        """The span, with the messages of these lines alone."""
        whole = spans[self.chunk]
        if self.first <= 0 and self.end is None:
            return whole
        part = Span(whole.id, whole.type, whole.first)
        part.compaction = whole.compaction
        end = whole.messages[-1].line + 1 if self.end is None else self.end
        part.messages = [one for one in whole.messages if self.first <= one.line < end]
        return part


class Assembler:
    """Puts one transcript of a session into the contract's words.

    What is of the whole session is made once, when it is first asked for: windows come often.
    """

    def __init__(
        self,
        whole: Whole,
        owner: str = MAIN,
        *,
        is_busy: bool = False,
        sizes: FileSizes | None = None,
    ) -> None:
        self._whole = whole
        self._owner = owner
        self._fold = whole.folds[owner]
        self._running = set(self._fold.status.open) if is_busy else set()
        self._sizes = sizes
        of = None if owner == MAIN else owner
        self._attached = agents_by_chunk(self._fold.chunks.spans, whole.links, whole.facts, of=of)
        self._agents = {agent.id: agent for agent in whole.agents}
        self._spawned = {
            link.parent_task_id: link.agent_id for link in whole.links if link.parent_task_id
        }
        self._starts = {facts.id: (facts.start, facts.end) for facts in whole.facts}
        self._hooks: Sequence[HookEvent] | None = None
        self._is_read = False  # whether what calls were given was known to whom they were tied
        self._decisions: dict[str, ToolHook] = {}
        self._answers: dict[str, Chunk] = {}  # without their steps, for whom they come in parts
        self._counts: dict[str, int] = {}

    def document(
        self,
        info: SessionInfo,
        window: Window,
        readers: Readers | None,
        hooks: Sequence[HookEvent] = (),
    ) -> SessionDocument:
        """The whole document, with the chunks and executions of the window."""
        spans = window.cut(self._fold.chunks.spans)
        return SessionDocument(
            session=info,
            metrics=self.metrics,
            chunks=tuple(self._chunk(span, readers) for span in spans),
            tool_executions=self.executions(spans if window != Window() else None, readers, hooks),
            subagents=tuple(self._whole.below(self._owner)),
            context=self.context,
            turns=self.turns,
            diagnostics=self._fold.diagnostics,
        )

    def parts(
        self,
        info: SessionInfo,
        cuts: Sequence[Cut],
        readers: Readers | None,
        hooks: Sequence[HookEvent] = (),
    ) -> SessionDocument:
        """The document with these parts of its chunks, and the calls made or answered in them."""
        every = self._fold.chunks.spans
        spans = [(cut, cut.of(every)) for cut in cuts if cut.chunk < len(every)]
        ids = {
            piece.id
            for _, span in spans
            for message in span.messages
            for piece in message.pieces
            if piece.kind in ("call", "result")
        }
        bare = self.document(info, Window(0, 0), None, hooks)
        made = (self._part(every[cut.chunk], span, readers) for cut, span in spans)
        executions = self.executions(None, readers, hooks, ids)
        return structs.replace(bare, chunks=tuple(made), tool_executions=executions)

    def sketch(self, info: SessionInfo, hooks: Sequence[HookEvent] = ()) -> SessionDocument:
        """The whole session without any text: enough for an outline and a picture of it."""
        bare = self.document(info, Window(0, 0), None, hooks)
        return structs.replace(
            bare,
            chunks=tuple(map(self._sketched, self._fold.chunks.spans)),
            tool_executions=self.executions(None, None, hooks),
        )

    def _sketched(self, span: Span) -> Chunk:
        is_ai = span.type == "ai"
        agents = self._attached.get(span.id, ())
        return Chunk(
            id=span.id,
            type=span.type,
            start_time=iso(span.start),
            end_time=iso(span.end),
            steps=sketched(span, agents) if is_ai else UNSET,
            turn=self._fold.turns.turn_of(span.first.line),
            line=span.first.line,
            branch=self._threads.branch_of(span.first.uuid),
        )

    def _part(self, whole: Span, part: Span, readers: Readers | None) -> Chunk:
        """A part of a chunk: its numbers are the whole chunk's, its steps are its own."""
        if whole.type != "ai":
            return self._about(whole, readers)
        about = self._answers.get(whole.id)
        if about is None:
            about = self._answers[whole.id] = self._about(whole, readers)
        is_last = part.messages[-1:] == whole.messages[-1:]
        begin = 0 if part.messages[:1] == whole.messages[:1] else _first_at(part)
        end = None if is_last else self._next_at(whole, part)
        runs = [self._run(id) for id in self._attached.get(whole.id, ())]
        here = [run for run in runs if begin <= (run.start or 0) and _before(run.start, end)]
        texts = readers.text if readers else None
        return structs.replace(about, steps=steps(part, here, texts, end=end))

    def _next_at(self, whole: Span, part: Span) -> int | None:
        last = part.messages[-1].line if part.messages else 0
        later = (one.at for one in whole.messages if one.line > last and one.at is not None)
        return next(later, None)

    @cached_property
    def metrics(self) -> SessionMetrics:
        """Main, agents below it, and both together."""
        whole, fold = self._whole, self._fold
        below = whole.below(self._owner)
        ours, theirs = whole.usage(self._owner), whole.usage_below(self._owner)
        counted = sum(agent.metrics.message_count or 0 for agent in below)
        spent = sum(agent.duration_ms for agent in below)
        agents = theirs.metrics(message_count=counted, duration_ms=spent)
        total = UsageSum.of((ours, theirs)).metrics(
            message_count=fold.messages + counted,
            duration_ms=whole.duration(self._owner),
        )
        stated = whole.abouts[self._owner].cost_state
        return SessionMetrics(
            main=whole.metrics(self._owner),
            subagents=agents,
            total=TotalMetrics(
                **structs.asdict(total),
                cost_state=stated,
                ownership="exact" if whole.ownership.is_exact else "by_marks",
            ),
            repeats=None if self._owner else _repeats(whole),
            earlier_responses=0 if self._owner else len(whole.ownership.earlier),
        )

    @cached_property
    def context(self) -> Context:
        """What filled the context, turn by turn."""
        return self._whole.join.context(self._owner, self._fold.chunks, self._sizes)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The logical turns, each with what it used."""
        return self._whole.join.turns(self._owner, self._fold.turns)

    @cached_property
    def _threads(self) -> Threads:
        return self._fold.threads.threads()

    @cached_property
    def _calls(self) -> list[tuple[Call, str | None]]:
        """Every tool call by start, with the chunk it was made in."""
        homes = {
            piece.id: span.id
            for span in self._fold.chunks.spans
            for message in span.messages
            for piece in message.pieces
            if piece.kind == "call"
        }
        return [(call, homes.get(call.piece.id)) for call in self._fold.tools.executions()]

    def _chunk(self, span: Span, readers: Readers | None) -> Chunk:
        made = self._about(span, readers)
        if span.type != "ai":
            return made
        runs = [self._run(id) for id in self._attached.get(span.id, ())]
        return structs.replace(made, steps=steps(span, runs, readers.text if readers else None))

    def _about(self, span: Span, readers: Readers | None) -> Chunk:
        """A chunk without its steps."""
        start, end = span.start, span.end
        is_ai = span.type == "ai"
        return Chunk(
            id=span.id,
            type=span.type,
            start_time=iso(start),
            end_time=iso(end),
            duration_ms=_between(start, end),
            metrics=self._chunk_metrics(span),
            messages=tuple(message.uuid for message in span.messages),
            text=UNSET if is_ai or readers is None else readers.said(span.first),
            turn=self._fold.turns.turn_of(span.first.line),
            line=span.first.line,
            voice=span.first.voice,
            is_interrupted=is_ai and is_interrupted(span),
            branch=self._threads.branch_of(span.first.uuid),
            images=sum(piece.kind == "image" for piece in span.first.pieces) if not is_ai else 0,
        )

    def steps_of(self, span: Span) -> int:
        """How many steps a chunk has, results not counted."""
        if span.id not in self._counts:
            self._counts[span.id] = count(span) + len(self._attached.get(span.id, ()))
        return self._counts[span.id]

    def _chunk_metrics(self, span: Span) -> Metrics:
        lines = (message.line for message in span.messages if message.tokens is not None)
        count = len(span.messages)
        found = self._whole.metrics_of_lines(self._owner, lines, count=count)
        return structs.replace(found, duration_ms=_between(span.start, span.end))

    def _run(self, id: str) -> AgentRun:
        agent: Subagent = self._agents[id]
        start, end = self._starts[id]
        return AgentRun(
            id, start, end, agent.description, agent.parent_task_id or "", agent.metrics
        )

    def executions(
        self,
        spans: Sequence[Span] | None,
        readers: Readers | None,
        hooks: Sequence[HookEvent] = (),
        ids: Set[str] | None = None,
    ) -> tuple[ToolExecution, ...]:
        """Tool calls of these spans, with these ids, or of the whole transcript, by start."""
        wanted = None if spans is None else {span.id for span in spans}
        self._decide(hooks, readers)
        return tuple(
            self._execution(call, home, readers)
            for call, home in self._calls
            if (wanted is None or home in wanted) and (ids is None or call.piece.id in ids)
        )

    def _decide(self, hooks: Sequence[HookEvent], readers: Readers | None) -> None:
        """Tie hooks to calls, once for the same hooks: windows come often."""
        if self._hooks is not hooks or (readers and not self._is_read):
            calls = [call for call, _ in self._calls]
            given = readers.given if readers else None
            self._decisions = decisions(calls, hooks, given, self._fold.agent_id)
            self._hooks, self._is_read = hooks, readers is not None

    def _execution(self, call: Call, home: str | None, readers: Readers | None) -> ToolExecution:
        agent = self._spawned.get(call.piece.id) or self._fold.agent_id
        answered = readers.answered(call) if readers else None
        end = None if call.duration is None else call.end
        return ToolExecution(
            tool_use_id=call.piece.id,
            name=call.piece.name,
            input=readers.given(call) if readers else _NOTHING,
            result=UNSET if answered is None else answered,
            tool=(readers.noted(call) if readers else {}) or UNSET,
            state=call.state(may_run=call.piece.id in self._running),
            start_time=iso(call.start),
            end_time=iso(end),
            duration_ms=call.duration,
            agent_id=agent or UNSET,
            chunk_id=home,
            hook=self._decisions.get(call.piece.id, UNSET),
            line=call.line,
            result_line=call.reply.line if call.reply else None,
        )


def _first_at(part: Span) -> int:
    return next((message.at for message in part.messages if message.at is not None), 0)


def _before(start: int | None, end: int | None) -> bool:
    return end is None or (start or 0) < end


def _between(start: int | None, end: int | None) -> int:
    return 0 if start is None or end is None else max(0, end - start)


def _repeats(whole: Whole) -> RepeatedUsage | None:
    repeated = whole.join.usage.repeated
    if not repeated:
        return None
    used = sum_usage(repeated)
    owners = {whole.ownership.elsewhere[row.message_key] for row in repeated}
    return RepeatedUsage(
        responses=len(repeated),
        total_tokens=used.total_tokens,
        cost_usd=used.cost_usd,
        sessions=tuple(sorted(owners)),
    )
