"""`/` and `/part/board`: who waits, who works, who is done."""

from datetime import UTC, datetime
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.engine import dates
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.show.html.board_page import BoardContext, BoardPage, board_page
from unspool.show.html.render import render_macro

_Request = Request[Any, Any, Any]
_INDEX_MS = 5_000  # the board is fetched often: its index status may be this old


@get("/", include_in_schema=False, sync_to_thread=True)
def home(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The board."""
    return _not_stored(page_response(request, _page(request, context)))


@get("/part/board", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The board without its shell, except for today's cost, which changes too."""
    page = _page(request, context)
    around = structs.replace(page.shell, here="/")
    pulse = render_macro("shell_pieces.html", "pulse", around, LINKS)
    text = render_macro("board_pieces.html", "board", page, LINKS) + pulse
    return _not_stored(html_response(request, text))


def _not_stored(response: Response[bytes]) -> Response[bytes]:
    """What goes on now is nothing to be found in a browser's cache."""
    response.headers["cache-control"] = "no-store"
    return response


def _page(request: _Request, context: ServerContext) -> BoardPage:
    board = context.redactor.value(context.board.current())
    versions = (
        ((row.session.project_id, row.session.id), (row.session.end_time, row.agents, row.running))
        for row in board.rows
    )
    strips = {
        f"{project}/{id}": one for (project, id), one in context.activity.strips(versions).items()
    }
    today = datetime.fromtimestamp(board.at / 1_000, UTC).astimezone().date()
    beside = BoardContext(
        strips=strips,
        spools=context.spools,
        lanes=context.lanes,
        midnight=dates.midnight(today),
        index=context.health.index(_INDEX_MS),
    )
    return board_page(board, page_shell(request, context, "Board", "board", "Board"), beside)
