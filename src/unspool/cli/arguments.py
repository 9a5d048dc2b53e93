"""Arguments that several commands share, and their types."""

from argparse import ArgumentError, ArgumentParser, ArgumentTypeError, Namespace

from unspool.errors import NotFound, UsageError
from unspool.source.roots import absolute_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo
    from typing import Any

# Help of an option that several have.
PROJECT = "only projects with P in the name, or one by its id or path"


class CommandParser(ArgumentParser):
    """Suggests what was meant by a misspelt word; `--project` takes ids, which begin with `-`."""

    def parse_known_args(  # type: ignore[override]  # the type of a namespace is always ours
        self, args: "Sequence[str] | None" = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """Parse what is known; anything else is an error with a suggestion."""
        options, unknown = super().parse_known_args(self._join_ids(args or ()), namespace)
        if unknown:
            names = (one.partition("=")[0] for one in unknown if one.startswith("-"))
            hint = "".join(suggestion(name, self._option_string_actions) for name in names)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options, unknown

    def _join_ids(self, args: "Sequence[str]") -> list[str]:
        """`--project -repo` as `--project=-repo`, unless what follows is an option."""
        joined: list[str] = []
        for at, arg in enumerate(args):
            is_id = arg.startswith("-") and arg.partition("=")[0] not in self._option_string_actions
            if is_id and joined[-1:] == ["--project"] and "--" not in args[: at + 1]:
                joined[-1] += f"={arg}"
            else:
                joined.append(arg)
        return joined

    def _check_value(self, action: "Action", value: "Any") -> None:
        if action.choices is not None and value not in action.choices:
            known = ", ".join(map(str, action.choices))
            hint = suggestion(str(value), map(str, action.choices))
            raise ArgumentError(action, f"{value!r} is not one of {known}{hint}")


def suggestion(word: str, known: "Iterable[str]") -> str:
    """A question to add to an error: whether another word was meant. "" if none is like it."""
    from difflib import get_close_matches

    similar = get_close_matches(word, list(known), 1)
    return f". Did you mean {similar[0]}?" if similar else ""


def command_parser(name: str, does: str) -> CommandParser:
    """A parser for one command, with `--json`."""
    parser = CommandParser(prog=f"unspool {name}", description=does, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="write JSON")
    return parser


def add_root(parser: ArgumentParser) -> None:
    """`--root`."""
    parser.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="DIR",
        help="a Claude Code directory, or NAME=DIR for a copy from another machine; repeatable",
    )


def root_options(given: "Sequence[str]") -> list[str]:
    """The words that give the same roots to another process."""
    return [part for root in given for part in ("--root", absolute_root(root))]


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


class OneOf:
    """A type: one of some words, each for a value; the values are taken too."""

    def __init__(self, values: "Mapping[str, str]") -> None:
        self.words = tuple(values)
        self._values = {**{value: value for value in values.values()}, **values}

    def __call__(self, text: str) -> str:
        value = self._values.get(text.lower().replace("-", "_"))
        if value is None:
            raise ArgumentTypeError(f"{text!r} is not one of {', '.join(self.words)}")
        return value


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
    except UsageError as error:
        raise ArgumentTypeError(str(error)) from None


def end_time(text: str) -> int:
    """The last moment of a range; a day is included to its end."""
    from unspool.cli import paths
    from unspool.engine import dates

    try:
        now = paths.now()
        end = dates.end_time(text, now)
        return end if end == dates.start_time(text, now) else end - 1
    except UsageError as error:
        raise ArgumentTypeError(str(error)) from None


def time_zone(name: str) -> "tzinfo | None":
    """A time zone by its name."""
    from unspool.engine import dates

    try:
        return dates.time_zone(name.strip() or "(empty)")
    except NotFound as error:
        raise ArgumentTypeError(str(error)) from None
