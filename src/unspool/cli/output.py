"""Text and JSON on standard output: in colour on a terminal, and without secrets."""

import sys
from argparse import Namespace
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, TypeVar

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


def redacted(value: T, redactor: "Redactor | None") -> T:
    """A value without secrets; to do before it is cut: half a secret would not be recognised."""
    return value if redactor is None else redactor.value(value)


def write(
    lines: Iterable[Line], out: IO[str] | None = None, *, in_colour: bool | None = None
) -> None:
    """Print lines: in colour on a terminal, plain in a pipe, unless the caller knows better."""
    out = out or sys.stdout
    if config.has_colour(out) if in_colour is None else in_colour:
        from unspool.show.text.colour import paint

        paint(lines, out, force=bool(in_colour))
        return
    out.writelines(f"{safe.line(plain(line))}\n" for line in lines)


def write_json(pieces: Iterable[bytes], redactor: "Redactor | None" = None) -> None:
    """Write pieces of JSON; what could do something to a terminal is escaped there."""
    sys.stdout.flush()
    escape = safe.json_bytes if config.is_terminal(sys.stdout) else bytes
    for piece in pieces:
        sys.stdout.buffer.write(escape(piece if redactor is None else redactor.json(piece)))
    sys.stdout.buffer.write(b"\n")
