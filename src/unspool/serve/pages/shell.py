"""A request -> what stands around its page: today's dollars, the last days, the theme."""

from typing import Any

from litestar import Request

from unspool.derive.reading.clock import iso
from unspool.serve.desk import Desk
from unspool.serve.pages.theme import chosen
from unspool.show.html.shell import Shell, spark
from unspool.show.numbers import format_usd
from unspool.show.times import clock


def shell(
    request: Request[Any, Any, Any], desk: Desk, title: str, name: str = "", current: str = ""
) -> Shell:
    """The shell of a page; `name` is its class, `current` its entry in the navigation."""
    found = desk.pulses.pulse()
    running = found.block
    query = request.url.query
    return Shell(
        title=title,
        name=name,
        current=current,
        block=format_usd(running.spend.usd) if running else "",
        block_ends=clock(iso(running.end)) if running else "",
        demo=desk.around.demo,
        theme=chosen(request),
        here=request.url.path + (f"?{query}" if query else ""),
        today=format_usd(found.today),
        spark=spark(found.days),
    )
