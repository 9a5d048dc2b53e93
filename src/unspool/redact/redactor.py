"""Text, JSON and values with secrets -> the same without, and a count of what was taken out."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final, TypeVar, cast

import msgspec

from unspool.redact.find import covered, find
from unspool.redact.marks import key_strings, string_end
from unspool.redact.spans import Found

T = TypeVar("T")

# Images and documents, as base64: long, and no secret of anybody's.
_BLOB: Final = re.compile(
    r'data\\{0,64}": ?\\{0,64}"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/=]{200}'
)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=]*")


class Redactor:
    """Takes secrets out, and counts them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @property
    def report(self) -> Mapping[str, int]:
        """How many secrets of each kind were taken out so far."""
        return dict(self._counts)

    def text(self, text: str) -> str:
        """The text without its secrets; the very same where it has none."""
        found = find(text)
        self._note(found)
        return covered(text, found)

    def part(self, text: str, start: int, end: int) -> tuple[str, int]:
        """A part of a text, and where it ends: no secret is cut, so that may be a little less."""
        inside = [one for one in find(text) if one.end > start and one.start < end]
        if inside and inside[-1].end > end and inside[-1].start > start and end < len(text):
            end = inside.pop().start
        here = [Found(max(one.start, start), one.end, one.kind) for one in inside]
        self._note(here)
        last = max([end, *(one.end for one in here)])
        clean = covered(text[:last], here)
        return clean[start:], last

    def json(self, data: bytes) -> bytes:
        """JSON without its secrets, and still JSON: what is no text in it stays as it is."""
        text = data.decode("utf-8", "surrogateescape")
        parts: list[str] = []
        at = 0
        for blob in _BLOB.finditer(text):
            parts.append(self._strings(text[at : blob.start()]))
            at = _BASE64.match(text, blob.end()).end()  # type: ignore[union-attr] # it matches ''
            parts.append(text[blob.start() : at])
        parts.append(self._strings(text[at:] if at else text))
        return data if parts == [text] else "".join(parts).encode("utf-8", "surrogateescape")

    def value(self, value: T) -> T:
        """A value of the same shape: text, Structs, what JSON is made of, and lists of them."""
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
            # Only as JSON is it seen that a key goes on in the next string.
            if is_text and any("PRIVATE KEY" in str(one) for one in items[:-1]):
                data = json.dumps(items, ensure_ascii=False).encode("utf-8", "surrogatepass")
                yield from json.loads(self.json(data).decode("utf-8", "surrogatepass"))
            else:
                yield from map(self._clean, items)

    def _strings(self, text: str) -> str:
        found = find(text, _in_strings)
        self._note([one for one in found if not one.goes_on])
        return covered(text, found)

    def _note(self, found: list[Found]) -> None:
        self._counts.update(one.kind for one in found)


def _in_strings(text: str, found: list[Found]) -> Iterator[Found]:
    """Each ends where its string of JSON does; only a key goes on in the next ones of a list."""
    begin = end = 0
    keys: dict[int, int] = {}
    for one in found:
        if not begin <= one.start < end:
            begin, end = one.start, string_end(text, one.start)
        yield Found(one.start, min(one.end, end), one.kind)
        if text.startswith(("-----BEGIN ", "BEGIN "), one.start):
            keys[end] = one.start  # the last of a string
    for end, start in keys.items():
        yield from key_strings(text, start, end)
