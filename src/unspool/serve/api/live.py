"""`/api/dashboard`: the one live channel."""

import asyncio
from typing import Any

from litestar import WebSocket, websocket
from litestar.di import NamedDependency

from unspool.serve.live import Live
from unspool.serve.live.dashboard import Visitor


@websocket("/api/dashboard")
async def dashboard(socket: WebSocket[Any, Any, Any], live: NamedDependency[Live]) -> None:
    """Tell a page what is new, until it goes."""
    await socket.accept()
    visitor = Visitor(socket, live.feed, socket.query_params.get("after", ""))
    try:
        await visitor.enter()
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(visitor.tell())
            await visitor.hear()
            telling.cancel()
    finally:
        visitor.leave()
