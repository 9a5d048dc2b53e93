"""A key on the board -> how it is looked at from then on."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from unspool.show.board import SORTS, View

_FAR: Final = 1 << 30
_LONGEST = 100


def pressed(key: str, view: View, rows: Sequence[str], page: int) -> View:
    """The view after a key; `rows` are the keys of the rows shown, `page` how many fit."""
    if view.typing:
        return _typed(key, view)
    if view.help:
        return replace(view, help=False)
    if key == "/":
        return replace(view, typing=True)
    if key == "?":
        return replace(view, help=True)
    if key == "s":
        return replace(view, sort=SORTS[(SORTS.index(view.sort) + 1) % len(SORTS)])
    if key == "escape":
        return replace(view, needle="")
    by = steps(key, page)
    return replace(view, selected=_moved(view.selected, rows, by)) if by and rows else view


def steps(key: str, page: int) -> int:
    """How many rows a key moves by, down or up."""
    moves = {
        "j": 1, "down": 1, "k": -1, "up": -1, "page down": page, "page up": -page,
        "g": -_FAR, "home": -_FAR, "G": _FAR, "end": _FAR,
    }  # fmt: skip
    return moves.get(key, 0)


def _typed(key: str, view: View) -> View:
    if key == "enter":
        return replace(view, typing=False)
    if key == "escape":
        return replace(view, typing=False, needle="")
    if key in ("backspace", "clear"):
        return replace(view, needle=view.needle[:-1] if key == "backspace" else "")
    letter = key if len(key) == 1 else ""
    return replace(view, needle=(view.needle + letter)[:_LONGEST])


def _moved(selected: str, rows: Sequence[str], by: int) -> str:
    at = rows.index(selected) if selected in rows else 0
    return rows[max(0, min(at + by, len(rows) - 1))]
