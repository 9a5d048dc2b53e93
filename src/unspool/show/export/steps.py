"""The steps of an answer -> Markdown, each on its own lines, what lies behind it folded."""

from collections.abc import Iterable, Iterator

from unspool.show.export.pieces import details
from unspool.show.export.plainly import code, summary, words
from unspool.show.export.prose import prose, quoted
from unspool.show.views.steps.shapes import Agent, Ask, Group, Item, Notice, Row, Said, Thought


def items(found: Iterable[Item]) -> Iterator[str]:
    """Step by step, a blank line between them."""
    for one in found:
        yield from _item(one)


def _item(one: Item) -> Iterator[str]:
    if isinstance(one, Said):
        yield prose(one.text)
    elif isinstance(one, Row):
        yield from folded(_title(one.tool, one.what, one.out, one.took), _behind(one))
    elif isinstance(one, Group):
        yield from folded(_title(one.tool, one.what, one.out, one.took), items(one.rows))
    elif isinstance(one, Thought):
        yield from folded(_title("Thinking", one.first, "", one.took), _quoted(one.text))
    elif isinstance(one, Ask):
        yield f"**{words(one.waits)}** {words(one.tool)}: {code(one.what)}"
        yield from details(one.details)
    elif isinstance(one, Agent):
        line = one.line
        told = _title("Agent", line.title, f"{line.about} {line.cost.text}".strip(), line.took)
        yield from folded(told, _inside(one))
    else:
        yield from _notice(one)


def _notice(one: Notice) -> Iterator[str]:
    yield f"**{words(one.title)}** {words(one.side)}".strip()
    yield from _quoted(one.text)


def _inside(one: Agent) -> Iterator[str]:
    if one.call:
        yield from _behind(one.call)
    for line in one.below:
        yield f"Agent {words(line.title)} {words(line.about)} {words(line.cost.text)}".rstrip()
    yield from items(one.items)


def _title(*parts: str) -> str:
    tool, *others = parts
    return f"<b>{summary(tool)}</b> {' · '.join(summary(part) for part in others if part)}".rstrip()


def folded(title: str, inside: Iterable[str]) -> Iterator[str]:
    """A line that opens; where nothing lies behind it, the line alone."""
    found = [part for part in inside if part]
    if not found:
        yield f"<p>{title}</p>"
        return
    yield f"<details><summary>{title}</summary>"
    yield from found
    yield "</details>"


def _quoted(text: str) -> Iterator[str]:
    if text.strip():
        yield quoted(prose(text))


def _behind(one: Row) -> Iterator[str]:
    if one.decision:
        yield words(one.decision)
    yield from details(one.details)
