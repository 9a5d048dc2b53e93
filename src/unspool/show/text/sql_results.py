"""Result rows of `unspool sql` -> a table or CSV."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, Final

from unspool.show import safe
from unspool.show.spans import BLANK, Line, Span, cells, cut, pad, wrap
from unspool.show.text.layout import Frame

_LONGEST: Final = 200
_LEAST: Final = 6
_GAP: Final = 2
_INDENT: Final = 2
# What a spreadsheet would take for a formula; a number with a sign is no formula.
_FORMULA: Final = re.compile(r"(?![+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\Z)[=+\-@\t\r]")


def result_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], frame: Frame
) -> Iterator[Line]:
    """A table whose widest columns shrink first; too many columns become records."""
    texts = [[_text(value) for value in row] for row in rows]
    titles = [safe.brief(name, 60) for name in columns]
    sizes = [max(map(cells, column)) for column in zip(titles, *texts, strict=True)]
    sizes = _narrowed(sizes, frame.width)
    if frame.width is not None and sum(sizes) + _GAP * (len(sizes) - 1) > frame.width:
        yield from _records(titles, texts, frame.width)
        return
    right = [_is_number(column) for column in zip(*rows, strict=True)] or [False] * len(sizes)
    yield _row([("dim", title) for title in titles], sizes, right)
    for row in texts:
        yield _row([("", text) for text in row], sizes, right)


def _records(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[Line]:
    """Row by row, a line for each column with a value."""
    size = min(max(map(cells, titles)), width // 2)
    for number, row in enumerate(rows):
        if number:
            yield BLANK
        for title, text in zip(titles, row, strict=True):
            if text:
                yield ("dim", f"{pad(title, size)}  "), ("", cut(text, width - size - _GAP))


def schema_lines(tables: Mapping[str, Sequence[str]], frame: Frame) -> Iterator[Line]:
    """Each table's name, and its columns below it."""
    width = None if frame.edge is None else frame.edge - _INDENT
    for name, columns in tables.items():
        yield (("strong", name),)
        for line in wrap(", ".join(columns), width):
            yield (("dim", f"{' ' * _INDENT}{line}"),)


def csv_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Lines of CSV; NULL is empty, and what looks like a formula gets an apostrophe."""
    for row in (columns, *rows):
        line = StringIO()
        # With its own line end, it quotes every cell that has half of one.
        csv.writer(line, lineterminator="\r\n").writerow([_defused(value) for value in row])
        yield line.getvalue()[:-2]


def _is_number(column: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) for value in column)


def _defused(value: Any) -> Any:
    raw = _raw(value)
    return f"'{raw}" if isinstance(raw, str) and _FORMULA.match(raw) else raw


def _raw(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def _text(value: Any) -> str:
    if value is None:
        return ""
    return safe.brief(str(_raw(value)), _LONGEST)


def _narrowed(sizes: list[int], width: int | None) -> list[int]:
    """Shrink the widest columns until all fit or none can shrink."""
    sizes = list(sizes)
    spare = 0 if width is None else sum(sizes) + _GAP * (len(sizes) - 1) - width
    while spare > 0 and max(sizes) > _LEAST:
        widest = sizes.index(max(sizes))
        second = max((size for at, size in enumerate(sizes) if at != widest), default=_LEAST)
        cut = min(spare, sizes[widest] - max(min(second, sizes[widest] - 1), _LEAST))
        sizes[widest] -= cut
        spare -= cut
    return sizes


def _row(spans: Sequence[Span], sizes: Sequence[int], right: Sequence[bool]) -> Line:
    cells_of_row: list[Span] = []
    for (style, text), size, is_right in zip(spans, sizes, right, strict=True):
        cells_of_row += [(style, pad(text, size, right=is_right)), ("", " " * _GAP)]
    return tuple(cells_of_row[:-1])
