"""Details of a call -> Markdown."""

from collections.abc import Iterable, Iterator
from typing import Final

from unspool.show.export.plainly import address, code, fenced, words
from unspool.show.export.prose import prose, quoted
from unspool.show.tools.details import (
    Detail,
    DiffDetail,
    MarkdownDetail,
    OutputDetail,
    PairsDetail,
    QuestionDetail,
    TodoList,
    WebResults,
)

_BOX: Final = {"completed": "[x]", "in_progress": "[ ] (at work)"}


def details(found: Iterable[Detail]) -> Iterator[str]:
    for one in found:
        yield from _detail(one)


def _detail(detail: Detail) -> Iterator[str]:
    if isinstance(detail, OutputDetail):
        yield fenced("\n".join(part for part in (detail.head, detail.tail) if part))
    elif isinstance(detail, DiffDetail):
        yield code(detail.path)
        yield fenced("\n".join(_changed(sign, spans) for sign, spans in detail.lines), "diff")
    elif isinstance(detail, MarkdownDetail):
        yield words(detail.label)
        yield quoted(prose(detail.text))
    elif isinstance(detail, PairsDetail):
        yield from (part for row in detail.rows for part in _pair(*row))
    elif isinstance(detail, TodoList):
        rows = ((_BOX.get(one.status, "[ ]"), one.content) for one in detail.items)
        yield "\n".join(f"- {box} {words(' '.join(content.split()))}" for box, content in rows)
    elif isinstance(detail, QuestionDetail):
        yield from _question(detail)
    elif isinstance(detail, WebResults):
        yield "\n".join(_hit(title, href) for title, href in detail.hits)
    else:
        yield f"*{words(detail.what)}: not in this file*"


def _pair(name: str, value: str) -> tuple[str, str]:
    return f"**{words(name)}**", fenced(value)


def _changed(sign: str, spans: Iterable[tuple[str, str]]) -> str:
    return f"{sign if sign in ('+', '-') else ' '}{''.join(text for _, text in spans)}"


def _question(detail: QuestionDetail) -> Iterator[str]:
    yield f"**{words(' '.join(detail.text.split()))}**"
    told = ((one.is_chosen, f"{one.label} {one.description}") for one in detail.choices)
    rows = [*told, *([(True, detail.answer)] if detail.answer else [])]
    yield "\n".join(f"- [{'x' if on else ' '}] {words(' '.join(t.split()))}" for on, t in rows)


def _hit(title: str, href: str) -> str:
    shown, safe = words(" ".join((title or href).split())), address(href)
    return f"- [{shown}](<{safe}>)" if safe else f"- {shown}"
