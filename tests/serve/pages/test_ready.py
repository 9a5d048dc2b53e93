import asyncio
from threading import Event

import pytest
from litestar import Litestar

from unspool.serve.pages.ready import readying
from unspool.show.html import render


def test_a_server_answers_while_its_templates_are_still_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_end = Event(), Event()

    def read() -> None:
        begun.set()
        may_end.wait(5)

    monkeypatch.setattr(render, "load_templates", read)

    async def started() -> bool:
        async with readying(Litestar()):
            return begun.wait(60) and not may_end.is_set()

    assert asyncio.run(started())
    may_end.set()
