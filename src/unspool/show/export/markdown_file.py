"""A session -> one Markdown file for GitHub."""

from collections.abc import Iterable, Iterator

from unspool.model.document import SessionDocument
from unspool.show import safe
from unspool.show.export.markdown_steps import folded_block, step_blocks
from unspool.show.export.markdown_text import (
    escape_html,
    escape_text,
    fenced,
    quoted,
    rewrite_markdown,
)
from unspool.show.export.notes import ExportInfo, closing_note, redacted_kinds
from unspool.show.html.levels import element_ids, story_only
from unspool.show.html.passages import full_layout, passages
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.session_page import export_page
from unspool.show.html.step_types import AnswerBlock, Passage, PassageBlock, SpeechBlock
from unspool.show.numbers import plural


def markdown_file(
    bare: SessionDocument,
    windows: Iterable[SessionDocument],
    reader: ReaderOptions,
    info: ExportInfo,
) -> Iterator[str]:
    """The file, block by block, a blank line after each."""
    for block in _blocks(bare, windows, reader, info):
        if block:
            yield f"{block}\n\n"


def _blocks(
    bare: SessionDocument,
    windows: Iterable[SessionDocument],
    reader: ReaderOptions,
    info: ExportInfo,
) -> Iterator[str]:
    head, layout = export_page(bare, reader).head, full_layout(bare)
    yield f"# {escape_text(head.title)}"
    place = " / ".join(escape_text(part) for part in (head.project, head.branch) if part)
    facts = (place, head.status_label, *(fact.text for fact in head.facts), head.origin)
    yield " · ".join(escape_text(fact) if fact is not place else fact for fact in facts if fact)
    yield f"*{escape_text(head.missing)}*" if head.missing else ""
    for window in windows:
        entries = passages(window, render_context(window, reader), layout)
        if reader.level == "story":
            entries = story_only(entries)
            info.shown.update(element_ids(entries))
        for passage in entries:
            yield from _passage(passage, reader.level)
    yield "***"
    yield f"Exported by unspool {info.version}, {info.at}. **{escape_text(closing_note(info))}**"
    if info.taken is not None:
        yield "\n".join(f"- {escape_text(kind.label)}" for kind in redacted_kinds(info.taken()))


def _passage(passage: Passage, level: str) -> Iterator[str]:
    block = passage.block
    if block.branch:
        yield f"*Branch {block.branch}, abandoned by a rewind*"
    yield from _block(block, level)


def _block(block: PassageBlock, level: str) -> Iterator[str]:
    if isinstance(block, SpeechBlock) and block.first and level == "normal":
        text = fenced(block.text) if block.is_output else quoted(rewrite_markdown(block.text))
        yield from folded_block(f"{escape_html(block.who)}: {escape_html(block.first)}", [text])
    elif isinstance(block, SpeechBlock):
        yield _heading(block.who, block.at)
        yield fenced(block.text) if block.is_output else quoted(rewrite_markdown(block.text))
        if block.pictures:
            yield f"*{plural(block.pictures, 'image')}: not included in this file*"
    elif isinstance(block, AnswerBlock):
        summary = block.summary if level == "story" else ""
        yield _heading("Claude", block.at, block.steps, summary, block.cost.text)
        yield from step_blocks(block.items, is_open=level == "everything")
    else:
        yield _heading("Context compacted", block.text)
        if block.summary.strip():
            yield from folded_block("Summary", [quoted(rewrite_markdown(block.summary))])


def _heading(*parts: str) -> str:
    return "## " + " · ".join(escape_text(safe.brief(part)) for part in parts if part)
