"""Any other tool: its arguments as they are, and the beginning of what it answered."""

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, block, said, short

_ARGUMENTS = 6


def summary(input: Fields, result: object) -> str:
    """The arguments; a single one without its name."""
    given = [(name, short(value)) for name, value in list(input.items())[:_ARGUMENTS]]
    told = [(name, value) for name, value in given if value not in ("", '""', "null", "{}", "[]")]
    if len(told) == 1:
        return told[0][1]
    return "  ".join(f"{safe.brief(name, 40)}={value}" for name, value in told)


def facts(input: Fields, result: object) -> str:
    """Nothing is known about it."""
    return ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first lines of the answer."""
    return block(said(result), 3)
