"""The window of a session that a page shows, bounded in chunks and messages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from unspool.derive.document import Cut
from unspool.derive.story.chunks import Span
from unspool.engine.sessions.session import SessionReader
from unspool.model.document import Phase
from unspool.model.steps import SessionStep
from unspool.show.html.passages import SLAB, Layout, compactions
from unspool.show.html.session_page import PageWindow
from unspool.show.numbers import plural

CHUNKS: Final = 60
LATEST: Final = 10**9  # the latest window, if its first chunk is not known
MESSAGES: Final = 260
SCREEN: Final = 44  # messages: the calls that a tall window shows at once
# An answer longer than this is shown by its beginning and its end.
_LONG: Final = 200
_HEADING: Final = 4  # chunks


class Plan(Struct, frozen=True, kw_only=True):
    """What to read of a session, and which parts are folded."""

    window: PageWindow
    cuts: tuple[Cut, ...]
    folds: Mapping[str, Mapping[int, str]]

    def layout(self, session: SessionReader, phases: Sequence[Phase]) -> Layout:
        """Where the chunks of the window stand in their session."""
        spans = session.fold.chunks.spans
        here = range(self.window.first, self.window.end)
        return Layout(
            numbers={spans[n].id: n for n in here},
            opens=frozenset(spans[n].id for n in here if _opens(session, n)),
            cuts=compactions(_before(spans, here), phases),
            counts={spans[n].id: session.steps_of(n) for n in here if spans[n].id in self.folds},
            folds=self.folds,
        )


def plan_window(
    session: SessionReader,
    first: int,
    limit: int | None = None,
    targets: Mapping[int, int] | None = None,
) -> Plan:
    """The window from a chunk on; `targets` names a slab of a chunk that must be in it."""
    spans = session.fold.chunks.spans
    first = earlier(spans, len(spans)) if first == LATEST else first
    begin = min(max(first, 0), max(len(spans) - 1, 0))
    end, most = begin, CHUNKS if limit is None else min(limit, CHUNKS)
    cuts: list[Cut] = []
    folds: dict[str, dict[int, str]] = {}
    weight = 0
    while end < len(spans) and end - begin < most and (end == begin or weight < MESSAGES):
        slabs = _slabs(spans[end])
        shown = _shown(slabs, (targets or {}).get(end), end == len(spans) - 1)
        weight += sum(slab.messages for number, slab in slabs.items() if number in shown)
        cuts += _cuts(end, spans[end], slabs, shown)
        if len(shown) < len(slabs):
            folds[spans[end].id] = {n: _fold_label(slabs[n]) for n in slabs if n not in shown}
        end += 1
    window = PageWindow(
        first=begin,
        end=end,
        total=len(spans),
        before=earlier(spans, begin),
        latest=earlier(spans, len(spans)),
    )
    return Plan(window=window, cuts=tuple(cuts), folds=folds)


def plan_range(
    session: SessionReader, first: SessionStep, last: SessionStep, end: int, most: int = MESSAGES
) -> Plan:
    """The lines from one step to another, bounded; `end` is where the step after them begins."""
    spans = session.fold.chunks.spans
    begin = _heading(session, first.chunk)
    weight, cuts = 0, [Cut(number) for number in range(begin, first.chunk)]
    number = first.chunk
    while number <= last.chunk and weight < most:
        low = first.line if number == first.chunk else 0
        high = end if number == last.chunk else None
        inside = Cut(number, low, high).of(spans).messages
        if weight + len(inside) > most:
            high = inside[most - weight].line
        cuts.append(Cut(number, low, high))
        weight += len(inside)
        number += 1
    return Plan(
        window=PageWindow(first=begin, end=number, total=len(spans)), cuts=tuple(cuts), folds={}
    )


def earlier(spans: Sequence[Span], end: int) -> int:
    """Where a window begins that ends before a chunk."""
    first, weight = end, 0
    while first > 0 and end - first < CHUNKS:
        weight += min(len(spans[first - 1].messages), _LONG)
        if weight > MESSAGES and first < end:
            break
        first -= 1
    return first


def slab_of(span: Span, line: int) -> int:
    """Which slab of a chunk a line lies in."""
    return max(line - span.first.line, 0) // SLAB


def one_slab(session: SessionReader, chunk: int, slab: int) -> tuple[Cut, ...]:
    """A slab alone."""
    span = session.fold.chunks.spans[chunk]
    return tuple(_cuts(chunk, span, _slabs(span), {slab}))


class _Slab(Struct):
    messages: int = 0
    steps: int = 0


def _slabs(span: Span) -> dict[int, _Slab]:
    """What each slab of a chunk holds."""
    found: dict[int, _Slab] = {}
    base = span.first.line
    for message in span.messages:
        number = max(message.line - base, 0) // SLAB
        slab = found.get(number) or found.setdefault(number, _Slab())
        slab.messages += 1
        slab.steps += message.type == "assistant"
    return dict(sorted(found.items()))


def _shown(slabs: Mapping[int, _Slab], target: int | None, is_last: bool) -> set[int]:
    if sum(slab.messages for slab in slabs.values()) <= _LONG:
        return set(slabs)
    every = list(slabs)
    ends = {every[0], every[-1], *(every[-2:] if is_last else ())}
    return ends | ({target} & set(slabs) if target is not None else set())


def _cuts(number: int, span: Span, slabs: Mapping[int, _Slab], shown: set[int]) -> Iterator[Cut]:
    if shown >= set(slabs):
        yield Cut(number)
        return
    base, last = span.first.line, max(slabs)
    for slab in sorted(shown):
        begin = 0 if slab == 0 else base + slab * SLAB
        yield Cut(number, begin, None if slab == last else base + (slab + 1) * SLAB)


def _fold_label(slab: _Slab) -> str:
    return f"Show {plural(max(slab.steps, 1), 'step')}"


def _heading(session: SessionReader, chunk: int) -> int:
    """The prompt of a chunk, if it comes directly before it, or what was printed between them."""
    spans, turn_of = session.fold.chunks.spans, session.fold.turns.turn_of
    turn, begin = turn_of(spans[chunk].first.line), chunk
    while begin > max(chunk - _HEADING, 0) and turn is not None:
        before = spans[begin - 1]
        if before.type == "ai" or turn_of(before.first.line) != turn:
            break
        begin -= 1
    return begin


def _opens(session: SessionReader, number: int) -> bool:
    spans, turn_of = session.fold.chunks.spans, session.fold.turns.turn_of
    turn = turn_of(spans[number].first.line)
    before = turn_of(spans[number - 1].first.line) if number else None
    return turn is not None and turn != before


def _before(spans: Sequence[Span], here: range) -> Iterator[tuple[str, str]]:
    """The chunks of a window, and the answer before it."""
    last = next((n for n in range(here.start - 1, -1, -1) if spans[n].type == "ai"), None)
    for n in (*(() if last is None else (last,)), *here):
        yield spans[n].id, spans[n].type
