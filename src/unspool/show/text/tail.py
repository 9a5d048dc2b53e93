"""Live events of `unspool tail` -> lines: time, session, speaker, text."""

from collections.abc import Iterator
from typing import Final

from unspool.model.live import LiveEvent
from unspool.show import safe, times
from unspool.show.labels import STATUSES
from unspool.show.spans import Line, Span, Style, cut, fit, indented, pad, wrap
from unspool.show.text.layout import Frame
from unspool.show.tools import registry

_ID, _NAME, _WORDS = 8, 9, 4
_LONG = 2_000
_RESULTS: Final[dict[str, tuple[Style, str, str]]] = {
    "ok": ("good", "✓", ""),
    "error": ("bad", "✗", "failed"),
    "rejected": ("wait", "✗", "rejected"),
    "interrupted": ("wait", "■", "interrupted"),
}
_MARKS: Final[dict[str, tuple[Style, str]]] = {
    "call": ("dim", "•"),
    "asks": ("wait", "▲"),
    "hook": ("dim", "⚑"),
    "notice": ("dim", "!"),
    "started": ("dim", "○"),
    "ended": ("dim", "■"),
}


def event_lines(one: LiveEvent, frame: Frame, *, several: bool) -> Iterator[Line]:
    """One line per event; prompts and answers wrap to a few."""
    at = times.moment(one.at, frame.zone)
    lead = f"{at:%H:%M:%S}  " if at else " " * 10
    lead += f"{pad(safe.brief(one.session_id)[:_ID], _ID)}  " if several else ""
    lead += f"↳ {safe.brief(one.agent_id)[:_ID]}  " if one.agent_id else ""
    if one.kind in ("prompt", "answer"):
        yield from _speech(one, lead, frame)
    else:
        yield fit((("dim", lead), *_deed(one, frame)), frame.width)


def _speech(one: LiveEvent, lead: str, frame: Frame) -> Iterator[Line]:
    name: Span = ("strong" if one.kind == "prompt" else "work", pad(one.name, _NAME + 2))
    if frame.width is None:
        yield (("dim", lead), name, ("", f"  {safe.brief(one.text, _LONG)}"))
        return
    start = len(lead) + _NAME + 4
    width = max(frame.width - start, 20)
    rows = wrap(safe.brief(one.text, _LONG), width)
    if len(rows) > _WORDS:
        rows = [*rows[: _WORDS - 1], cut(f"{rows[_WORDS - 1]} …", width - 1)]
    first, *others = rows
    yield (("dim", lead), name, ("", f"  {first}"))
    yield from indented(((("", row),) for row in others), start)


def _deed(one: LiveEvent, frame: Frame) -> Line:
    text = safe.brief(one.text)
    if one.kind in ("limited", "failed"):
        return _stop(one, frame)
    if one.kind == "result":
        style, mark, word = _RESULTS.get(one.state, ("dim", "?", ""))
        # "exit 1" says that it failed better than the word does.
        result = text or word
        spent = times.duration(one.duration_ms)
        facts: Line = ((style if word else "dim", f"{result}  "),) if result else ()
        return (*_named((style, mark), one.name), *facts, ("dim", spent))
    style, mark = ("bad", "✗") if one.is_error else _MARKS.get(one.kind, ("dim", "?"))
    if one.kind == "asks":
        return (*_named((style, mark), one.name), ("wait", f"{text}  waiting for your approval"))
    if one.kind == "notice":
        return (style, f"{mark} "), (style, text)
    if one.kind in ("started", "ended"):
        return (style, f"{mark} "), ("strong", f"session {one.kind}"), ("dim", f"  {text}")
    return (*_named((style, mark), one.name), ("", text))


def _stop(one: LiveEvent, frame: Frame) -> Line:
    """The state that the session is left in: `◆ stopped by its usage limit, resets 15:00`."""
    sign = STATUSES["limited" if one.kind == "limited" else "failed"]
    reset = times.coming(one.until, frame.now, frame.zone)
    phrase = f"{sign.phrase}, resets {reset}" if reset else sign.phrase
    return (sign.style, f"{sign.shape} {phrase}"), ("", f"  {safe.brief(one.text)}")


def _named(mark: Span, name: str) -> Line:
    label = registry.label(name) if name else ""
    return mark, ("", " "), ("strong", pad(label, max(_NAME, len(label)))), ("", "  ")
