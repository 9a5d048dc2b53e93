"""Passages -> outline: a line for each prompt, below it its agents, failures, waits and splices."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from unspool.model.document import Turn
from unspool.show import safe
from unspool.show.money import plural
from unspool.show.views.steps.numbers import Number, cost
from unspool.show.views.steps.shapes import (
    Agent,
    Answer,
    Ask,
    Group,
    Item,
    Notice,
    Passage,
    Row,
    Splice,
)

_MOST: Final = 6
_PROMPT: Final = 120


class Mark(Struct, frozen=True, kw_only=True):
    """One line of the outline; `place` is the id of the element it leads to."""

    place: str
    text: str
    number: str = ""
    icon: str = ""
    style: str = ""  # class names
    cost: Number = Number("")


def outline(passages: Sequence[Passage], turns: Sequence[Turn]) -> tuple[Mark, ...]:
    """All marks, in the order of the page."""
    by_index = {turn.index: turn for turn in turns}
    return tuple(mark for passage in passages for mark in _marks(passage, by_index))


def told(marks: Sequence[Mark]) -> str:
    """The outline in a line, for where it is folded."""
    counts = (
        (sum(bool(mark.number) for mark in marks), "turn"),
        (sum(mark.icon == "fail" for mark in marks), "error"),
        (sum(mark.icon == "cut" for mark in marks), "compaction"),
    )
    return ", ".join(plural(count, word) for count, word in counts if count) or "nothing yet"


def _marks(passage: Passage, turns: dict[int, Turn]) -> Iterator[Mark]:
    if passage.turn is not None and not passage.goes_on:
        turn = turns.get(passage.turn)
        prompt = safe.brief(turn.prompt, _PROMPT) if turn else ""
        yield Mark(
            place=passage.id,
            number=str(passage.turn),
            text=prompt or "…",
            cost=cost(turn.metrics, "this turn") if turn else Number(""),
        )
    found = list(_inside(passage))
    yield from islice(found, _MOST)
    if len(found) > _MOST:
        rest = plural(len(found) - _MOST, "more mark")
        yield Mark(place=found[_MOST].place, text=rest, icon="down", style="sub")


def _inside(passage: Passage) -> Iterator[Mark]:
    for block in passage.blocks:
        if isinstance(block, Splice):
            text = f"Compacted {block.saved}".strip()
            yield Mark(place=f"chunk-{block.id}", text=text, icon="cut")
        elif isinstance(block, Answer):
            yield from (mark for item in block.items for mark in _item(item))


def _item(item: Item) -> Iterator[Mark]:
    place = f"step-{item.id}"
    if isinstance(item, Ask):
        yield Mark(place=place, text=item.waits, icon="wait", style="sub is-wait")
    elif isinstance(item, Agent):
        yield Mark(
            place=place, text=item.line.title, icon="agent", style="sub", cost=item.line.cost
        )
        for line in item.below:
            within = f"step-{line.id}"
            yield Mark(place=within, text=line.title, icon="agent", style="sub2", cost=line.cost)
    elif isinstance(item, Row) and item.is_bad:
        text = f"{item.tool} {item.out}".strip()
        yield Mark(place=place, text=text, icon="fail", style="sub is-fail")
    elif isinstance(item, Notice) and item.is_error:
        yield Mark(place=place, text=item.title, icon="fail", style="sub is-fail")
    elif isinstance(item, Group):
        yield from (mark for row in item.rows for mark in _item(row))
