"""What a viewer laid out -> Markdown."""

from collections.abc import Iterable, Iterator
from typing import Final

from unspool.show.export.plainly import address, code, fenced, words
from unspool.show.export.prose import prose, quoted
from unspool.show.viewers.pieces import (
    Checks,
    Diff,
    Found,
    Output,
    Pairs,
    Piece,
    Question,
    Words,
)

_BOX: Final = {"completed": "[x]", "in_progress": "[ ] (at work)"}


def pieces(found: Iterable[Piece]) -> Iterator[str]:
    """What a viewer laid out."""
    for piece in found:
        yield from _piece(piece)


def _piece(piece: Piece) -> Iterator[str]:
    if isinstance(piece, Output):
        yield fenced("\n".join(part for part in (piece.head, piece.tail) if part))
    elif isinstance(piece, Diff):
        yield code(piece.path)
        yield fenced("\n".join(_changed(sign, spans) for sign, spans in piece.lines), "diff")
    elif isinstance(piece, Words):
        yield words(piece.label)
        yield quoted(prose(piece.text))
    elif isinstance(piece, Pairs):
        yield from (part for row in piece.rows for part in _pair(*row))
    elif isinstance(piece, Checks):
        rows = ((_BOX.get(one.status, "[ ]"), one.content) for one in piece.items)
        yield "\n".join(f"- {box} {words(' '.join(content.split()))}" for box, content in rows)
    elif isinstance(piece, Question):
        yield from _question(piece)
    elif isinstance(piece, Found):
        yield "\n".join(_hit(title, href) for title, href in piece.hits)
    else:
        yield f"*{words(piece.what)}: not in this file*"


def _pair(name: str, value: str) -> tuple[str, str]:
    return f"**{words(name)}**", fenced(value)


def _changed(sign: str, spans: Iterable[tuple[str, str]]) -> str:
    return f"{sign if sign in ('+', '-') else ' '}{''.join(text for _, text in spans)}"


def _question(piece: Question) -> Iterator[str]:
    yield f"**{words(' '.join(piece.text.split()))}**"
    told = ((one.is_chosen, f"{one.label} {one.description}") for one in piece.choices)
    rows = [*told, *([(True, piece.answer)] if piece.answer else [])]
    yield "\n".join(f"- [{'x' if on else ' '}] {words(' '.join(t.split()))}" for on, t in rows)


def _hit(title: str, href: str) -> str:
    shown, safe = words(" ".join((title or href).split())), address(href)
    return f"- [{shown}](<{safe}>)" if safe else f"- {shown}"
