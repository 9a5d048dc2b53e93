"""Chunks -> passages: prompts, answers, compactions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from typing import Final

from msgspec import UNSET, Struct

from unspool.model.document import Chunk, Compaction, Phase, SessionDocument, Step
from unspool.show import safe, times
from unspool.show.html.components import Number, cost_number, token_number
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
    "bash_input": "You ran",
    "bash_output": "Output",
    "stdout": "Output",
    "stderr": "Output",
}
_PRINTED: Final = ("bash_output", "stdout", "stderr")
_MOST: Final = 200_000
# So many lines of a transcript are shown or fetched together.
SLAB: Final = 120


class Layout(Struct, frozen=True, kw_only=True):
    """What a window must know of the session around it; all by the ids of chunks."""

    numbers: Mapping[str, int] = {}
    opens: Set[str] = frozenset()  # those that begin a turn
    cuts: Mapping[str, Compaction] = {}
    counts: Mapping[str, int] = {}  # steps of those that are not shown whole
    folds: Mapping[str, Mapping[int, str]] = {}  # and which of their slabs are not


def full_layout(document: SessionDocument) -> Layout:
    """A document that has all chunks."""
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
    """What each compaction did: it ended the phase of the answer before it."""
    ended = {phase.last_chunk: phase.compaction for phase in phases if phase.compaction}
    found: dict[str, Compaction] = {}
    last = ""
    for id, type in chunks:
        if type == "ai":
            last = id
        elif type == "compact" and last in ended:
            found[id] = ended[last]
    return found


def passages(
    document: SessionDocument, around: RenderContext, layout: Layout | None = None
) -> tuple[Passage, ...]:
    """Every chunk; the parts of one that is cut stand together again."""
    layout = layout or full_layout(document)
    grouped = groupby(document.chunks, key=lambda chunk: chunk.id)
    return tuple(_passage(list(parts), around, layout) for _, parts in grouped)


def _passage(parts: Sequence[Chunk], around: RenderContext, layout: Layout) -> Passage:
    first = parts[0]
    if first.type == "ai":
        block: PassageBlock = _answer(parts, around, layout)
    elif first.type == "compact":
        block = _splice(first, layout.cuts.get(first.id), around)
    else:
        block = _speech(first, around, layout)
    return Passage(
        id=f"chunk-{first.id}",
        number=layout.numbers.get(first.id, 0),
        turn=first.turn,
        opens=first.id in layout.opens,
        block=block,
    )


def _speech(chunk: Chunk, around: RenderContext, layout: Layout) -> SpeechBlock:
    text = text_of(chunk.text)[:_MOST]
    printed = chunk.type == "system" or chunk.voice in _PRINTED
    return SpeechBlock(
        id=chunk.id,
        who=_SPEAKERS.get(chunk.voice, "Output" if printed else "You"),
        at=times.clock(chunk.start_time, around.zone),
        exact=chunk.start_time or "",
        text=text,
        is_output=printed,
        branch=chunk.branch,
        lines=(chunk.line,) if chunk.line else (),
        secrets=around.secrets((chunk.line, text)),
        event=around.reader.events(around.agent, chunk.line) if chunk.images else "",
        pictures=chunk.images,
        leads=_plan(around) if layout.numbers.get(chunk.id) == 0 else None,
    )


def _plan(around: RenderContext) -> RelatedSession | None:
    """What carries out a plan says where it was made."""
    found = around.links.plan
    return (
        RelatedSession("Plan from", found.session_id, safe.brief(found.reason, 80))
        if found
        else None
    )


def _answer(parts: Sequence[Chunk], around: RenderContext, layout: Layout) -> AnswerBlock:
    chunk = parts[0]
    steps = [step for part in parts if part.steps is not UNSET for step in part.steps]
    counted = sum(step.type != "tool_result" for step in steps)
    count = layout.counts.get(chunk.id, counted)
    return AnswerBlock(
        id=chunk.id,
        at=times.between(chunk.start_time, chunk.end_time, around.zone),
        exact=chunk.start_time or "",
        steps=plural(count, "step"),
        cost=cost_number(chunk.metrics, "this answer"),
        tokens=token_number(chunk.metrics) if chunk.metrics.total_tokens else Number(""),
        slabs=tuple(_slabs(chunk, steps, around, layout.folds.get(chunk.id, {}))),
        lines=(chunk.line,) if chunk.line else (),
        is_interrupted=chunk.is_interrupted,
        branch=chunk.branch,
    )


def _slabs(
    chunk: Chunk, steps: Sequence[Step], around: RenderContext, folds: Mapping[int, str]
) -> Iterator[StepSlab]:
    """Cut by line numbers: wherever a window begins and however a session grows, the same."""
    parts: dict[int, list[Step]] = {}
    last = 0
    for step in steps:
        # An agent has no line of its own: it stands where it began.
        last = max(step.line - chunk.line, 0) // SLAB if step.line else last
        parts.setdefault(last, []).append(step)
    for number in sorted({*parts, *folds}):
        name = f"{chunk.id}-{number}"
        if number in parts:
            yield StepSlab(id=name, number=number, items=step_items(parts[number], around))
        else:
            yield StepSlab(id=name, number=number, folded=folds[number])


def _splice(chunk: Chunk, found: Compaction | None, around: RenderContext) -> CompactionBlock:
    kept = tokens_saved(found) if found else ""
    trigger = safe.brief(found.trigger, 40) if found else ""
    parts = (
        trigger,
        f"{kept} tokens" if kept else "",
        times.clock(chunk.start_time, around.zone),
    )
    return CompactionBlock(
        id=chunk.id,
        text=", ".join(part for part in parts if part),
        saved=kept,
        summary=text_of(chunk.text)[:_MOST],
        lines=(chunk.line,) if chunk.line else (),
        branch=chunk.branch,
    )


def tokens_saved(found: Compaction) -> str:
    """Tokens before and after, or how many fewer."""
    if found.pre_tokens is not None:
        after = "?" if found.post_tokens is None else format_count(found.post_tokens)
        return f"{format_count(found.pre_tokens)} → {after}"
    return "" if found.delta is None else format_count(found.delta)
