"""JSON -> JSON of the same shape: types, numbers, times and lengths stay, every word is made up."""

import re
from functools import lru_cache
from hashlib import shake_256
from typing import Any, Final
from unicodedata import category

import msgspec

from unspool.json_depth import shallow
from unspool.redact.find import find_secrets
from unspool.redact.vocabulary import FREE, NAMES, SIGNS, is_known_key, is_listed

# No word of any language alternates these, starting with a consonant.
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


class NameMaker:
    """Makes up words, ids and paths of the same length and script, from a key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._used: set[str] = set()

    def text(self, text: str) -> str:
        """Replace line by line: equal lines stay equal, equal words on different lines do not."""
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str, attempt: int = 0) -> str:
        stream = self._stream(f"{attempt} {line}" if attempt else line)
        return _RUN.sub(lambda run: _made_up_run(run[0], stream[run.start() : run.end()]), line)

    def path(self, path: str) -> str:
        """Replace segment by segment, so that files of one directory stay together."""
        return re.sub(r"[^/\\]+", lambda one: self.segment(one[0]), path)

    def segment(self, name: str) -> str:
        """Replace one name of a path; names of Claude Code's own files are kept."""
        if name in _KNOWN:
            return name
        ending = _EXTENSION.search(name)
        cut = ending.start() if ending else len(name)
        return self._name(name[:cut]) + name[cut:]

    def slug(self, name: str) -> str:
        """Replace a project directory's name: a path with dashes for slashes."""
        return "-".join(map(self._name, name.split("-")))

    def _name(self, name: str) -> str:
        """Another name, unique; short ones may have to grow for that."""
        if name not in self._names:
            for attempt in range(_TRIES):
                made = self._line(name + "x" * (attempt // 20), attempt)
                if made not in self._used or not any(map(str.isalnum, name)):
                    break
            self._used.add(made)
            self._names[name] = made
        return self._names[name]

    def id(self, id: str) -> str:
        """Another id of the same shape, unique."""
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


def _made_up_run(run: str, stream: bytes) -> str:
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
    """Letters of the same script and category with the same size in bytes."""
    found = (chr(code) for code in range(block, block + 32) if not 0xD800 <= code <= 0xDFFF)
    return "".join(c for c in found if category(c) == kind and len(c.encode()) == size)


_IDS: Final = re.compile(r"(?:\A|[a-z])(?:uuid|Uuid|UUID|[iI]d|ID|_id|Ids)\Z|\A(?:uuid|id)\Z")
_ID_LISTS: Final = frozenset({"messages", "firstChunk", "lastChunk", "parentTaskId", "key"})
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?\Z")
_PATH: Final = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\n]*\Z")
_PATH_KEYS: Final = re.compile(r"(?:[pP]ath|[cC]wd|[fF]ile|filename|[dD]ir|modified)\Z")
_PICTURE: Final = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/=\s]{64,}\Z")
# An unclosed string runs to the end: otherwise it would be scanned again from each quote in it.
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"(\s*:)?|\\?\Z)', re.DOTALL)
_LITERAL: Final = re.compile(r"\b(?:true|false|null)\b|\d[eE][+-]?\d")


class Anonymiser:
    """Replaces every word of one file, with a random key that is not kept."""

    def __init__(self, key: bytes) -> None:
        self.made = NameMaker(key)

    def json(self, data: bytes) -> bytes:
        """Replace a line or a document; JSON that cannot be read is handled string by string."""
        try:
            value = msgspec.json.decode(shallow(data))
        except (ValueError, RecursionError):
            return self._broken(data)
        return msgspec.json.encode(self.value(value))

    def value(self, value: Any, key: str = "", *, free: bool = False) -> Any:
        """Replace a JSON value; `key` is its field name."""
        if isinstance(value, str):
            return self.string(value, key, free=free)
        if isinstance(value, list):
            return [self.value(one, key, free=free) for one in value]
        if isinstance(value, dict):
            return self._fields(value, key, free=free)
        return value

    def _fields(self, value: dict[str, Any], above: str, *, free: bool) -> Any:
        free = free or above in FREE
        made: dict[str, Any] = {}
        for key, one in value.items():
            if key == "name" and isinstance(one, str) and not free:
                made[key] = self._tool(one)
            else:
                name = self._key(key, above)
                while name in made:  # two short keys may become the same word
                    name += "z"
                made[name] = self.value(one, key, free=free)
        return made

    def _key(self, key: str, above: str) -> str:
        if is_known_key(key, above):
            return key
        return self.made.path(key) if _PATH.match(key) else self.made.text(key)

    def string(self, text: str, key: str, *, free: bool = False) -> str:
        """Replace one string, by its field name and its form."""
        if _TIME.match(text):
            return text
        if is_listed(key, text, free=free) and not find_secrets(text):
            return text
        if key in ("tool_name", "toolName", "subagent_type", "subagentType", "hookName"):
            return self._tool(text)
        if key == "projectId":
            return self.made.slug(text)
        if _is_id(key, text):
            return self.made.id(text)
        if _PATH.match(text) or (_PATH_KEYS.search(key) and "\n" not in text):
            return self.made.path(text)
        if _PICTURE.match(text):
            return text[:16] + "A" * (len(text.rstrip("=")) - 16) + "=" * text.count("=")
        return self._text(text)

    def _tool(self, name: str) -> str:
        """Claude Code's own tools and events keep their names; others are replaced part by part."""
        if name.startswith("mcp__"):
            return "mcp__" + "__".join(map(self.made.segment, name[5:].split("__")))
        if ":" in name:
            return ":".join(map(self._tool, name.split(":")))
        return name if name in NAMES else self.made.text(name)

    def _text(self, text: str) -> str:
        """Replace a text, but keep the phrases by which unspool recognises it."""
        if text[:1] == "{" and ('"task_id"' in text or '"tool_use_id"' in text):
            return self.json(text.encode("utf-8", "replace")).decode()
        parts: list[str] = []
        at = 0
        for sign in SIGNS.finditer(text):
            kept = self.made.id(sign[0]) if sign["id"] else sign[0]
            parts += (self.made.text(text[at : sign.start()]), kept)
            at = sign.end()
        return "".join((*parts, self.made.text(text[at:])))

    def _broken(self, data: bytes) -> bytes:
        """Replace the strings of a damaged record, each by the key before it."""
        text = data.decode("utf-8", "replace")
        parts: list[str] = []
        at, key = 0, ""
        for found in _STRING.finditer(text):
            parts.append(self._between(text[at : found.start()]))
            at = found.end()
            said = _unquoted(found[1])
            if found[2] is not None:
                key = said
            made = self._key(key, "") if found[2] is not None else self.string(said, key)
            # The closing quote is kept, if there is one.
            parts.append(msgspec.json.encode(made).decode()[:-1] + text[found.end(1) : at])
        return "".join((*parts, self._between(text[at:]))).encode()

    def _between(self, text: str) -> str:
        bare = _LITERAL.sub("", text)
        return self.made.text(text) if any(map(str.isalpha, bare)) else text


def _unquoted(inner: str) -> str:
    try:
        return msgspec.json.decode(f'"{inner}"', type=str)
    except ValueError:
        return inner


def _is_id(key: str, text: str) -> bool:
    named = key in _ID_LISTS or bool(_IDS.search(key))
    return named and len(text) <= 200 and not any(map(str.isspace, text))
