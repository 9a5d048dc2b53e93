"""Skill: its name in the line, its arguments and answer on the page."""

from unspool.show.spans import Line
from unspool.show.tools import fallback, task
from unspool.show.tools.details import Detail, DetailBuilder
from unspool.show.tools.values import Fields


def summary(input: Fields, result: object) -> str:
    """The name; with arguments, all of them."""
    return fallback.summary(input, result)


def facts(input: Fields, result: object) -> str:
    """Nothing: the summary names the skill."""
    return ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first lines of the answer."""
    return fallback.preview(input, result, failed=failed)


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """Name and arguments, then the answer as prose."""
    return task.details(input, result, build)
