"""`/` and `/part/board`: who waits, who works, who is done."""

from datetime import UTC, datetime
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.engine import dates
from unspool.serve.desk import Desk
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.show.html.board_page import BoardContext, BoardPage, board_page
from unspool.show.html.render import render_macro

_Request = Request[Any, Any, Any]


@get("/", include_in_schema=False, sync_to_thread=True)
def home(request: _Request, desk: NamedDependency[Desk]) -> Response[bytes]:
    """The board."""
    return page_response(request, _page(request, desk))


@get("/part/board", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, desk: NamedDependency[Desk]) -> Response[bytes]:
    """The board without its shell, except for today's cost, which changes too."""
    made = _page(request, desk)
    around = structs.replace(made.shell, here="/")
    pulse = render_macro("shell_pieces.html", "pulse", around, LINKS)
    return html_response(request, render_macro("board_pieces.html", "board", made, LINKS) + pulse)


def _page(request: _Request, desk: Desk) -> BoardPage:
    board = desk.around.redactor.value(desk.boards.board())
    wanted = (
        ((row.session.project_id, row.session.id), (row.session.end_time, row.agents, row.running))
        for row in board.rows
    )
    strips = {f"{project}/{id}": one for (project, id), one in desk.strips.of(wanted).items()}
    today = datetime.fromtimestamp(board.at / 1_000, UTC).astimezone().date()
    beside = BoardContext(
        strips=strips,
        spools=desk.spools,
        midnight=dates.midnight(today),
        index=desk.progress(),
    )
    return board_page(board, page_shell(request, desk, "Board", "board", "Board"), beside)
