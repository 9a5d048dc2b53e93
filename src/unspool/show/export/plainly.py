"""Text of a transcript -> Markdown that shows it and means nothing else: fences, escapes."""

import re
from html import escape
from typing import Final

from unspool.show import safe

_TICKS: Final = re.compile("`+")
_SIGNS: Final = re.compile(r"[\\`*_\[\]<>~|&!$]")
_START: Final = re.compile(r"^(\s*)([#+=:-]|\d{1,9}(?=[.)]))", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z0-9+#_.-]{1,30}\Z")
_ADDRESS: Final = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+\Z", re.IGNORECASE)
_LOOSE: Final = re.compile(r"[<>()\[\]\\`\"'|*_~\s]")


def fenced(text: str, language: str = "") -> str:
    """A block of text as it is, in a fence that is longer than any inside."""
    body = "\n".join(safe.lines(text))
    fence = "`" * max(3, _longest(body) + 1)
    named = language if _WORD.match(language) else ""
    return f"{fence}{named}\n{body}\n{fence}"


def code(text: str) -> str:
    """A few words of code in a line."""
    said = safe.line(" ".join(text.split()))
    if not said:
        return ""
    ticks = "`" * (_longest(said) + 1)
    room = " " if said[0] == "`" or said[-1] == "`" else ""
    return f"{ticks}{room}{said}{room}{ticks}"


def words(text: str) -> str:
    """Words that are words and no Markdown, however they begin a line."""
    shown = "\n".join(safe.line(part) for part in text.split("\n"))
    return _START.sub(_held, _SIGNS.sub(r"\\\g<0>", shown))


def _held(found: re.Match[str]) -> str:
    space, sign = found.groups()
    # A backslash before a digit is a backslash: the dot after it is held instead.
    return f"{space}{sign}\\" if sign[0].isdigit() else f"{space}\\{sign}"


def summary(text: str) -> str:
    """Words inside an element of ours."""
    return escape(safe.brief(text), quote=True)


def address(href: str) -> str:
    """Where a link may lead; "" where it may not."""
    if not _ADDRESS.match(href):
        return ""
    return _LOOSE.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), href)


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
