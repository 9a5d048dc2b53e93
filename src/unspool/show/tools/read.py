"""Read and its like: which file, which part of it, how much."""

from unspool.show import safe
from unspool.show.money import plural
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, fields, number, said, text

NOUN = "file"


def summary(input: Fields, result: object) -> str:
    """The file, and the lines asked for."""
    path = safe.brief(text(input, "file_path", "notebook_path", "path", "uri"))
    start, count = number(input, "offset"), number(input, "limit")
    if start is None and count is None:
        return path
    first = start or 1
    return f"{path}:{first}–{first + count - 1}" if count else f"{path}:{first}–"


def facts(input: Fields, result: object) -> str:
    """How many lines came back."""
    file = fields(fields(result).get("file"))
    content = text(file, "content") or said(result)
    if not content.strip():
        return ""
    if content.startswith(("[image]", "[document]")):
        return content[1:].partition("]")[0]
    return plural(content.strip("\n").count("\n") + 1, "line")


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """Nothing: the file is there to be opened."""
    return []
