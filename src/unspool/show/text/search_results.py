"""Search results -> text: by session, with the matched words marked."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.model.api import SearchResult
from unspool.show import safe, times
from unspool.show.labels import title_label
from unspool.show.spans import BLANK, Line, Span, cells, cut, ends, fit
from unspool.show.text.layout import Frame

_ID: Final = 8
_INDENT: Final = 4
_CONTEXT: Final = 3


def search_lines(results: Iterable[SearchResult], frame: Frame) -> Iterator[Line]:
    """Sessions in the order of their first result, with their results."""
    sessions: dict[tuple[str, str], list[SearchResult]] = {}
    for one in results:
        sessions.setdefault((one.project_id, one.session_id), []).append(one)
    for number, lines in enumerate(sessions.values()):
        if number:
            yield BLANK
        yield _session(lines[0], frame)
        for one in lines:
            yield _where(one, frame)
            yield from _snippet(one, frame)


def _session(one: SearchResult, frame: Frame) -> Line:
    short = one.session_id[:_ID] if frame.width else one.session_id
    project = safe.brief(one.project_name or one.project_id, 40)
    side: Line = (("", project), ("dim", f"  {safe.brief(short)}"))
    return ends((("strong", title_label(one.title)),), side, frame.edge)


def _where(one: SearchResult, frame: Frame) -> Line:
    parts = [one.kind.replace("_", " ") or "line", f"turn {one.turn}" if one.turn else ""]
    parts += [f"agent {one.agent_id}" if one.agent_id else "", f"line {one.line}"]
    when = times.ago(one.timestamp, frame.now, frame.zone)
    text = " · ".join(safe.brief(part, 60) for part in (*parts, when) if part)
    return (("dim", f"  {cut(text, frame.edge and frame.edge - 2)}"),)


def _snippet(one: SearchResult, frame: Frame) -> Iterator[Line]:
    width = frame.edge and frame.edge - _INDENT
    for spans in _lines(one.snippet, one.ranges)[:_CONTEXT]:
        yield (("", " " * _INDENT), *fit(_within(spans, width), width))


def _lines(text: str, ranges: Sequence[tuple[int, int]]) -> list[list[Span]]:
    """The lines of a snippet as spans, matches in bold."""
    lines: list[list[Span]] = [[]]
    at = 0
    for start, end in (*ranges, (len(text), len(text))):
        for style, piece in _pieces(text, at, start, end):
            for number, part in enumerate(piece.split("\n")):
                if number:
                    lines.append([])
                if part:
                    lines[-1].append((style, safe.line(part)))
        at = end
    return lines


def _pieces(text: str, at: int, start: int, end: int) -> tuple[Span, Span]:
    return ("", text[at:start]), ("strong", text[start:end])


def _within(spans: list[Span], width: int | None) -> Line:
    """A line cut so that its first match is visible."""
    lead, *rest = spans or [("", "")]
    if width is None or lead[0] or not rest or cells(lead[1] + rest[0][1]) < width:
        return (lead, *rest)
    near = lead[1][-width // 3 :]
    return ("", f"…{near[near.find(' ') + 1 :]}"), *rest
