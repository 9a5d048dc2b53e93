"""Any other tool, those of MCP servers too: its arguments and its result."""

import msgspec

from unspool.show import safe
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder, pairs
from unspool.show.tools.values import Fields, excerpt, pretty_json, result_text, short

MCP_PREFIX = "mcp__"
_LINE_ARGUMENTS = 6
_PAGE_ARGUMENTS = 40
_LONGEST = 2_000
_LONGEST_PRETTY = 200_000


def label(name: str) -> str:
    """The name to show: `mcp__server__tool` is `server · tool`."""
    if not name.startswith(MCP_PREFIX):
        return safe.brief(name, 40)
    server, _, tool = name.removeprefix(MCP_PREFIX).partition("__")
    return safe.brief(f"{server} · {tool}" if tool else server, 60)


def verb(name: str) -> str:
    """The tool without its MCP server."""
    if not name.startswith(MCP_PREFIX):
        return safe.brief(name, 40)
    server, _, tool = name.removeprefix(MCP_PREFIX).partition("__")
    return safe.brief(tool or server, 60)


def server(name: str) -> str:
    """The MCP server of a tool; "" for any other tool."""
    server, _, tool = name.removeprefix(MCP_PREFIX).partition("__")
    return safe.brief(server, 40) if tool and name.startswith(MCP_PREFIX) else ""


def summary(input: Fields, result: object) -> str:
    """The arguments; a single one without its name."""
    every = [(name, short(value)) for name, value in list(input.items())[:_LINE_ARGUMENTS]]
    filled = [(name, value) for name, value in every if value not in ("", '""', "null", "{}", "[]")]
    if len(filled) == 1:
        return filled[0][1]
    return "  ".join(f"{safe.brief(name, 40)}={value}" for name, value in filled)


def facts(input: Fields, result: object) -> str:
    """Nothing that holds for every tool."""
    return ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first lines of the result."""
    return excerpt(result_text(result), 3)


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """Arguments and text; a result without any text as JSON."""
    arguments = list(input.items())[:_PAGE_ARGUMENTS]
    content = result_text(result)
    if not content.strip() and result not in (None, "", [], {}):
        content = _result_json(result)
    return [
        *pairs([(str(name), _json(value)) for name, value in arguments]),
        *build.output(content),
    ]


def _json(value: object) -> str:
    if isinstance(value, str):
        return value[:_LONGEST]
    return msgspec.json.encode(value)[:_LONGEST].decode("utf-8", "replace")


def _result_json(result: object) -> str:
    pretty = pretty_json(result, _LONGEST_PRETTY)
    is_whole = len(pretty) < _LONGEST_PRETTY
    return pretty if is_whole else msgspec.json.encode(result).decode("utf-8", "replace")
