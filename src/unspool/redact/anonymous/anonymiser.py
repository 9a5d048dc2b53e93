"""JSON -> JSON of the same shape: types, numbers, times and lengths stay, every word is made up."""

import re
from typing import Any, Final

import msgspec

from unspool.redact.anonymous.madeup import MadeUp
from unspool.redact.anonymous.vocabulary import FREE, KEYS, NAMES, SIGNS, is_listed

_IDS: Final = re.compile(r"(?:\A|[a-z])(?:uuid|Uuid|UUID|[iI]d|ID|_id|Ids)\Z|\A(?:uuid|id)\Z")
_ID_LISTS: Final = frozenset({"messages", "firstChunk", "lastChunk", "parentTaskId", "key"})
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?\Z")
_PATH: Final = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\n]*\Z")
_PATH_KEYS: Final = re.compile(r"(?:[pP]ath|[cC]wd|[fF]ile|filename|[dD]ir|modified)\Z")
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_$][\w$-]{0,40}\Z")
_PICTURE: Final = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/=\s]{64,}\Z")
# One that nothing closes goes to the end: else it would be walked again from each quote in it.
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"(\s*:)?|\\?\Z)', re.DOTALL)
_LITERAL: Final = re.compile(r"\b(?:true|false|null)\b|\d[eE][+-]?\d")
_DEEPEST: Final = 200


class Anonymiser:
    """One for each file: what it makes of a word depends on a key that is thrown away."""

    def __init__(self, key: bytes) -> None:
        self.made = MadeUp(key)

    def json(self, data: bytes) -> bytes:
        """A line, or a document; what is no JSON is taken string by string."""
        try:
            value = msgspec.json.decode(data)
        except (ValueError, RecursionError):
            return self._broken(data)
        return msgspec.json.encode(self.value(value))

    def value(self, value: Any, key: str = "", *, free: bool = False, depth: int = 0) -> Any:
        """Whatever JSON is made of; `key` is the name it stands under."""
        if isinstance(value, str):
            return self.string(value, key, free=free)
        if depth > _DEEPEST:
            return None
        if isinstance(value, list):
            return [self.value(one, key, free=free, depth=depth + 1) for one in value]
        if isinstance(value, dict):
            return self._fields(value, key, free=free, depth=depth + 1)
        return value

    def _fields(self, value: dict[str, Any], above: str, *, free: bool, depth: int) -> Any:
        free = free or above in FREE
        made: dict[str, Any] = {}
        for key, one in value.items():
            if key == "name" and isinstance(one, str) and not free:
                made[key] = self._tool(one)
            else:
                made[self._key(key, free=free)] = self.value(one, key, free=free, depth=depth)
        return made

    def _key(self, key: str, *, free: bool) -> str:
        if key in KEYS or (not free and _PLAIN_KEY.match(key)):
            return key
        return self.made.path(key) if _PATH.match(key) else self.made.text(key)

    def string(self, text: str, key: str, *, free: bool = False) -> str:
        """One string, by the name it stands under and by what it looks like."""
        if _TIME.match(text) or is_listed(key, text, free=free):
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
        return self._said(text)

    def _tool(self, name: str) -> str:
        """Claude Code's own tools and events keep their names, others lose them part by part."""
        if name.startswith("mcp__"):
            return "mcp__" + "__".join(map(self.made.segment, name[5:].split("__")))
        if ":" in name:
            return ":".join(map(self._tool, name.split(":")))
        return name if name in NAMES else self.made.text(name)

    def _said(self, text: str) -> str:
        """A text; the signs by which unspool tells what it is stay where they are."""
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
        """What is left of a record: its strings, each after the name before it."""
        text = data.decode("utf-8", "replace")
        parts: list[str] = []
        at, key = 0, ""
        for found in _STRING.finditer(text):
            parts.append(self._between(text[at : found.start()]))
            at = found.end()
            said = _unquoted(found[1])
            if found[2] is not None:
                key = said
            made = self._key(key, free=False) if found[2] is not None else self.string(said, key)
            # What closes it is as it was, if anything does.
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
