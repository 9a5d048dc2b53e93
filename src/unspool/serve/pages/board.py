"""`/` and `/part/board`: who waits, who works, who is done; on a quiet day what was before."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from platform import node
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from msgspec import structs

from unspool.derive.usage.reports import sum_spend
from unspool.engine import dates
from unspool.engine.sessions.session_list import SessionFilter
from unspool.engine.usage.cost import CostQuery
from unspool.engine.usage.spending import index_totals
from unspool.model.document import SessionInfo
from unspool.model.insights import ActivityStrip
from unspool.serve.context import ServerContext
from unspool.serve.pages.response import LINKS, html_response, page_response, page_shell
from unspool.show.html.board_page import BoardContext, BoardPage, board_page, is_open
from unspool.show.html.quiet_day import QuietDay, QuietFacts, Yesterday, quiet_day
from unspool.show.html.render import render_macro

_Request = Request[Any, Any, Any]
_RECENT = 6
_INDEX_MS = 5_000  # the board is fetched often: its index status may be this old


@get("/", include_in_schema=False, sync_to_thread=True)
def home(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The board."""
    return _not_stored(page_response(request, _page(request, context, may_be_quiet=True)))


@get("/part/board", include_in_schema=False, sync_to_thread=True)
def part(request: _Request, context: NamedDependency[ServerContext]) -> Response[bytes]:
    """The board without its shell, except for today's cost, which changes too."""
    # A board with rows keeps them when all of them are done: only a page knows what it shows.
    page = _page(request, context, may_be_quiet="quiet" in request.query_params)
    around = structs.replace(page.shell, here="/")
    pulse = render_macro("shell_pieces.html", "pulse", around, LINKS)
    text = render_macro("board_pieces.html", "board", page, LINKS) + pulse
    return _not_stored(html_response(request, text))


def _not_stored(response: Response[bytes]) -> Response[bytes]:
    """What goes on now is nothing to be found in a browser's cache."""
    response.headers["cache-control"] = "no-store"
    return response


def _page(request: _Request, context: ServerContext, *, may_be_quiet: bool = False) -> BoardPage:
    board = context.redactor.value(context.board.current())
    today = datetime.fromtimestamp(board.at / 1_000, UTC).astimezone().date()
    beside = BoardContext(
        strips=_strips(context, (row.session for row in board.rows)),
        spools=context.spools,
        lanes=context.lanes,
        order=context.slots,
        midnight=dates.midnight(today),
        index=context.health.index(_INDEX_MS),
        host=node(),
    )
    is_quiet = may_be_quiet and not any(map(is_open, board.rows))
    quiet = _quiet(context, board.at, today) if is_quiet else None
    around = page_shell(request, context, "Board", "board", "Board")
    return board_page(board, around, beside, quiet)


def _quiet(context: ServerContext, now: int, today: date) -> QuietDay:
    """What was done before, from the index."""
    recent = context.redactor.value(context.sessions.page(SessionFilter(limit=_RECENT)).items)
    return quiet_day(
        QuietFacts(
            now=now,
            recent=recent,
            strips=_strips(context, (row.session for row in recent)),
            spools=context.spools,
            days=context.recent_spend.current().dollars,
            yesterday=_yesterday(context, today),
        )
    )


def _yesterday(context: ServerContext, today: date) -> Yesterday:
    since, until = dates.midnight(today, days=-1), dates.midnight(today)
    query = CostQuery(by="session", since=since, until=until)
    totals = index_totals(context.store, query, context.scope.current())
    tools = context.insights.tools(since, until).counts
    return Yesterday(
        sessions=len({(total[1], total[2]) for total in totals}),
        usd=sum_spend(total[5:] for total in totals).usd,
        calls=sum(tool.calls for tool in tools),
        failed=sum(tool.errors for tool in tools),
        waited=sum(tool.waited for tool in tools),
        waited_ms=sum(tool.waited_ms for tool in tools),
    )


def _strips(context: ServerContext, sessions: Iterable[SessionInfo]) -> dict[str, ActivityStrip]:
    found = context.activity.strips((one.project_id, one.id) for one in sessions)
    return {f"{project}/{id}": strip for (project, id), strip in found.items()}
