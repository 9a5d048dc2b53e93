"""Terminal layout: width and clock, tables, wrapped prose."""

import re
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import Final

from msgspec import Struct, structs

from unspool.show import safe
from unspool.show.spans import BLANK, Line, Span, Style, cells, folded, more, pad, wrap

_PROSE, _EDGE = 80, 110


class Frame(Struct, frozen=True):
    """No width: a pipe, where nothing is wrapped, cut or aligned to an edge."""

    width: int | None
    now: int
    zone: tzinfo | None = None

    def inside(self, by: int) -> "Frame":
        """The same frame, indented."""
        if self.width is None:
            return self
        # Counted from where the text ends on this paper, not from where the paper ends.
        return structs.replace(self, width=max(min(self.width, _EDGE) - by, 20))

    @property
    def prose(self) -> int | None:
        """Where prose wraps."""
        return None if self.width is None else max(min(self.width, _PROSE), 20)

    @property
    def edge(self) -> int | None:
        """Where right-aligned figures end."""
        return None if self.width is None else max(min(self.width, _EDGE), 20)


_GAP = 2
_ENOUGH, _COMFORT = 20, 32
_LONGEST = 100


class TableColumn(Struct, frozen=True):
    """`flex` takes the remaining space; columns with a `drop` are dropped, highest first.

    A drop of 1 goes last of all, when even a short title would not fit beside it.
    """

    title: str
    right: bool = False
    flex: bool = False
    drop: int = 0
    most: int = 40


def table(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[Span]], width: int | None
) -> list[Line]:
    """The titles and the rows. Without a width only what is very long is cut."""
    sizes = [_size(column, at, rows, width is None) for at, column in enumerate(columns)]
    visible = _kept(columns, sizes, width)
    flex = next((at for at in visible if columns[at].flex), None)
    if width is not None and flex is not None:
        others = sum(sizes[at] + _GAP for at in visible if at != flex)
        sizes[flex] = min(sizes[flex], max(width - others, 8))
    titles: list[Span] = [("dim", column.title) for column in columns]
    return [_row(columns, row, sizes, visible) for row in (titles, *rows)]


def _size(column: TableColumn, at: int, rows: Sequence[Sequence[Span]], whole: bool) -> int:
    widest = max((cells(row[at][1]) for row in rows), default=0)
    if not widest:
        return 0
    width = max(widest, cells(column.title))
    return min(width, _LONGEST) if whole or column.flex else min(width, column.most)


def _kept(columns: Sequence[TableColumn], sizes: Sequence[int], width: int | None) -> list[int]:
    visible = [at for at, size in enumerate(sizes) if size]
    while width is not None:
        least = max(visible, key=lambda at: columns[at].drop, default=None)
        if least is None or not columns[least].drop:
            break
        enough = _ENOUGH if columns[least].drop == 1 else _COMFORT
        needed = (min(sizes[at], enough) if columns[at].flex else sizes[at] for at in visible)
        if sum(needed) + _GAP * (len(visible) - 1) <= width:
            break
        visible.remove(least)
    return visible


def _row(
    columns: Sequence[TableColumn],
    row: Sequence[Span],
    sizes: Sequence[int],
    visible: Sequence[int],
) -> Line:
    spans: list[Span] = []
    for at in visible:
        style, text = row[at]
        spans.append((style, pad(text, sizes[at], right=columns[at].right)))
        spans.append(("", " " * _GAP))
    return tuple(spans[:-1])


_ITEM: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_FENCE: Final = ("```", "~~~")


def prose(text: str, width: int | None, style: Style = "") -> Iterator[Line]:
    """Wrapped prose; headings are bold, code and tables stay as they are."""
    is_code = False
    for line in safe.lines(text):
        fence = line.lstrip().startswith(_FENCE)
        if fence:
            is_code = not is_code
        if not line.strip():
            yield BLANK
        elif is_code or fence or line.lstrip().startswith("|"):
            yield (("dim" if fence else style, line),)
        else:
            yield from _wrapped(line, width, style)


def _wrapped(line: str, width: int | None, style: Style) -> Iterator[Line]:
    item = _ITEM.match(line)
    hang = " " * len(item[0]) if item else None
    shade: Style = "strong" if not style and re.match(r"#{1,6} ", line) else style
    for row in wrap(line, width, hang):
        yield ((shade, row),)


def passage(
    text: str, width: int | None, head: int, tail: int = 0, style: Style = ""
) -> list[Line]:
    """The first and last lines of a text, and how many are hidden."""
    lines = safe.raw_lines(text)
    # Folded by what it takes on paper; of a very long text only the ends are put there.
    first, skipped, last = folded(lines, 4 * (head + tail), 4 * tail)
    if skipped:
        begin = _closed(list(prose("\n".join(first), width, style))[:head])
        end = list(prose("\n".join(last), width, style))[-tail:] if tail else []
        return [*begin, *more(len(lines) - head - tail), *end]
    first_lines, hidden, rest = folded(list(prose(text, width, style)), head, tail)
    return [*(_closed(first_lines) if hidden else first_lines), *more(hidden), *rest]


def _closed(lines: list[Line]) -> list[Line]:
    """Without a trailing blank line."""
    return lines[:-1] if lines and lines[-1] == BLANK else lines
