"""Arguments that several commands share, and their types."""

from argparse import ArgumentParser, ArgumentTypeError

from unspool.errors import ConfigError, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo


def command_parser(name: str, does: str) -> ArgumentParser:
    """A parser for one command, with `--json`."""
    parser = ArgumentParser(prog=f"unspool {name}", description=does, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="write JSON")
    return parser


def add_root(parser: ArgumentParser) -> None:
    """`--root`."""
    parser.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="DIR",
        help="a Claude Code directory; repeatable",
    )


def add_session(parser: ArgumentParser, *, optional: bool = False) -> None:
    """`SESSION` and `--project`."""
    parser.add_argument(
        "session",
        nargs="?" if optional else None,
        metavar="SESSION",
        help="id, unique prefix of an id, path, or `latest`",
    )
    parser.add_argument(
        "--project", metavar="P", help="which project, if several have a session with that id"
    )


def add_unredacted(parser: ArgumentParser) -> None:
    """`--unredacted`."""
    parser.add_argument("--unredacted", action="store_true", help="do not hide secrets")


def count(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def start_time(text: str) -> int:
    """The moment a range starts at, in milliseconds since 1970."""
    from unspool.cli import paths
    from unspool.engine import dates

    try:
        return dates.start_time(text, paths.now())
    except ConfigError as error:
        raise ArgumentTypeError(str(error)) from None


def end_time(text: str) -> int:
    """The last moment of a range; a day is included to its end."""
    from unspool.cli import paths
    from unspool.engine import dates

    try:
        now = paths.now()
        end = dates.end_time(text, now)
        return end if end == dates.start_time(text, now) else end - 1
    except ConfigError as error:
        raise ArgumentTypeError(str(error)) from None


def time_zone(name: str) -> "tzinfo | None":
    """A time zone by its name."""
    from unspool.engine import dates

    try:
        return dates.time_zone(name.strip() or "(empty)")
    except NotFound as error:
        raise ArgumentTypeError(str(error)) from None
