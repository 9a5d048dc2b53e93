"""Plan mode: the plan that was put to the user."""

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, block, fields, said, text


def summary(input: Fields, result: object) -> str:
    """The plan's first line."""
    lines = [line for line in safe.raw_lines(plan(input, result)) if line.strip()]
    return safe.brief(lines[0].lstrip("# ")) if lines else ""


def facts(input: Fields, result: object) -> str:
    """Nothing: the state of the call says whether it was approved."""
    return ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The plan, unless it is a book."""
    return block(plan(input, result) or said(result), 24, style="")


def plan(input: Fields, result: object) -> str:
    """The plan, from the call or from what came of it."""
    return text(input, "plan") or text(fields(result), "plan")
