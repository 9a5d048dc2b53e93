"""Words, ids and paths -> made-up ones of the same length and script, the same for the same."""

import re
from functools import lru_cache
from hashlib import shake_256
from typing import Final
from unicodedata import category

# No word of any language is made of these in turns, a consonant first.
_CONSONANTS, _VOWELS = "zvkxqjw", "aiueo"
_RUN: Final = re.compile(r"[A-Za-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_HEX: Final = re.compile(r"[0-9a-f-]+\Z")
_ID: Final = re.compile(r"([a-z]{2,12}_|agent-|)(.*)\Z", re.DOTALL)
_EXTENSION: Final = re.compile(r"\.[a-z0-9]{1,4}\Z")
_KNOWN: Final = frozenset(
    ". .. ~ .claude CLAUDE.md CLAUDE.local.md AGENTS.md MEMORY.md projects subagents "
    "tool-results plans skills memory".split()
)
_TRIES: Final = 60


class MadeUp:
    """What comes out depends on the key, which nobody keeps."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._used: set[str] = set()

    def text(self, text: str) -> str:
        """Line by line: the same line is always the same, words of two lines are not."""
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str, attempt: int = 0) -> str:
        stream = self._stream(f"{attempt} {line}" if attempt else line)
        return _RUN.sub(lambda run: _madeup(run[0], stream[run.start() : run.end()]), line)

    def path(self, path: str) -> str:
        """Segment by segment, so that files of one directory stay together."""
        return re.sub(r"[^/\\]+", lambda one: self.segment(one[0]), path)

    def segment(self, name: str) -> str:
        """One name of a path; what Claude Code calls its own files by is kept."""
        if name in _KNOWN:
            return name
        ending = _EXTENSION.search(name)
        cut = ending.start() if ending else len(name)
        return self._name(name[:cut]) + name[cut:]

    def slug(self, name: str) -> str:
        """A project's directory: its path with dashes for slashes."""
        return "-".join(map(self._name, name.split("-")))

    def _name(self, name: str) -> str:
        """Another name; no two become one, though some short ones have to grow for it."""
        if name not in self._names:
            for attempt in range(_TRIES):
                made = self._line(name + "x" * (attempt // 20), attempt)
                if made not in self._used or not any(map(str.isalnum, name)):
                    break
            self._used.add(made)
            self._names[name] = made
        return self._names[name]

    def id(self, id: str) -> str:
        """Another id of the same look; no two become one."""
        if id not in self._ids:
            self._ids[id] = self._unused(id)
        return self._ids[id]

    def _unused(self, id: str) -> str:
        before, body = _ID.match(id).groups()  # type: ignore[union-attr] # it matches all
        letters = "0123456789abcdef" if _HEX.match(body) else ""
        for attempt in range(_TRIES):
            stream = self._stream(f"{attempt} {id}")
            longer = body + "x" * (attempt // 20)
            made = before + "".join(map(lambda c, n: _sign(c, n, letters), longer, stream))
            if made not in self._used and made != id:
                break
        self._used.add(made)
        return made

    def _stream(self, text: str) -> bytes:
        data = text.encode("utf-8", "surrogatepass")
        return shake_256(self._key + data).digest(len(text) + 8)


def _sign(sign: str, number: int, letters: str) -> str:
    if not sign.isascii() or not sign.isalnum():
        return sign
    if letters:
        return letters[number % 16]
    if sign.isdigit():
        return str(number % 10)
    made = chr(ord("a") + number % 26)
    return made.upper() if sign.isupper() else made


def _madeup(run: str, stream: bytes) -> str:
    if run[0] in "0123456789":
        return "".join(str(number % 10) for number in stream)
    if not run[0].isascii():
        return "".join(map(_neighbour, run, stream))
    made = "".join(
        _VOWELS[number % 5] if at % 2 else _CONSONANTS[number % 7]
        for at, number in enumerate(stream)
    )
    if run.islower():
        return made
    return "".join(
        new.upper() if old.isupper() else new for old, new in zip(run, made, strict=True)
    )


def _neighbour(sign: str, number: int) -> str:
    near = _neighbours(ord(sign) & ~0x1F, category(sign), len(sign.encode("utf-8", "replace")))
    others = near.replace(sign, "")
    return others[number % len(others)] if others else sign


@lru_cache(maxsize=512)
def _neighbours(block: int, kind: str, size: int) -> str:
    """Letters of the same script and kind that take as many bytes."""
    found = (chr(code) for code in range(block, block + 32) if not 0xD800 <= code <= 0xDFFF)
    return "".join(c for c in found if category(c) == kind and len(c.encode()) == size)
