"""The steps of an answer -> Markdown, details folded."""

from collections.abc import Iterable, Iterator
from typing import Final

from unspool.show.export.markdown_text import (
    escape_html,
    escape_text,
    fenced,
    inline_code,
    quoted,
    rewrite_markdown,
    safe_url,
)
from unspool.show.html.step_types import (
    AgentItem,
    ApprovalItem,
    CallGroup,
    CallItem,
    NoiseItem,
    NoticeItem,
    StepItem,
    TextItem,
    ThinkingItem,
)
from unspool.show.tools.details import (
    Checklist,
    Detail,
    DiffDetail,
    MarkdownDetail,
    OutputDetail,
    PairsDetail,
    QuestionDetail,
    WebResults,
)

_BOX: Final = {"completed": "[x]", "in_progress": "[ ] (in progress)"}


def detail_blocks(details: Iterable[Detail]) -> Iterator[str]:
    for one in details:
        yield from _detail(one)


def _detail(detail: Detail) -> Iterator[str]:
    if isinstance(detail, OutputDetail):
        yield fenced("\n".join(part for part in (detail.head, detail.tail) if part))
    elif isinstance(detail, DiffDetail):
        yield inline_code(detail.path)
        yield fenced("\n".join(_changed(sign, spans) for sign, spans in detail.lines), "diff")
    elif isinstance(detail, MarkdownDetail):
        yield escape_text(detail.label)
        yield quoted(rewrite_markdown(detail.text))
    elif isinstance(detail, PairsDetail):
        yield from (part for row in detail.rows for part in _pair(*row))
    elif isinstance(detail, Checklist):
        rows = ((_BOX.get(one.status, "[ ]"), one.content) for one in detail.items)
        yield "\n".join(
            f"- {box} {escape_text(' '.join(content.split()))}" for box, content in rows
        )
    elif isinstance(detail, QuestionDetail):
        yield from _question(detail)
    elif isinstance(detail, WebResults):
        yield "\n".join(_hit(title, href) for title, href in detail.hits)
    else:
        yield f"*{escape_text(detail.what)}: not included in this file*"


def _pair(name: str, value: str) -> tuple[str, str]:
    return f"**{escape_text(name)}**", fenced(value)


def _changed(sign: str, spans: Iterable[tuple[str, str]]) -> str:
    return f"{sign if sign in ('+', '-') else ' '}{''.join(text for _, text in spans)}"


def _question(detail: QuestionDetail) -> Iterator[str]:
    yield f"**{escape_text(' '.join(detail.text.split()))}**"
    options = ((one.is_chosen, f"{one.label} {one.description}") for one in detail.choices)
    rows = [*options, *([(True, detail.answer)] if detail.answer else [])]
    yield "\n".join(
        f"- [{'x' if on else ' '}] {escape_text(' '.join(t.split()))}" for on, t in rows
    )


def _hit(title: str, href: str) -> str:
    label, safe = escape_text(" ".join((title or href).split())), safe_url(href)
    return f"- [{label}](<{safe}>)" if safe else f"- {label}"


def step_blocks(items: Iterable[StepItem], *, is_open: bool = False) -> Iterator[str]:
    """Step by step, a blank line between them; what went wrong stands open."""
    for one in items:
        yield from _item(one, is_open)


def _item(one: StepItem, is_open: bool) -> Iterator[str]:
    if isinstance(one, TextItem):
        yield rewrite_markdown(one.text)
    elif isinstance(one, ApprovalItem):
        yield f"**{escape_text(one.waits)}** {escape_text(one.tool)}: {inline_code(one.what)}"
        yield from detail_blocks(one.details)
    elif isinstance(one, NoticeItem):
        yield from _notice(one)
    else:
        opened = is_open or (isinstance(one, CallItem) and one.is_open)
        yield from folded_block(*_fold(one, is_open), is_open=opened)


def _fold(
    one: CallItem | CallGroup | ThinkingItem | NoiseItem | AgentItem, is_open: bool
) -> tuple[str, Iterable[str]]:
    """The title of a fold and what is in it."""
    if isinstance(one, CallItem):
        return _title(_named(one), one.what, one.out, one.took), _behind(one)
    if isinstance(one, CallGroup):
        title = _title(_named(one), one.what, one.out, one.took)
        return title, step_blocks(one.rows, is_open=is_open)
    if isinstance(one, ThinkingItem):
        return _title("Thinking", one.first, "", one.took), _quoted(one.text)
    if isinstance(one, NoiseItem):
        return escape_html(f"Machine: {one.what}"), step_blocks(one.notes)
    line = one.line
    title = _title("Agent", line.title, f"{line.about} {line.cost.text}".strip(), line.took)
    return title, _inside(one, is_open)


def _named(one: CallItem | CallGroup) -> str:
    return f"{one.tool} ({one.server})" if one.server else one.tool


def _notice(one: NoticeItem) -> Iterator[str]:
    yield f"**{escape_text(one.title)}** {escape_text(one.side)}".strip()
    yield from _quoted(one.text)


def _inside(one: AgentItem, is_open: bool) -> Iterator[str]:
    if one.call:
        yield from _behind(one.call)
    for line in one.below:
        facts = map(escape_text, (line.title, line.about, line.cost.text))
        yield " ".join(["Agent", *facts]).rstrip()
    yield from step_blocks(one.items, is_open=is_open)


def _title(*parts: str) -> str:
    tool, *others = parts
    facts = " · ".join(escape_html(part) for part in others if part)
    return f"<b>{escape_html(tool)}</b> {facts}".rstrip()


def folded_block(title: str, inside: Iterable[str], *, is_open: bool = False) -> Iterator[str]:
    """A <details> block; without content only its title."""
    parts = [part for part in inside if part]
    if not parts:
        yield f"<p>{title}</p>"
        return
    yield f"<details{' open' if is_open else ''}><summary>{title}</summary>"
    yield from parts
    yield "</details>"


def _quoted(text: str) -> Iterator[str]:
    if text.strip():
        yield quoted(rewrite_markdown(text))


def _behind(one: CallItem) -> Iterator[str]:
    if one.decision:
        yield escape_text(one.decision)
    yield from detail_blocks(one.details)
