"""Text, JSON and values with secrets -> the same without, and a count of what was removed."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final, Self, TypeVar, cast

import msgspec

from unspool.model.api import RemovedSecrets
from unspool.redact.credentials import key_strings, string_end
from unspool.redact.find import find_secrets, replace_spans
from unspool.redact.spans import SecretSpan

T = TypeVar("T")

# Images and documents, as base64: long, and no secret of anybody's.
_BLOB: Final = re.compile(
    r'data\\{0,64}": ?\\{0,64}"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/=]{200}'
)
_KEY_STARTS: Final = ("-----BEGIN ", "BEGIN ", "Private-Lines: ")
_KEY_WORDS: Final = ("PRIVATE KEY", "Private-Lines: ")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=]*")


class Redactor:
    """Removes secrets, and counts them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @property
    def report(self) -> Mapping[str, int]:
        """How many secrets of each kind were removed so far."""
        return dict(self._counts)

    def text(self, text: str) -> str:
        """The text without its secrets; the same object if it has none."""
        found = find_secrets(text)
        self._note(found)
        return replace_spans(text, found)

    def head(self, text: str, end: int) -> str:
        """The beginning of a text; with all of a secret's placeholder where it would be cut."""
        inside = [one for one in find_secrets(text) if one.start < end]
        self._note(inside)
        last = max(end, inside[-1].end) if inside else end
        return replace_spans(text[:last], inside)

    def json(self, data: bytes) -> bytes:
        """JSON without its secrets, still valid JSON: only strings change."""
        text = data.decode("utf-8", "surrogateescape")
        parts: list[str] = []
        at = 0
        for blob in _BLOB.finditer(text):
            parts.append(self._strings(text[at : blob.start()]))
            at = _BASE64.match(text, blob.end()).end()  # type: ignore[union-attr] # it matches ''
            parts.append(text[blob.start() : at])
        parts.append(self._strings(text[at:] if at else text))
        return data if parts == [text] else "".join(parts).encode("utf-8", "surrogateescape")

    def json_spans(self, data: bytes) -> list[SecretSpan]:
        """Where the secrets of JSON are, in its characters; images are left alone."""
        text = data.decode("utf-8", "surrogateescape")
        spans: list[SecretSpan] = []
        at = 0
        for blob in [*_BLOB.finditer(text), None]:
            end = blob.start() if blob else len(text)
            found = find_secrets(text[at:end], _in_strings)
            spans += (SecretSpan(one.start + at, one.end + at, one.kind) for one in found)
            at = _BASE64.match(text, blob.end()).end() if blob else end  # type: ignore[union-attr]
        self._note([one for one in spans if not one.goes_on])
        return spans

    def value(self, value: T) -> T:
        """A value of the same shape: text, a Struct, JSON values, or lists of them."""
        return cast("T", self._clean(value))

    def _clean(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if type(value) is list:
            return list(self._items(value))
        if type(value) is tuple:
            return tuple(self._items(value))
        data = msgspec.json.encode(value)
        clean = self.json(data)
        kind = type(value) if isinstance(value, msgspec.Struct | msgspec.Raw) else Any
        return value if clean == data else msgspec.json.decode(clean, type=kind)

    def _items(self, values: Iterable[object]) -> Iterator[object]:
        for is_text, some in groupby(values, lambda one: isinstance(one, str)):
            items = list(some)
            # Only the JSON rules see that a key continues in the next string.
            if is_text and any(word in str(one) for word in _KEY_WORDS for one in items[:-1]):
                data = json.dumps(items, ensure_ascii=False).encode("utf-8", "surrogatepass")
                yield from json.loads(self.json(data).decode("utf-8", "surrogatepass"))
            else:
                yield from map(self._clean, items)

    def _strings(self, text: str) -> str:
        found = find_secrets(text, _in_strings)
        self._note([one for one in found if not one.goes_on])
        return replace_spans(text, found)

    def _note(self, found: list[SecretSpan]) -> None:
        self._counts.update(one.kind for one in found)


def _in_strings(text: str, found: list[SecretSpan]) -> Iterator[SecretSpan]:
    """A secret ends with its JSON string; only a key continues in the next strings of a list."""
    begin = end = 0
    keys: dict[int, int] = {}
    for one in found:
        if not begin <= one.start < end:
            begin, end = one.start, string_end(text, one.start)
        yield SecretSpan(one.start, min(one.end, end), one.kind)
        if text.startswith(_KEY_STARTS, one.start):
            keys[end] = one.start  # the last one in its string
    for end, start in keys.items():
        yield from key_strings(text, start, end)


class AuditingRedactor(Redactor):
    """Removes secrets and records where; `at` sets the place of those that follow."""

    def __init__(self) -> None:
        super().__init__()
        self._place = ""
        self._removed: Counter[tuple[str, str]] = Counter()

    def at(self, place: str) -> Self:
        """Set the place of the secrets removed from now on."""
        self._place = place
        return self

    @property
    def removed(self) -> tuple[RemovedSecrets, ...]:
        """What was removed, place by place, in the order of the text."""
        return tuple(RemovedSecrets(*where, count) for where, count in self._removed.items())

    def _note(self, found: list[SecretSpan]) -> None:
        super()._note(found)
        self._removed.update((self._place, one.kind) for one in found)
