"""A session -> one HTML file without scripts or external resources."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from html import escape
from typing import Final

from msgspec import Struct

from unspool.model.document import SessionDocument
from unspool.show.export.notes import ExportInfo, RedactedKind, closing_note, redacted_kinds
from unspool.show.html.assets import FILES
from unspool.show.html.links import PageLinks
from unspool.show.html.passages import full_layout, passages
from unspool.show.html.render import render_macro
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.session_page import export_page
from unspool.show.html.session_sidebar import edited_lines

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
) -> Iterator[str]:
    """The file, piece by piece: no more than a window of it is in memory.

    `bare` is the whole session without its texts, which come with the windows.
    """
    page, layout = export_page(bare, reader), full_layout(bare)
    yield _head(page.head.title)
    yield render_macro("export.html", "opening", page, links)
    edited: dict[str, tuple[int, int]] = {}
    for window in windows:
        entries = passages(window, render_context(window, reader), layout)
        yield render_macro("session/reading.html", "passages", entries, page.spot, links)
        for path, (added, removed) in edited_lines(window.tool_executions).items():
            before = edited.get(path, (0, 0))
            edited[path] = before[0] + added, before[1] + removed
    page = export_page(bare, reader, edited)
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
