"""Read and similar tools: which file, which lines, how much."""

from unspool.show import safe
from unspool.show.numbers import plural
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder
from unspool.show.tools.values import Fields, fields, number, result_text, text

NOUN = "file"


def summary(input: Fields, result: object) -> str:
    """The file and the requested lines."""
    path = safe.brief(text(input, "file_path", "notebook_path", "path", "uri"))
    start, count = number(input, "offset"), number(input, "limit")
    if start is None and count is None:
        return path
    first = start or 1
    return f"{path}:{first}–{first + count - 1}" if count else f"{path}:{first}–"


def facts(input: Fields, result: object) -> str:
    """How many lines were read."""
    content = _content(result)
    if not content.strip():
        return ""
    if content.startswith(("[image]", "[document]")):
        return content[1:].partition("]")[0]
    return plural(content.strip("\n").count("\n") + 1, "line")


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """Nothing: a reader can open the file."""
    return []


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """The text of the file."""
    return build.output(_content(result), "file")


def _content(result: object) -> str:
    return text(fields(fields(result).get("file")), "content") or result_text(result)
