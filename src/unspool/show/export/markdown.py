"""A session's page and its passages -> Markdown as GitHub reads it, and nothing breaks out of."""

from collections.abc import Iterable, Iterator

from unspool.model.document import SessionDocument
from unspool.show import safe
from unspool.show.export.framing import framing
from unspool.show.export.left_out import Made, kinds, told
from unspool.show.export.plainly import fenced, words
from unspool.show.export.prose import prose, quoted
from unspool.show.export.steps import folded, items
from unspool.show.money import plural
from unspool.show.views.steps.around import Reader, around
from unspool.show.views.steps.passages import passages, whole
from unspool.show.views.steps.shapes import Answer, Block, Passage, Speech


def markdown(
    bare: SessionDocument, windows: Iterable[SessionDocument], reader: Reader, made: Made
) -> Iterator[str]:
    """The file, block by block, a blank line after each."""
    for block in _blocks(bare, windows, reader, made):
        if block:
            yield f"{block}\n\n"


def _blocks(
    bare: SessionDocument, windows: Iterable[SessionDocument], reader: Reader, made: Made
) -> Iterator[str]:
    head, layout = framing(bare, reader).head, whole(bare)
    yield f"# {words(head.title)}"
    place = " / ".join(words(part) for part in (head.project, head.branch) if part)
    facts = (place, head.stands, *(fact.text for fact in head.facts), head.origin)
    yield " · ".join(words(fact) if fact is not place else fact for fact in facts if fact)
    yield f"*{words(head.missing)}*" if head.missing else ""
    for window in windows:
        for passage in passages(window, around(window, reader), layout):
            yield from _passage(passage)
    yield "***"
    yield f"Exported by unspool {made.version}, {made.at}. **{words(told(made))}**"
    if made.taken is not None:
        yield "\n".join(f"- {words(kind.told)}" for kind in kinds(made.taken()))


def _passage(passage: Passage) -> Iterator[str]:
    block = passage.block
    if block.branch:
        yield f"*On another branch ({block.branch}), left by a rewind*"
    yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Speech):
        yield _heading(block.who, block.at)
        yield fenced(block.text) if block.is_output else quoted(prose(block.text))
        if block.pictures:
            yield f"*{plural(block.pictures, 'image')}: not in this file*"
    elif isinstance(block, Answer):
        yield _heading("Claude", block.at, block.steps, block.cost.text)
        yield from items(block.items)
    else:
        yield _heading("Context compacted", block.text)
        if block.summary.strip():
            yield from folded("What was kept", [quoted(prose(block.summary))])


def _heading(*parts: str) -> str:
    return "## " + " · ".join(words(safe.brief(part)) for part in parts if part)
