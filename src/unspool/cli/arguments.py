"""What commands have in common on their command line."""

import re
from argparse import ArgumentParser, ArgumentTypeError

_DAY_MS = 86_400_000
# What names a day and not a moment of it.
_NAMES_A_DAY = r"\d{4}-?\d\d-?\d\d|[a-z]{3,}"


def command(name: str, does: str) -> ArgumentParser:
    """A parser for one command; all of them give JSON."""
    made = ArgumentParser(prog=f"unspool {name}", description=does, allow_abbrev=False)
    made.add_argument("--json", action="store_true", help="as JSON, for programs")
    return made


def reads(made: ArgumentParser) -> None:
    """What every reading command takes."""
    made.add_argument(
        "--root", action="append", default=[], metavar="DIR", help="a Claude directory; repeatable"
    )


def covers(made: ArgumentParser) -> None:
    """What every command takes that shows text of transcripts."""
    made.add_argument(
        "--unredacted", action="store_true", help="with the secrets that are left out otherwise"
    )


def count(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def begins(said: str) -> int:
    """The moment something is wanted from, in milliseconds since 1970."""
    from unspool.cli import config
    from unspool.cli.since import since

    try:
        return since(said, config.local_now())
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def ends(said: str) -> int:
    """The last moment that is wanted; a day is wanted to its end."""
    at = begins(said)
    is_day = re.fullmatch(_NAMES_A_DAY, said.strip(), re.IGNORECASE)
    return at + _DAY_MS - 1 if is_day else at
