"""Lines and JSON -> standard output, in the face that suits whoever reads it."""

import sys
from collections.abc import Iterable

from unspool.cli import config
from unspool.show import safe
from unspool.show.spans import Line, plain


def write(lines: Iterable[Line]) -> None:
    """Print lines: in colour on a terminal, plain in a pipe."""
    if config.has_colour(sys.stdout):
        from unspool.show.text.colour import paint

        paint(lines, sys.stdout)
        return
    for line in lines:
        sys.stdout.write(f"{safe.line(plain(line))}\n")


def write_json(pieces: Iterable[bytes]) -> None:
    """Write JSON as it comes."""
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.write(b"\n")
