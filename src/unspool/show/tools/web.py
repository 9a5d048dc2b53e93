"""WebFetch and WebSearch: the address or the query, and the results."""

from unspool.show import safe
from unspool.show.numbers import format_count, plural
from unspool.show.spans import Line
from unspool.show.tools.details import Detail, DetailBuilder, WebResults, pairs
from unspool.show.tools.values import Fields, excerpt, fields, number, result_text, rows, text

_MOST = 5


def summary(input: Fields, result: object) -> str:
    """The address or the query."""
    return safe.brief(text(input, "url", "query", "prompt"))


def facts(input: Fields, result: object) -> str:
    """Status and size of a page, or the number of results."""
    values = fields(result)
    code, size = number(values, "code"), number(values, "bytes")
    if code is not None:
        return str(code) if size is None else f"{code} · {format_count(size)}B"
    count = len(_results(result))
    return plural(count, "result") if count else ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The first results, or the beginning of the answer."""
    results = _results(result)[:_MOST]
    if not results:
        return excerpt(result_text(result), 3)
    return [
        (("dim", f"{safe.brief(title, 80)}  {safe.brief(url, 120)}"),) for title, url in results
    ]


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """The question, the results with their addresses, the answer."""
    query = pairs([("prompt", text(input, "prompt")), ("URL", text(input, "url"))])
    results = tuple(
        (safe.brief(title, 200), safe.brief(url, 500)) for title, url in _results(result)
    )
    links: list[Detail] = [WebResults(results)] if results else []
    return [*query, *links, *build.output(result_text(result), "answer")]


def _results(result: object) -> list[tuple[str, str]]:
    """Title and address of each search result."""
    groups = rows(fields(result), "results")
    results = (one for group in groups for one in rows(group, "content"))
    return [(text(one, "title"), text(one, "url")) for one in results]
