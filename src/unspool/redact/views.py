"""A text -> the text a reader means: without colours, with %3D for =, and the way back."""

import re
from bisect import bisect_right
from typing import Final

_COLOUR: Final = r"(?:\x1b|\\{1,64}(?:u001[bB]|x1[bB]|033|e))\[[0-9;]{0,16}[mK]"
_ANY: Final = re.compile(_COLOUR + r"|%(?:[2-7][0-9A-Fa-f])")
_PERCENT: Final = re.compile(r"%[2-7][0-9A-Fa-f]")
_WRITTEN: Final = re.compile(r"\[(?<=[bB3e]\[)[0-9;]{0,16}[mK]")


class View:
    """What to look at; `place` says where something in it stands in the text."""

    def __init__(self, text: str) -> None:
        self._whole = text
        parts: list[str] = []
        self._here, self._there = [0], [0]
        at = length = 0
        for match in _ANY.finditer(text):
            before = text[at : match.start()]
            sign = match[0]
            shown = chr(int(sign[1:], 16)) if sign[0] == "%" else ""
            parts += (before, shown)
            length += len(before)
            if shown:
                self._mark(length, match.start())
            length += len(shown)
            at = match.end()
            self._mark(length, at)
        parts.append(text[at:])
        self.text = "".join(parts)

    def _mark(self, here: int, there: int) -> None:
        if here == self._here[-1]:
            self._there[-1] = there
        else:
            self._here.append(here)
            self._there.append(there)

    def place(self, at: int) -> int:
        """Where a character of the view begins in the text."""
        index = bisect_right(self._here, at) - 1
        return self._there[index] + at - self._here[index]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of the view as one of the text; what follows its last letter is no part."""
        last = self.place(end - 1)
        return self.place(start), last + (3 if _PERCENT.match(self._whole, last) else 1)


def has_signs(text: str) -> bool:
    """Whether there is anything in a text to see through."""
    if "\x1b" in text or ("%" in text and _PERCENT.search(text)):
        return True
    return "\\" in text and "[" in text and bool(_WRITTEN.search(text))
