"""A session -> one HTML file without scripts or external resources."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from html import escape
from typing import Final

from msgspec import Struct

from unspool.model.document import SessionDocument
from unspool.model.steps import NO_FIGURES, StepFigures
from unspool.show.export.notes import ExportInfo, RedactedKind, closing_note, redacted_kinds
from unspool.show.html.assets import FILES
from unspool.show.html.files_panel import EditCall, file_edits
from unspool.show.html.levels import element_ids, story_only
from unspool.show.html.links import PageLinks
from unspool.show.html.passages import full_layout, passages
from unspool.show.html.render import render_macro
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.session_page import export_page

_NOWHERE: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"


class ExportFooter(Struct, frozen=True, kw_only=True):
    """The last lines of the file: who made it, and what is not in it."""

    version: str
    made: str
    sentence: str
    kinds: tuple[RedactedKind, ...] = ()


def html_file(
    bare: SessionDocument,
    windows: Iterable[SessionDocument],
    reader: ReaderOptions,
    links: PageLinks,
    info: ExportInfo,
    figures: StepFigures = NO_FIGURES,
) -> Iterator[str]:
    """The file, piece by piece: no more than a window of it is in memory.

    `bare` is the whole session without its texts, which come with the windows.
    """
    page, layout = export_page(bare, reader, (), figures), full_layout(bare)
    yield _head(page.head.title)
    yield render_macro("export.html", "opening", page, links)
    edits: list[EditCall] = []
    for window in windows:
        entries = passages(window, render_context(window, reader), layout)
        if reader.level == "story":
            entries = story_only(entries)
            info.shown.update(element_ids(entries))
        yield render_macro("session/reading.html", "passages", entries, page.spot, links)
        edits += file_edits(window.tool_executions)
    page = export_page(bare, reader, edits, figures)
    yield render_macro("export.html", "closing", page, links, _left_out(info))


def _left_out(info: ExportInfo) -> ExportFooter:
    secrets = info.taken() if info.taken else ()
    return ExportFooter(
        version=info.version,
        made=info.at,
        sentence=closing_note(info),
        kinds=redacted_kinds(secrets),
    )


def _head(title: str) -> str:
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{csp()}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{escape(title)} · unspool</title>",
            f"<style>{_styles()}</style>\n</head>\n",
        )
    )


@cache
def _styles() -> str:
    """Every sheet of the pages, in their order."""
    return (FILES["app.css"] + FILES["css/export.css"]).decode()


@cache
def csp() -> str:
    """What the file may do: wear its own styles, show pictures that are in it, nothing else."""
    digest = b64encode(sha256(_styles().encode()).digest()).decode()
    return f"{_NOWHERE}; style-src 'sha256-{digest}'"
