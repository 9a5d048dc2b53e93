"""What commands have in common on their command line."""

from argparse import ArgumentParser, ArgumentTypeError


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
