"""Chunks -> passages: who spoke when, turn by turn."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from msgspec import UNSET

from unspool.model.document import Chunk, Compaction, SessionDocument
from unspool.show import safe, times
from unspool.show.money import format_count, plural
from unspool.show.views.steps.around import Around, text_of
from unspool.show.views.steps.items import items
from unspool.show.views.steps.numbers import cost
from unspool.show.views.steps.shapes import Answer, Block, Passage, Speech, Splice

_SPEAKERS: Final = {
    "teammate": "Teammate",
    "notification": "Background task",
    "bash_output": "Output",
    "stdout": "Output",
    "stderr": "Output",
}
_PRINTED: Final = ("bash_output", "stdout", "stderr")
_MOST: Final = 200_000


def passages(document: SessionDocument, around: Around) -> tuple[Passage, ...]:
    """The chunks of a window, those of one turn together."""
    ended = {phase.last_chunk: phase.compaction for phase in document.context.phases}
    grouped = groupby(_blocks(document, around, ended), key=lambda pair: pair[0])
    seen: set[int | None] = {None}
    made: list[Passage] = []
    for turn, pairs in grouped:
        blocks = tuple(block for _, block in pairs)
        # A turn goes on after a compaction; a place on the page has one name.
        again = turn in seen
        made.append(
            Passage(f"from-{blocks[0].id}" if again else f"turn-{turn}", turn, blocks, again)
        )
        seen.add(turn)
    return tuple(made)


def _blocks(
    document: SessionDocument, around: Around, ended: dict[str, Compaction | None]
) -> Iterator[tuple[int | None, Block]]:
    last = ""
    for chunk in document.chunks:
        if chunk.type == "ai":
            last = chunk.id
            yield chunk.turn, _answer(chunk, around)
        elif chunk.type == "compact":
            # A compaction belongs to no turn: it stands between them.
            yield None, _splice(chunk, ended.get(last), around)
        else:
            yield chunk.turn, _speech(chunk, around)


def _speech(chunk: Chunk, around: Around) -> Speech:
    printed = chunk.type == "system" or chunk.voice in _PRINTED
    return Speech(
        id=chunk.id,
        who="Output" if printed else _SPEAKERS.get(chunk.voice, "You"),
        at=times.clock(chunk.start_time, around.zone),
        exact=chunk.start_time or "",
        text=text_of(chunk.text)[:_MOST],
        is_output=printed,
        branch=chunk.branch,
    )


def _answer(chunk: Chunk, around: Around) -> Answer:
    steps = () if chunk.steps is UNSET else chunk.steps
    count = sum(step.type != "tool_result" for step in steps)
    return Answer(
        id=chunk.id,
        at=times.between(chunk.start_time, chunk.end_time, around.zone),
        exact=chunk.start_time or "",
        steps=plural(count, "step"),
        cost=cost(chunk.metrics, "this answer"),
        items=items(steps, around),
        is_interrupted=chunk.is_interrupted,
        branch=chunk.branch,
    )


def _splice(chunk: Chunk, found: Compaction | None, around: Around) -> Splice:
    saved = _saved(found) if found else ""
    trigger = safe.brief(found.trigger, 40) if found else ""
    parts = (
        trigger,
        f"{saved} tokens" if saved else "",
        times.clock(chunk.start_time, around.zone),
    )
    return Splice(
        id=chunk.id,
        text=", ".join(part for part in parts if part),
        saved=saved,
        summary=text_of(chunk.text)[:_MOST],
        branch=chunk.branch,
    )


def _saved(found: Compaction) -> str:
    if found.pre_tokens is not None:
        after = "?" if found.post_tokens is None else format_count(found.post_tokens)
        return f"{format_count(found.pre_tokens)} → {after}"
    return "" if found.delta is None else format_count(found.delta)
