"""How much of a session is read: its story, one line for each call, or everything."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias, get_args

from msgspec import structs

from unspool.model.document import ToolExecution
from unspool.show import times
from unspool.show.html.step_types import (
    AgentItem,
    AnswerBlock,
    CallGroup,
    NoiseItem,
    NoticeItem,
    Passage,
    StepItem,
)
from unspool.show.numbers import plural
from unspool.show.tools import registry

Level: TypeAlias = Literal["story", "normal", "everything"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
_NAMED: Final = 3
_FAILED: Final = ("error", "rejected", "interrupted")


def level_of(name: str) -> Level:
    """A level by its name; the normal one for any other word."""
    return next((level for level in LEVELS if level == name), "normal")


def call_summary(calls: Sequence[ToolExecution], duration_ms: int | None = None) -> str:
    """The calls of an answer in a line: "12 calls: 6 Read, 3 Edit, 3 others · 1 failed · 2 min"."""
    counts = Counter(registry.verb(one.name) for one in calls).most_common()
    named = [f"{count} {name}" for name, count in counts[:_NAMED]]
    if rest := sum(count for _, count in counts[_NAMED:]):
        named.append(plural(rest, "other"))
    failed = sum(one.state in _FAILED for one in calls)
    parts = (
        f"{plural(len(calls), 'call')}: {', '.join(named)}" if calls else "",
        f"{failed} failed" if failed else "",
        times.duration(duration_ms) if duration_ms else "",
    )
    return " · ".join(part for part in parts if part)


def group_key(one: ToolExecution) -> str:
    """Calls with the same key, one after another, are one line; "" for those that stand alone."""
    if one.state != "ok":
        return ""
    if one.name in registry.NOUNS:
        return "read"
    return one.name if registry.server(one.name) else ""


def noise_summary(items: Sequence[NoticeItem]) -> str:
    """What some machine notes are: "2 hooks, 1 reminder"."""
    counts = Counter(item.noise for item in items)
    return ", ".join(plural(count, kind) for kind, count in counts.items())


def story_only(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages of the story; each has anchors for the steps and passages left out there."""
    story: list[Passage] = []
    skipped: list[str] = []  # ids of passages before the next one of the story
    for one in passages:
        ids = tuple(element_ids((one,)))
        if not one.block.in_story:
            skipped += ids
            continue
        short = _story_passage(one)
        kept = set(element_ids((short,)))
        left_out = (*skipped, *(id for id in ids if id not in kept))
        story.append(structs.replace(short, anchors=left_out))
        skipped = []
    if story and skipped:
        last = story[-1]
        story[-1] = structs.replace(last, anchors=(*last.anchors, *skipped))
    return tuple(story)


def element_ids(passages: Iterable[Passage]) -> Iterator[str]:
    """The elements of some passages and of their steps."""
    for one in passages:
        yield one.id
        if one.opens:
            yield f"turn-{one.turn}"
        if isinstance(one.block, AnswerBlock):
            yield from _step_ids(one.block.items)


def _step_ids(items: Iterable[StepItem]) -> Iterator[str]:
    for item in items:
        if isinstance(item, CallGroup | NoiseItem):
            yield from (f"step-{id}" for id in sorted(item.ids))
            continue
        yield f"step-{item.id}"
        if isinstance(item, AgentItem):
            yield from (f"step-{line.id}" for line in item.below)
            if item.call:
                yield f"step-{item.call.id}"
            yield from _step_ids(item.items)


def _story_passage(passage: Passage) -> Passage:
    block = passage.block
    if not isinstance(block, AnswerBlock):
        return passage
    slabs = tuple(structs.replace(slab, items=_story_items(slab.items)) for slab in block.slabs)
    return structs.replace(passage, block=structs.replace(block, slabs=slabs))


def _story_items(items: Iterable[StepItem]) -> tuple[StepItem, ...]:
    return tuple(_story_item(item) for item in items if item.in_story)


def _story_item(item: StepItem) -> StepItem:
    if not isinstance(item, AgentItem):
        return item
    return structs.replace(item, items=_story_items(item.items))
