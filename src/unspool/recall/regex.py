"""A pattern somebody typed -> one that can be run on any text, or why it cannot."""

import re
from typing import Final
from warnings import catch_warnings, simplefilter

from unspool.errors import ConfigError

LONGEST: Final = 100
# A part of a pattern: what is escaped, a set of letters, a bracket, how often, or one letter.
_PART: Final = re.compile(
    r"\\(?P<back>[1-9])|\\.|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<open>\()|(?P<close>\))"
    r"|(?P<many>[*+]|\{\d*,\d*\}|\{\d+\})|(?P<or>\|)|.",
    re.DOTALL,
)
# Letters that stand for others: flags, references, characters by their numbers.
_TOO_CLEVER: Final = re.compile(r"\(\?|\\[xuUN0-9]")


class TimeUp(Exception):
    """Raised by whoever minds the time, inside a pattern that takes too long."""


def compiled(pattern: str) -> re.Pattern[str]:
    """Make a pattern that looks at each text a bounded number of times; case does not matter."""
    if len(pattern) > LONGEST:
        raise ConfigError(f"A pattern may have {LONGEST} characters; this has {len(pattern)}.")
    try:
        with catch_warnings():
            simplefilter("ignore")  # what later Pythons may read differently works today
            made = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except (re.error, RecursionError, OverflowError) as error:
        raise ConfigError(f"{pattern!r} is no regular expression: {error}.") from None
    if _may_run_away(pattern):
        raise ConfigError(
            f"{pattern!r} repeats a group that itself repeats or chooses: "
            "on some texts that takes for ever. Say it without."
        )
    return made


def needles(pattern: str) -> tuple[bytes, ...]:
    """Letters that every text which fits a pattern has, in lower case; none where unsure."""
    if _TOO_CLEVER.search(pattern):
        return ()
    runs, depth = [""], 0
    for part in _PART.finditer(pattern):
        letter = part[0]
        if part["or"] and not depth:
            return ()
        depth += bool(part["open"]) - bool(part["close"])
        if not depth and letter.isascii() and letter.isalnum():
            runs[-1] += letter
        else:
            # What may be repeated may also be missing.
            is_optional = bool(part["many"]) or letter == "?"
            runs[-1:] = [runs[-1][:-1] if is_optional else runs[-1], ""]
    return tuple(run.lower().encode() for run in runs if run)


def _may_run_away(pattern: str) -> bool:
    """Whether a repeated group repeats or chooses inside, or a back reference is repeated."""
    inside = [False]  # for each open group: whether it repeats or chooses
    closed = False  # whether the part before was such a group
    for part in _PART.finditer(pattern):
        if part["many"] and closed:
            return True
        closed = bool(part["back"])
        if part["open"]:
            inside.append(False)
        elif part["close"]:
            closed = inside.pop() if len(inside) > 1 else False
            inside[-1] |= closed
        elif part["many"] or part["or"]:
            inside[-1] = True
    return False
