"""Long text on a terminal, through the user's pager."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Final

from unspool.cli import config, output
from unspool.show.spans import Line

# Less ends by itself if one screen is enough, shows colours, and leaves the text on the screen.
_DEFAULT: Final = "less -FRX"
_LESS: Final = "FRX"


def write(lines: Iterable[Line], *, has_pager: bool) -> None:
    """Print lines: through the pager on a terminal, unless the user wants none."""
    command = _command() if has_pager and config.is_terminal(sys.stdout) else []
    if not command:
        output.write(lines)
        return
    rest = iter(lines)
    first = next(rest, None)  # an error comes before the pager, not behind it
    whole = rest if first is None else chain([first], rest)
    try:
        child = _start(command)
    except (OSError, ValueError):  # there is no such program
        output.write(whole)
        return
    _feed(child, whole)


def _command() -> list[str]:
    """The words of the pager; none if it is to be left out."""
    wanted = os.environ.get("PAGER", _DEFAULT)
    try:
        words = shlex.split(wanted)
    except ValueError:
        return []
    return [] if words in ([], ["cat"]) or os.environ.get("TERM") == "dumb" else words


def _start(command: list[str]) -> "subprocess.Popen[str]":
    # A less that the user's PAGER names without options gets ours, unless LESS has some.
    around = {"LESS": _LESS, **os.environ}
    return subprocess.Popen(  # noqa: S603 - the user's own words, and no shell
        command,
        stdin=subprocess.PIPE,
        env=around,
        text=True,
        encoding=sys.stdout.encoding,
        errors="replace",
    )


def _feed(child: "subprocess.Popen[str]", lines: Iterable[Line]) -> None:
    out = child.stdin
    assert out is not None  # noqa: S101 - it was asked for
    with _left_to_pager():
        with suppress(BrokenPipeError):  # the reader has seen enough
            output.write(lines, out, in_colour=config.has_colour(sys.stdout))
        with suppress(BrokenPipeError):
            out.close()
        child.wait()


@contextmanager
def _left_to_pager() -> Iterator[None]:
    """Ctrl-C is for the pager, which may go on; when it ends, so do we."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
