"""`--since` and `--until` on a command line -> milliseconds since 1970."""

import re
from argparse import ArgumentTypeError
from typing import Final

from unspool.cli import config
from unspool.cli.since import since

_DAY: Final = 86_400_000
# What names a day and not a moment of it.
_NAMES_A_DAY: Final = re.compile(r"\d{4}-?\d\d-?\d\d|[a-z]{3,}", re.IGNORECASE)


def begins(said: str) -> int:
    """The moment something is wanted from."""
    try:
        return since(said, config.local_now())
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def ends(said: str) -> int:
    """The last moment that is wanted; a day is wanted to its end."""
    at = begins(said)
    return at + _DAY - 1 if _NAMES_A_DAY.fullmatch(said.strip()) else at
