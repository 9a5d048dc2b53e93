"""Plan mode: the plan that was proposed."""

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder
from unspool.show.tools.values import Fields, excerpt, fields, result_text, text


def summary(input: Fields, result: object) -> str:
    """The plan's first line."""
    lines = [line for line in safe.raw_lines(_plan(input, result)) if line.strip()]
    return safe.brief(lines[0].lstrip("# ")) if lines else ""


def facts(input: Fields, result: object) -> str:
    """Nothing: the state of the call says whether it was approved."""
    return ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The plan, unless it is very long."""
    return excerpt(_plan(input, result) or result_text(result), 24, style="")


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """The plan and the reply to it."""
    return [*build.markdown(_plan(input, result)), *build.output(result_text(result), "answer")]


def _plan(input: Fields, result: object) -> str:
    return text(input, "plan") or text(fields(result), "plan")
