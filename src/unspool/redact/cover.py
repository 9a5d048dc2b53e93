"""Lines with secrets -> lines of the same length without: each place in a file stays as it is."""

from collections.abc import Iterator
from typing import Final

from unspool.redact.find import find_secrets, placeholder
from unspool.redact.redactor import Redactor
from unspool.redact.spans import SecretSpan

RULES_VERSION: Final = 2  # raised when more is found than before
_SHORT: Final = "[redacted]"
_STARS: Final = "***"


class LineCover:
    """Covers whole lines, told in order; what is no whole line is blanked.

    A piece of a line may hold the piece of a secret, by which nothing recognises it.
    """

    def __init__(self) -> None:
        self._redactor = Redactor()
        self._is_within = False  # the last bytes ended within a line

    def covered(self, data: bytes) -> bytes:
        """The next bytes of a file, as many as were given."""
        return b"".join(map(self._line, _lines(data)))

    def skip(self) -> None:
        """Note that bytes are missing: what follows may begin within a line."""
        self._is_within = True

    def _line(self, line: bytes) -> bytes:
        is_whole = line.endswith(b"\n")
        is_begun, self._is_within = self._is_within, not is_whole
        if is_begun or not is_whole:
            return b" " * (len(line) - is_whole) + b"\n" * is_whole
        return self.whole_line(line)

    def whole_line(self, line: bytes) -> bytes:
        """A line with its end."""
        return _filled(line, self._redactor.json_spans(line))


def _lines(data: bytes) -> list[bytes]:
    *whole, rest = data.split(b"\n")
    return [part + b"\n" for part in whole] + ([rest] if rest else [])


def _filled(line: bytes, spans: list[SecretSpan]) -> bytes:
    """A line with a mask for each secret, filled up with spaces before its end."""
    if not spans:
        return line
    made = "".join(_parts(line.decode("utf-8", "surrogateescape").removesuffix("\n"), spans))
    data = made.encode("utf-8", "surrogateescape")
    return data + b" " * (len(line) - 1 - len(data)) + b"\n"


def covered_text(data: bytes) -> bytes:
    """Text of any form with a mask for each secret, each filled up with spaces: as many bytes."""
    text, at = data.decode("utf-8", "surrogateescape"), 0
    parts: list[bytes] = []
    for one in find_secrets(text):
        size = len(text[one.start : one.end].encode("utf-8", "surrogateescape"))
        parts.append(text[at : one.start].encode("utf-8", "surrogateescape"))
        parts.append(_mask(size, one.kind).encode().ljust(size))
        at = one.end
    return b"".join(parts) + text[at:].encode("utf-8", "surrogateescape")


def _parts(text: str, spans: list[SecretSpan]) -> Iterator[str]:
    at = 0
    for one in spans:
        yield text[at : one.start]
        yield _mask(len(text[one.start : one.end].encode("utf-8", "surrogateescape")), one.kind)
        at = one.end
    yield text[at:]


def _mask(size: int, kind: str) -> str:
    """The longest that fits into the place of a secret."""
    masks = (placeholder(kind), _SHORT, _STARS, "*" * size)
    return next(mask for mask in masks if len(mask.encode()) <= size)
