"""Chunks -> passages: prompts, answers, compactions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from typing import Final

from msgspec import UNSET, Struct

from unspool.model.document import (
    Chunk,
    Compaction,
    Phase,
    SessionDocument,
    Step,
    ToolExecution,
)
from unspool.show import safe, times
from unspool.show.html.components import Number, cost_number, token_number
from unspool.show.html.levels import call_summary
from unspool.show.html.render_context import RenderContext, text_of
from unspool.show.html.step_items import step_items
from unspool.show.html.step_types import (
    AnswerBlock,
    CompactionBlock,
    Passage,
    PassageBlock,
    RelatedSession,
    SpeechBlock,
    StepSlab,
)
from unspool.show.numbers import format_count, plural

_SPEAKERS: Final = {
    "teammate": "Teammate",
    "notification": "Background task",
    "event": "Event",
    "bash_input": "You ran",
    "bash_output": "Output",
    "stdout": "Output",
    "stderr": "Output",
}
_PRINTED: Final = ("bash_output", "stdout", "stderr")
# What nobody said: a line until it is opened.
_FOLDED: Final = ("notification", "event", *_PRINTED)
_FIRST: Final = 160
# So many lines of a transcript are shown or fetched together.
SLAB: Final = 120


class Layout(Struct, frozen=True, kw_only=True):
    """What a window needs to know about the whole session, by chunk id."""

    numbers: Mapping[str, int] = {}
    opens: Set[str] = frozenset()  # those that begin a turn
    cuts: Mapping[str, Compaction] = {}
    counts: Mapping[str, int] = {}  # steps of those that are not shown whole
    calls: Mapping[str, Sequence[ToolExecution]] = {}  # and all their calls
    folds: Mapping[str, Mapping[int, str]] = {}  # and which of their slabs are not


def full_layout(document: SessionDocument) -> Layout:
    """The layout of a document that has all chunks."""
    return Layout(
        numbers={chunk.id: n for n, chunk in enumerate(document.chunks)},
        opens=turn_openers((chunk.id, chunk.turn) for chunk in document.chunks),
        cuts=compactions(((c.id, c.type) for c in document.chunks), document.context.phases),
    )


def turn_openers(chunks: Iterable[tuple[str, int | None]]) -> frozenset[str]:
    """The first chunk of each turn; a turn may go on after a compaction."""
    first: dict[int, str] = {}
    for id, turn in chunks:
        if turn is not None:
            first.setdefault(turn, id)
    return frozenset(first.values())


def compactions(
    chunks: Iterable[tuple[str, str]], phases: Iterable[Phase]
) -> dict[str, Compaction]:
    """Compactions by chunk: each ended the phase of the answer before it."""
    by_chunk = {phase.last_chunk: phase.compaction for phase in phases if phase.compaction}
    result: dict[str, Compaction] = {}
    last = ""
    for id, type in chunks:
        if type == "ai":
            last = id
        elif type == "compact" and last in by_chunk:
            result[id] = by_chunk[last]
    return result


def passages(
    document: SessionDocument, context: RenderContext, layout: Layout | None = None
) -> tuple[Passage, ...]:
    """Every chunk; the parts of a split one are joined again."""
    layout = layout or full_layout(document)
    grouped = groupby(document.chunks, key=lambda chunk: chunk.id)
    return tuple(_passage(list(parts), context, layout) for _, parts in grouped)


def _passage(parts: Sequence[Chunk], context: RenderContext, layout: Layout) -> Passage:
    first = parts[0]
    if first.type == "ai":
        block: PassageBlock = _answer(parts, context, layout)
    elif first.type == "compact":
        block = _splice(first, layout.cuts.get(first.id), context)
    else:
        block = _speech(first, context, layout)
    return Passage(
        id=f"chunk-{first.id}",
        number=layout.numbers.get(first.id, 0),
        turn=first.turn,
        opens=first.id in layout.opens,
        block=block,
    )


def _speech(chunk: Chunk, context: RenderContext, layout: Layout) -> SpeechBlock:
    text, cut = context.limited(text_of(chunk.text))
    printed = chunk.type == "system" or chunk.voice in _PRINTED
    return SpeechBlock(
        id=chunk.id,
        who=_SPEAKERS.get(chunk.voice, "Output" if printed else "You"),
        at=times.clock(chunk.start_time, context.zone),
        second=times.clock_second(chunk.start_time, context.zone),
        exact=chunk.start_time or "",
        text=text,
        cut=cut,
        is_output=printed,
        first=safe.brief(text, _FIRST) if chunk.voice in _FOLDED else "",
        branch=chunk.branch,
        lines=(chunk.line,) if chunk.line else (),
        secrets=context.secrets((chunk.line, text)),
        event=context.reader.events(context.agent, chunk.line) if chunk.images else "",
        pictures=chunk.images,
        leads=_plan(context) if layout.numbers.get(chunk.id) == 0 else None,
    )


def _plan(context: RenderContext) -> RelatedSession | None:
    """The session that made the plan implemented here."""
    link = context.links.plan
    return (
        RelatedSession("Plan from", link.session_id, safe.brief(link.reason, 80)) if link else None
    )


def _answer(parts: Sequence[Chunk], context: RenderContext, layout: Layout) -> AnswerBlock:
    chunk = parts[0]
    steps = [step for part in parts if part.steps is not UNSET for step in part.steps]
    visible = sum(step.type != "tool_result" for step in steps)
    count = layout.counts.get(chunk.id, visible)
    ids = (text_of(step.tool_use_id) for step in steps if step.type == "tool_call")
    calls = layout.calls.get(chunk.id) or [context.calls[id] for id in ids if id in context.calls]
    return AnswerBlock(
        id=chunk.id,
        at=times.between(chunk.start_time, chunk.end_time, context.zone),
        exact=chunk.start_time or "",
        steps=plural(count, "step"),
        summary=call_summary(calls, chunk.duration_ms),
        cost=cost_number(chunk.metrics, "this answer"),
        tokens=token_number(chunk.metrics) if chunk.metrics.total_tokens else Number(""),
        slabs=tuple(_slabs(chunk, steps, context, layout.folds.get(chunk.id, {}))),
        lines=(chunk.line,) if chunk.line else (),
        is_interrupted=chunk.is_interrupted,
        branch=chunk.branch,
    )


def _slabs(
    chunk: Chunk, steps: Sequence[Step], context: RenderContext, folds: Mapping[int, str]
) -> Iterator[StepSlab]:
    """Cut by line number, so that slabs stay the same as windows move and sessions grow."""
    parts: dict[int, list[Step]] = {}
    last = 0
    for step in steps:
        # An agent has no line of its own: it stays where it began.
        last = max(step.line - chunk.line, 0) // SLAB if step.line else last
        parts.setdefault(last, []).append(step)
    for number in sorted({*parts, *folds}):
        name = f"{chunk.id}-{number}"
        if number in parts:
            yield StepSlab(id=name, number=number, items=step_items(parts[number], context))
        else:
            yield StepSlab(id=name, number=number, folded=folds[number])


def _splice(chunk: Chunk, compaction: Compaction | None, context: RenderContext) -> CompactionBlock:
    summary, cut = context.limited(text_of(chunk.text))
    change = tokens_saved(compaction) if compaction else ""
    trigger = safe.brief(compaction.trigger, 40) if compaction else ""
    parts = (
        trigger,
        f"{change} tokens" if change else "",
        times.clock(chunk.start_time, context.zone),
    )
    return CompactionBlock(
        id=chunk.id,
        second=times.clock_second(chunk.start_time, context.zone),
        text=", ".join(part for part in parts if part),
        saved=change,
        summary=summary,
        cut=cut,
        lines=(chunk.line,) if chunk.line else (),
        branch=chunk.branch,
    )


def tokens_saved(compaction: Compaction) -> str:
    """Tokens before and after, or the difference."""
    if compaction.pre_tokens is not None:
        after = "?" if compaction.post_tokens is None else format_count(compaction.post_tokens)
        return f"{format_count(compaction.pre_tokens)} → {after}"
    return "" if compaction.delta is None else format_count(compaction.delta)
