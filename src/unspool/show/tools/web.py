"""WebFetch and WebSearch: the address or the question, and what was found."""

from unspool.show import safe
from unspool.show.money import format_count, plural
from unspool.show.spans import Line
from unspool.show.tools.values import Fields, block, fields, number, rows, said, text

_MOST = 5


def summary(input: Fields, result: object) -> str:
    """The address or the question."""
    return safe.brief(text(input, "url", "query", "prompt"))


def facts(input: Fields, result: object) -> str:
    """Status and size of a page, or how many results."""
    values = fields(result)
    code, size = number(values, "code"), number(values, "bytes")
    if code is not None:
        return str(code) if size is None else f"{code} · {format_count(size)}B"
    found = results(values)
    return plural(len(found), "result") if found else ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first results, or the beginning of the answer."""
    found = results(fields(result))
    if not found:
        return block(said(result), 3)
    named = ((text(hit, "title"), text(hit, "url")) for hit in found[:_MOST])
    return [(("dim", f"{safe.brief(title, 80)}  {safe.brief(url, 120)}"),) for title, url in named]


def results(values: Fields) -> list[Fields]:
    """The hits of a search."""
    return [hit for group in rows(values, "results") for hit in rows(group, "content")]
