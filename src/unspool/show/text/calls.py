"""Tool calls -> lines: one for each with its result, one for a run of reading calls."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from unspool.model.document import ToolExecution, ToolState
from unspool.show import times
from unspool.show.numbers import plural
from unspool.show.paths import file_name
from unspool.show.spans import Line, Span, Style, ends, fit, indented, pad
from unspool.show.text.layout import Frame
from unspool.show.tools import registry, values

_NAME = 9
_CLOCK = 7
_LOUD_WAIT_MS = 10_000
_MARKS: Final[dict[ToolState, tuple[Style, str, str]]] = {
    "ok": ("dim", "•", ""),
    "error": ("bad", "✗", "failed"),
    "rejected": ("wait", "✗", "rejected"),
    "interrupted": ("wait", "■", "interrupted"),
    "running": ("work", "●", "running"),
    "no_result": ("dim", "?", "no result"),
}


class TextContext(NamedTuple):
    """Frame and project of a session."""

    frame: Frame
    project: str = ""

    def relative(self, text: str) -> str:
        """A text with the project's paths made relative."""
        if not self.project:
            return text
        own = rf"(?<![\w./~-]){re.escape(self.project)}(?:[/\\](?=\S)|(?=[\s'\":;,)]|$))"
        return re.sub(own, lambda found: "" if found[0][-1] in "/\\" else ".", text)


def call(one: ToolExecution, context: TextContext) -> Iterator[Line]:
    """A call: its line and a preview of its result."""
    input, result = _given(one), _answered(one)
    style, mark, word = _MARKS[one.state]
    failed = one.state not in ("ok", "running")
    facts = registry.facts(one.name, input, result, failed=failed)
    right = _apart(_facts(facts), _state(style, word, facts), *_clock(one, context.frame))
    summary = context.relative(registry.summary(one.name, input, result))
    yield item((style, mark), registry.label(one.name), summary, right, context.frame)
    if one.result is not UNSET:
        preview = registry.preview(one.name, input, result, failed=failed)
        yield from indented((fit(line, _inside(context.frame, 6)) for line in preview), 6)


def item(mark: Span, name: str, text: str, right: Line, frame: Frame) -> Line:
    """A step: mark, name and text; its result at the right edge."""
    left: Line = (
        ("", "  "),
        mark,
        ("", " "),
        ("strong", pad(name, max(_NAME, len(name))) + "  "),
        ("", text),
    )
    return ends(left, right, frame.edge)


def run(calls: Sequence[ToolExecution], context: TextContext) -> Iterator[Line]:
    """Several reading calls on one line."""
    if len(calls) == 1:
        yield from call(calls[0], context)
        return
    counts: dict[str, int] = {}
    for one in calls:
        counts[one.name] = counts.get(one.name, 0) + 1
    names = (_told(one, context) for one in calls)
    targets = ", ".join(dict.fromkeys(name for name in names if name))
    first, *others = (_counted(name, count) for name, count in counts.items())
    label, _, rest = first.partition(" ")
    counts_text = " · ".join([rest, *others])
    spent = sum(one.duration_ms or 0 for one in calls)
    right: Line = (("dim", _timed(times.duration(spent), context.frame)),)
    left = item(("dim", "≡"), label, counts_text, (), context.frame)
    yield ends((*left, ("dim", f"  {targets}")), right, context.frame.edge)


def _counted(name: str, count: int) -> str:
    noun = registry.NOUNS[name]
    return f"{name} {plural(count, noun, 'searches' if noun == 'search' else '')}"


def _told(one: ToolExecution, context: TextContext) -> str:
    target = context.relative(registry.summary(one.name, _given(one), None))
    return file_name(target) if registry.NOUNS[one.name] == "file" else target


def is_quiet(one: ToolExecution) -> bool:
    """Whether a call may go into a run: a successful reading call."""
    return one.state == "ok" and one.name in registry.NOUNS


def _given(one: ToolExecution) -> values.Fields:
    return values.fields(values.read(one.input))


def _answered(one: ToolExecution) -> object:
    return None if one.result is UNSET else values.read(one.result)


def _facts(facts: str) -> Line:
    styles: dict[str, Style] = {"+": "add", "−": "drop"}
    words = facts.split(" ") if facts else []
    spans = [(styles.get(word[:1], "dim"), word) for word in words]
    return tuple(span for one in spans for span in (one, ("", " ")))[:-1]


def _state(style: Style, word: str, facts: str) -> Line:
    # "exit 1" says that it failed better than the word does.
    return ((style, word),) if word and not (word == "failed" and facts) else ()


def _clock(one: ToolExecution, frame: Frame) -> Iterator[Line]:
    waited = one.hook.waited_ms if one.hook is not UNSET and one.hook.waited_ms else 0
    if waited >= _LOUD_WAIT_MS:
        yield (("wait", f"waited {times.duration(waited)}"),)
    spent = times.duration(one.duration_ms)
    if spent:
        yield (("dim", _timed(spent, frame)),)


def _apart(*groups: Line) -> Line:
    space: Span = ("", "  ")
    return tuple(span for group in groups if group for span in (space, *group))[1:]


def _timed(spent: str, frame: Frame) -> str:
    return spent if frame.width is None else spent.rjust(_CLOCK)


def _inside(frame: Frame, by: int) -> int | None:
    return None if frame.edge is None else frame.edge - by
