"""What somebody wrote -> lines of a width, code and tables left as they are."""

import re
from collections.abc import Iterator
from typing import Final

from unspool.show import safe
from unspool.show.spans import BLANK, Line, Style, folded, more, wrap

_ITEM: Final = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+")
_FENCE: Final = ("```", "~~~")


def prose(text: str, width: int | None, style: Style = "") -> Iterator[Line]:
    """Wrap what is meant to be read; headings stand out."""
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
    """Prose of a few lines: the beginning, the end, and how much lies between."""
    lines = safe.raw_lines(text)
    # Folded by what it takes on paper; of a very long text only the ends are put there.
    first, skipped, last = folded(lines, 4 * (head + tail), 4 * tail)
    if skipped:
        begin = _closed(list(prose("\n".join(first), width, style))[:head])
        end = list(prose("\n".join(last), width, style))[-tail:] if tail else []
        return [*begin, *more(len(lines) - head - tail), *end]
    shown, hidden, rest = folded(list(prose(text, width, style)), head, tail)
    return [*(_closed(shown) if hidden else shown), *more(hidden), *rest]


def _closed(lines: list[Line]) -> list[Line]:
    """Without the blank line that would stand before the note of what is missing."""
    return lines[:-1] if lines and lines[-1] == BLANK else lines
