"""Styled lines -> a terminal in colour, by rich."""

from collections.abc import Iterable
from typing import IO, Final

from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style as Paint
from rich.text import Text

from unspool.show import safe
from unspool.show.spans import Line, Style

# The sixteen colours every theme defines: readable on light and dark.
_PAINTS: Final[dict[Style, str]] = {
    "": "",
    "strong": "bold",
    "dim": "bright_black",
    "thinking": "magenta",
    "wait": "yellow",
    "work": "blue",
    "good": "green",
    "bad": "red",
    "add": "green",
    "drop": "red",
}


def paint(lines: Iterable[Line], out: IO[str], *, force: bool = False) -> None:
    """Print lines; rich finds out what the terminal can do."""
    console = Console(
        file=out, highlight=False, markup=False, emoji=False, force_terminal=force or None
    )
    paints = {style: Paint.parse(name) for style, name in _PAINTS.items()}
    system = ColorSystem.STANDARD if console.color_system else None
    for line in lines:
        parts = [(safe.line(text), paints[style]) for style, text in line]
        if console.legacy_windows:  # which knows no codes
            console.print(Text.assemble(*parts), soft_wrap=True)
        else:  # twenty times as fast
            texts = (paint.render(text, color_system=system) for text, paint in parts)
            out.write(f"{''.join(texts)}\n")
