"""Rows of cells -> lines of a table that fits: the least wanted columns go first."""

from collections.abc import Sequence

from msgspec import Struct

from unspool.show.spans import Line, Span, cells, pad

_GAP = 2
_ENOUGH, _COMFORT = 20, 32
_LONGEST = 100


class Column(Struct, frozen=True):
    """`flex` takes the room that is left; a column with a `drop` may go, the highest first.

    A drop of 1 goes last of all, when even a short title would not fit beside it.
    """

    title: str
    right: bool = False
    flex: bool = False
    drop: int = 0
    most: int = 40


def table(
    columns: Sequence[Column], rows: Sequence[Sequence[Span]], width: int | None
) -> list[Line]:
    """The titles and the rows. Without a width only what is very long is cut."""
    sizes = [_size(column, at, rows, width is None) for at, column in enumerate(columns)]
    kept = _kept(columns, sizes, width)
    flex = next((at for at in kept if columns[at].flex), None)
    if width is not None and flex is not None:
        others = sum(sizes[at] + _GAP for at in kept if at != flex)
        sizes[flex] = min(sizes[flex], max(width - others, 8))
    titles: list[Span] = [("dim", column.title) for column in columns]
    return [_row(columns, row, sizes, kept) for row in (titles, *rows)]


def _size(column: Column, at: int, rows: Sequence[Sequence[Span]], whole: bool) -> int:
    widest = max((cells(row[at][1]) for row in rows), default=0)
    if not widest:
        return 0
    found = max(widest, cells(column.title))
    return min(found, _LONGEST) if whole or column.flex else min(found, column.most)


def _kept(columns: Sequence[Column], sizes: Sequence[int], width: int | None) -> list[int]:
    kept = [at for at, size in enumerate(sizes) if size]
    while width is not None:
        least = max(kept, key=lambda at: columns[at].drop, default=None)
        if least is None or not columns[least].drop:
            break
        enough = _ENOUGH if columns[least].drop == 1 else _COMFORT
        needed = (min(sizes[at], enough) if columns[at].flex else sizes[at] for at in kept)
        if sum(needed) + _GAP * (len(kept) - 1) <= width:
            break
        kept.remove(least)
    return kept


def _row(
    columns: Sequence[Column], row: Sequence[Span], sizes: Sequence[int], kept: Sequence[int]
) -> Line:
    spans: list[Span] = []
    for at in kept:
        style, text = row[at]
        spans.append((style, pad(text, sizes[at], right=columns[at].right)))
        spans.append(("", " " * _GAP))
    return tuple(spans[:-1])
