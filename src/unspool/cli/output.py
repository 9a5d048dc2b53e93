"""Text and JSON on standard output: in colour on a terminal, and without secrets."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from unspool.cli import config
from unspool.show import safe
from unspool.show.spans import Line, plain

if TYPE_CHECKING:
    from unspool.redact import Redactor

T = TypeVar("T")


def redactor_for(options: Namespace) -> "Redactor | None":
    """The redactor of a command; None with `--unredacted`."""
    if options.unredacted:
        return None
    from unspool.redact import Redactor

    return Redactor()


def redact_if_cut(value: T, redactor: "Redactor | None") -> T:
    """A value without secrets if its lines will be cut: half a secret would not be recognised."""
    is_cut = config.is_terminal(sys.stdout) or config.has_colour(sys.stdout)
    return redactor.value(value) if redactor is not None and is_cut else value


def write(lines: Iterable[Line], redactor: "Redactor | None" = None) -> None:
    """Print lines: in colour on a terminal, plain in a pipe."""
    if config.has_colour(sys.stdout):
        from unspool.show.text.colour import paint

        paint(lines, sys.stdout)
        return
    texts = (f"{safe.line(plain(line))}\n" for line in lines)
    for text in texts if redactor is None else _redacted(texts, redactor):
        sys.stdout.write(text)


def _redacted(texts: Iterable[str], redactor: "Redactor") -> Iterator[str]:
    from unspool.redact.redactor import StreamRedactor

    stream = StreamRedactor(redactor)
    for text in texts:
        yield stream.feed(text)
    yield stream.close()


def write_json(pieces: Iterable[bytes], redactor: "Redactor | None" = None) -> None:
    """Write pieces of JSON; what could do something to a terminal is escaped there."""
    sys.stdout.flush()
    escape = safe.json_bytes if config.is_terminal(sys.stdout) else bytes
    for piece in pieces:
        sys.stdout.buffer.write(escape(piece if redactor is None else redactor.json(piece)))
    sys.stdout.buffer.write(b"\n")
