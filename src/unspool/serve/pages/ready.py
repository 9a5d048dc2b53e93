"""A server that has started -> one whose first page is as quick as the others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread

from litestar import Litestar

from unspool.show.html import render


@asynccontextmanager
async def readying(_: Litestar) -> AsyncIterator[None]:
    """Templates are read beside the first requests; nobody waits for it."""
    Thread(target=render.load_templates, name="templates", daemon=True).start()
    yield
