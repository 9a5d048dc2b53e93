"""A tool of an MCP server: its arguments, and the beginning of what it answered."""

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools import fallback
from unspool.show.tools.values import Fields

PREFIX = "mcp__"


def label(name: str) -> str:
    """`mcp__server__tool` as a person says it."""
    server, _, tool = name.removeprefix(PREFIX).partition("__")
    return safe.brief(f"{server} · {tool}" if tool else server, 60)


def summary(input: Fields, result: object) -> str:
    """The arguments."""
    return fallback.summary(input, result)


def facts(input: Fields, result: object) -> str:
    """Nothing that every server would agree on."""
    return ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first lines of the answer."""
    return fallback.body(input, result, failed=failed)
