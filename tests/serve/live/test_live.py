"""The task that keeps a server live."""

import asyncio
import logging
from collections.abc import Callable
from threading import Event

import pytest

from tests.serve.served import Served
from unspool.errors import NotFound
from unspool.serve.live import Live


def test_it_ends_with_its_server(site: Served) -> None:
    async def run() -> None:
        async with Live(site.context).running(site.app):
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(run(), 60))


def test_one_bad_moment_does_not_end_it(
    site: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    live, ticks = Live(site.context), 0

    async def tick() -> bool:
        nonlocal ticks
        ticks += 1
        if ticks == 1:
            raise ValueError("secret")
        return False

    async def run() -> None:
        monkeypatch.setattr(live.feed, "tick", tick)
        async with live.running(site.app):
            while ticks < 2:
                await asyncio.sleep(0.05)

    with caplog.at_level(logging.ERROR):
        asyncio.run(asyncio.wait_for(run(), 60))

    assert "ValueError" in caplog.text
    assert "secret" not in caplog.messages[0]


def test_after_it_was_woken_it_rests_again(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ticks, wakes = Live(site.context), 0, list[Callable[[], None]]()

    async def tick() -> bool:
        nonlocal ticks
        ticks += 1
        return False

    def watch(wake: Callable[[], None], _: Event) -> Callable[[], None]:
        wakes.append(wake)
        return lambda: None

    async def run() -> None:
        monkeypatch.setattr(live.feed, "tick", tick)
        monkeypatch.setattr(live, "_watch", watch)
        async with live.running(site.app):
            wakes[0]()
            while not ticks:
                await asyncio.sleep(0.01)
            for _ in range(100):  # turns of the loop, not time: a busy machine has as many
                await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(run(), 60))

    assert ticks < 10


def test_an_unknown_session_is_not_found(site: Served) -> None:
    with pytest.raises(NotFound):
        Live(site.context).name("session-none")


def test_a_session_of_another_project_is_not_found(site: Served) -> None:
    with pytest.raises(NotFound):
        Live(site.context).name("session-one", "-elsewhere")
