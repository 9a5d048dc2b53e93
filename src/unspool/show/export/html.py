"""A session's page and its passages -> one HTML file that runs nothing and fetches nothing."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from html import escape
from typing import Final

from msgspec import Struct

from unspool.model.document import SessionDocument
from unspool.show.assets import FILES
from unspool.show.export.framing import framing
from unspool.show.export.left_out import Kind, Made, kinds, told
from unspool.show.links import Links
from unspool.show.pages import piece
from unspool.show.views.session_instruments import edits
from unspool.show.views.steps.around import Reader, around
from unspool.show.views.steps.passages import passages, whole

_NOWHERE: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"


class LeftOut(Struct, frozen=True, kw_only=True):
    """The last lines of the file: who made it, and what is not in it."""

    version: str
    made: str
    sentence: str
    kinds: tuple[Kind, ...] = ()


def html(
    bare: SessionDocument,
    windows: Iterable[SessionDocument],
    reader: Reader,
    links: Links,
    made: Made,
) -> Iterator[str]:
    """The file, piece by piece: no more than a window of it is in memory.

    `bare` is the whole session without its texts, which come with the windows.
    """
    page, layout = framing(bare, reader), whole(bare)
    yield _head(page.head.title)
    yield piece("export.html", "opening", page, links)
    edited: dict[str, tuple[int, int]] = {}
    for window in windows:
        shown = passages(window, around(window, reader), layout)
        yield piece("session/reading.html", "passages", shown, page.spot, links)
        for path, (added, removed) in edits(window.tool_executions).items():
            before = edited.get(path, (0, 0))
            edited[path] = before[0] + added, before[1] + removed
    page = framing(bare, reader, edited)
    yield piece("export.html", "closing", page, links, _left_out(made))


def _left_out(made: Made) -> LeftOut:
    taken = made.taken() if made.taken else ()
    return LeftOut(version=made.version, made=made.at, sentence=told(made), kinds=kinds(taken))


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
