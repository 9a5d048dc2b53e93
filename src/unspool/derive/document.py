"""A whole session, and a way to read texts back -> its document, name by name."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Protocol

from msgspec import UNSET, Raw, Struct, structs

from unspool.derive.context.files import FileSizes
from unspool.derive.decisions import decisions
from unspool.derive.reading.clock import iso
from unspool.derive.story.chunks import Span
from unspool.derive.story.sketch import sketched
from unspool.derive.story.span_totals import line_of
from unspool.derive.story.steps import AgentRun, steps
from unspool.derive.story.threads import Threads
from unspool.derive.story.tools import Call, by_start
from unspool.derive.usage.session_usage import UsageSum
from unspool.derive.whole import MAIN, Whole
from unspool.model.document import (
    Chunk,
    Context,
    Diagnostics,
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
from unspool.model.message import LinkFacts, Message, Piece

_NOTHING = Raw(b"{}")
_uuid_of = attrgetter("uuid")


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
        first = bisect_left(whole.messages, self.first, key=line_of)
        end = None if self.end is None else bisect_left(whole.messages, self.end, key=line_of)
        part.messages = whole.messages[first:end]
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
        self._answers: dict[str, Chunk] = {}  # without their steps, for whom they come in parts

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
            tool_executions=self.executions(
                None if window == Window() else self._calls_of(spans), readers, hooks
            ),
            subagents=tuple(self._whole.below(self._owner)),
            context=self.context,
            turns=self.turns,
            diagnostics=self._diagnostics,
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
        pieces = (
            piece for _, span in spans for message in span.messages for piece in message.pieces
        )
        ids = {piece.id for piece in pieces if piece.kind in ("call", "result")}
        bare = self.document(info, Window(0, 0), None, hooks)
        made = (self._part(every[cut.chunk], span, readers) for cut, span in spans)
        executions = self.executions(self.calls(ids), readers, hooks)
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
        end = None if is_last else _next_at(whole, part)
        runs = self._runs(whole)
        here = [run for run in runs if begin <= (run.start or 0) and _before(run.start, end)]
        texts = readers.text if readers else None
        return structs.replace(about, steps=steps(part, here, texts, end=end))

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
            repeated=None if self._owner else _repeated(whole),
            earlier_responses=0 if self._owner else whole.join.usage.earlier,
            reported_responses=0 if self._owner else whole.join.usage.reported,
            unknown_agents=0 if self._owner else whole.join.usage.unknown_agents,
        )

    @property
    def _diagnostics(self) -> Diagnostics:
        capped = 0 if self._owner else self._whole.join.usage.capped
        found = self._fold.diagnostics
        return structs.replace(found, capped=capped) if capped else found

    @cached_property
    def context(self) -> Context:
        """What filled the context, turn by turn."""
        return self._whole.transcript(self._owner).context(self._sizes)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The logical turns, each with what it used."""
        return self._whole.turns(self._owner)

    @cached_property
    def _attached(self) -> dict[str, list[str]]:
        return self._whole.agents_by_chunk(self._owner)

    def _runs(self, span: Span) -> list[AgentRun]:
        """The agents that a chunk shows."""
        return [_run(*self._whole.runs[id]) for id in self._attached.get(span.id, ())]

    @cached_property
    def _threads(self) -> Threads:
        return self._fold.threads.threads()

    def calls(self, ids: Iterable[str]) -> list[Call]:
        """The tool calls with these ids, by start."""
        known = self._fold.tools.calls
        return sorted((known[id] for id in set(ids) if id in known), key=by_start)

    def _calls_of(self, spans: Iterable[Span]) -> list[Call]:
        """The tool calls that were made in these spans, by start."""
        inside = {span.id for span in spans}
        pieces = (piece for span in spans for one in span.messages for piece in one.pieces)
        calls = self.calls(piece.id for piece in pieces if piece.kind == "call")
        return [call for call in calls if self._chunk_id(call) in inside]

    def _chunk_id(self, call: Call) -> str | None:
        span = self._fold.chunks.span_of(call.message)
        return span.id if span else None

    def _chunk(self, span: Span, readers: Readers | None) -> Chunk:
        made = self._about(span, readers)
        if span.type != "ai":
            return made
        runs = self._runs(span)
        return structs.replace(made, steps=steps(span, runs, readers.text if readers else None))

    def _about(self, span: Span, readers: Readers | None) -> Chunk:
        """A chunk without its steps."""
        start, end = span.start, span.end
        is_ai, totals = span.type == "ai", self._whole.chunk(self._owner, span)
        duration = _between(start, end)
        return Chunk(
            id=span.id,
            type=span.type,
            start_time=iso(start),
            end_time=iso(end),
            duration_ms=duration,
            metrics=totals.used.metrics(message_count=len(span.messages), duration_ms=duration),
            messages=tuple(map(_uuid_of, span.messages)),
            text=UNSET if is_ai or readers is None else readers.said(span.first),
            turn=self._fold.turns.turn_of(span.first.line),
            line=span.first.line,
            voice=span.first.voice,
            is_interrupted=is_ai and totals.is_interrupted,
            branch=self._threads.branch_of(span.first.uuid),
            images=sum(piece.kind == "image" for piece in span.first.pieces) if not is_ai else 0,
        )

    def steps_of(self, span: Span) -> int:
        """How many steps a chunk has, results not counted."""
        agents = len(self._attached.get(span.id, ()))
        return self._whole.chunk(self._owner, span).steps + agents

    def executions(
        self,
        calls: Sequence[Call] | None,
        readers: Readers | None,
        hooks: Sequence[HookEvent] = (),
    ) -> tuple[ToolExecution, ...]:
        """Some tool calls, or all of the transcript by start."""
        calls = self._fold.tools.executions() if calls is None else calls
        decided = decisions(
            calls,
            self._fold.tools,
            self._whole.join.hook_index(hooks),
            readers.given if readers else None,
            self._fold.agent_id,
        )
        return tuple(self._execution(call, decided.get(call.piece.id), readers) for call in calls)

    def _execution(
        self, call: Call, hook: ToolHook | None, readers: Readers | None
    ) -> ToolExecution:
        agent = self._whole.agents_by_call.get(call.piece.id) or self._fold.agent_id
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
            chunk_id=self._chunk_id(call),
            hook=hook or UNSET,
            line=call.line,
            result_line=call.reply.line if call.reply else None,
        )


def _run(agent: Subagent, facts: LinkFacts) -> AgentRun:
    return AgentRun(
        agent.id,
        facts.start,
        facts.end,
        agent.description,
        agent.parent_task_id or "",
        agent.metrics,
    )


def _first_at(part: Span) -> int:
    return next((message.at for message in part.messages if message.at is not None), 0)


def _next_at(whole: Span, part: Span) -> int | None:
    last = part.messages[-1].line if part.messages else 0
    for n in range(bisect_right(whole.messages, last, key=line_of), len(whole.messages)):
        if whole.messages[n].at is not None:
            return whole.messages[n].at
    return None


def _before(start: int | None, end: int | None) -> bool:
    return end is None or (start or 0) < end


def _between(start: int | None, end: int | None) -> int:
    return 0 if start is None or end is None else max(0, end - start)


def _repeated(whole: Whole) -> RepeatedUsage | None:
    usage = whole.join.usage
    if not usage.foreign:
        return None
    used = usage.repeated.metrics()
    return RepeatedUsage(
        responses=len(usage.foreign),
        total_tokens=used.total_tokens,
        cost_usd=used.cost_usd,
        of=tuple(sorted(set(map(whole.ownership.elsewhere.__getitem__, usage.foreign)))),
    )
