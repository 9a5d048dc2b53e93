"""One feed for all who listen, and one who does not read."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.made import talk
from tests.cli.servings import Serving, serving
from tests.serve.live.listening import ids, known, save
from tests.serve.served import Served, indexed
from tests.waiting import ENOUGH, until
from unspool.engine.timeline.pages import Timelines
from unspool.serve.live import feed as module
from unspool.serve.live.client import Client, OutgoingMessage
from unspool.serve.live.feed import Feed

MANY, ROUNDS, LINES = 200, 6, 20


@pytest.fixture
def server(place: Path) -> Iterator[Serving]:
    with serving(place, "--port", "0", "--sockets", str(MANY + 10)) as made:
        assert known(made, "session-one", 5)
        yield made


def feed_of(site: Served) -> Feed:
    around = site.context.config
    return Feed(site.context, Timelines(around.store, around.roots, around.redactor))


def listening(server: Serving, **options: Any) -> connect:
    return connect(
        server.url.replace("http", "ws", 1) + "/api/dashboard",
        origin=Origin(server.url),
        additional_headers={"Authorization": f"Bearer {server.token}"},
        open_timeout=60,
        max_size=None,
        **options,
    )


async def told(socket: ClientConnection, events: int) -> list[str]:
    """The ids of the events it is told of, up to a number of them."""
    found: list[str] = []
    async with asyncio.timeout(90):
        while len(found) < events:
            message = json.loads(await socket.recv())
            if message["type"] == "event_added":
                found += [event["eventId"] for event in message["data"]["events"]]
    return found


async def all_of_them(server: Serving, place: Path, many: int) -> tuple[list[list[str]], list[str]]:
    """Many pages that follow a session as it grows, beside one that does not read for a while."""
    made, subscribe = talk(), json.dumps({"type": "subscribe", "sessionId": "session-one"})
    async with AsyncExitStack() as stack:
        slow = await stack.enter_async_context(listening(server, max_queue=1))
        pages = [await stack.enter_async_context(listening(server)) for _ in range(many - 1)]
        for page in (slow, *pages):
            await page.send(subscribe)
        reading = [asyncio.ensure_future(told(page, ROUNDS * LINES)) for page in pages]
        for _ in range(ROUNDS):
            for n in range(LINES // 2):
                made.user(f"question {n}").says("an answer of some length " * 30)
            save(made, place)
            await asyncio.sleep(0.1)
        return await asyncio.gather(*reading), await told(slow, ROUNDS * LINES)


@pytest.mark.parametrize("many", [50, pytest.param(MANY, marks=pytest.mark.slow)])
def test_of_many_pages_none_misses_an_event(server: Serving, place: Path, many: int) -> None:
    quick, slow = asyncio.run(all_of_them(server, place, many))
    written = ids(server, "session-one")[5:]

    assert len(written) == ROUNDS * LINES
    assert [found for found in quick if found != written] == []
    assert slow == written


def test_whoever_was_too_slow_is_told_to_fetch_again(site: Served) -> None:
    async def overflow() -> list[Any]:
        feed = feed_of(site)
        client = feed.client()
        await feed.join(client)
        await feed.subscribe(client, "session-one", None)
        for _ in range(1_000):
            client.queue.put(OutgoingMessage("old", 3))
        return [json.loads((await client.queue.get()).text) for _ in range(2)]

    told, init = asyncio.run(overflow())

    assert (told["type"], told["sessionId"]) == ("timeline_invalidation", "session-one")
    assert told["data"] == {"reason": "overflow"}
    assert (init["type"], len(init["data"]["sessions"])) == ("init", 2)


def test_whoever_was_away_for_too_long_fetches_again(site: Served) -> None:
    async def resume() -> list[Any]:
        feed = feed_of(site)
        client = feed.client()
        await feed.join(client)
        for after in (-1, 10**12):
            await feed.subscribe(client, "session-one", after)
        return [json.loads((await client.queue.get()).text) for _ in range(3)]

    told = asyncio.run(resume())

    assert [one["type"] for one in told] == ["init", *["timeline_invalidation"] * 2]


def test_whoever_has_seen_nothing_is_told_all(site: Served) -> None:
    async def resume() -> Any:
        feed = feed_of(site)
        client = feed.client()
        await feed.join(client)
        await feed.subscribe(client, "session-one", 0)
        await client.queue.get()
        return json.loads((await client.queue.get()).text)

    told = asyncio.run(resume())

    assert told["type"] == "event_added"
    assert told["data"]["positions"] == [0, 1, 2, 3, 4]


async def drained(client: Client, count: int) -> list[Any]:
    """The next messages that wait for a client."""
    return [json.loads((await client.queue.get()).text) for _ in range(count)]


def test_a_session_that_is_flooded_holds_up_no_other(site: Served, place: Path) -> None:
    async def flood() -> list[Any]:
        feed = feed_of(site)
        client = feed.client()
        await feed.join(client)
        for session in ("session-one", "session-two"):
            await feed.subscribe(client, session, None)
        busy = talk()
        for n in range(600):
            busy.user(f"question {n}")
        save(busy, place)
        save(talk("session-two", day=2).user("one more"), place)
        indexed(place)
        assert not await feed.tick()
        return await drained(client, 3)

    _, *told = asyncio.run(flood())
    found = {one["sessionId"]: one for one in told}

    assert found["session-one"]["data"] == {"reason": "resume"}
    assert len(found["session-two"]["data"]["events"]) == 1


def test_a_feed_that_is_too_far_behind_tells_all_to_fetch_again(
    site: Served, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    monkeypatch.setattr(module, "_MAX_CHANGES", 1)

    async def behind() -> list[Any]:
        feed, made = feed_of(site), talk()
        client = feed.client()
        await feed.join(client)
        await feed.subscribe(client, "session-one", None)
        for word in ("one", "two"):
            save(made.user(word), place)
            indexed(place)
        assert not await feed.tick()
        save(made.user("three"), place)
        indexed(place)
        while await feed.tick():
            pass
        return await drained(client, 3)

    _, skipped, told = asyncio.run(behind())

    assert (skipped["type"], skipped["data"]) == ("timeline_invalidation", {"reason": "overflow"})
    assert skipped["seq"] == site.context.store.head() - 1
    assert [event["preview"] for event in told["data"]["events"]] == ["three"]


def test_a_feed_that_goes_back_tells_all_to_fetch_again(site: Served, place: Path) -> None:
    """As after a restore, or where a standby that was behind took over."""

    async def back() -> list[Any]:
        feed, made = feed_of(site), talk()
        client = feed.client()
        await feed.join(client)
        await feed.subscribe(client, "session-one", None)
        feed._seq += 100  # the store has said more than it has now
        assert not await feed.tick()
        head = site.context.store.head()
        save(made.user("later"), place)
        indexed(place)
        while await feed.tick():
            pass
        async with asyncio.timeout(ENOUGH):
            return [head, *await drained(client, 3)]

    head, _, skipped, told = asyncio.run(back())

    assert (skipped["type"], skipped["data"]) == ("timeline_invalidation", {"reason": "overflow"})
    assert skipped["seq"] == head
    assert [event["preview"] for event in told["data"]["events"]] == ["later"]


async def told_until(feed: Feed, client: Client, kind: str) -> list[str]:
    """The kinds of messages up to the first of one kind; the feed is asked again and again."""
    kinds: list[str] = []
    async with asyncio.timeout(ENOUGH):
        while kind not in kinds:
            await feed.tick()
            await feed.poll()
            kinds += await waiting(client)
    return kinds


async def waiting(client: Client) -> list[str]:
    """The kinds of messages that wait for a client."""
    kinds: list[str] = []
    with suppress(TimeoutError):
        while True:
            message = await asyncio.wait_for(client.queue.get(), 0.05)
            kinds.append(json.loads(message.text)["type"])
    return kinds


def test_who_shows_no_list_is_told_how_its_session_stands(site: Served) -> None:
    async def listen() -> list[str]:
        feed = feed_of(site)
        client = feed.client(lists=False)
        await feed.join(client)
        await feed.hint(client, "session-one", None)
        await feed.poll()
        return await waiting(client)

    assert asyncio.run(listen()) == ["init", "session_updated"]


def test_a_board_that_changes_after_its_row_is_told_of(site: Served, place: Path) -> None:
    """As where the index is quicker than the board: no row changes any more."""

    async def listen() -> list[str]:
        feed = feed_of(site)
        client = feed.client()
        await feed.join(client)
        save(talk().user("nobody indexes this"), place)
        return await told_until(feed, client, "board_updated")

    site.context.board.current()

    assert asyncio.run(listen()) == ["init", "board_updated"]


def test_a_board_that_changed_before_its_row_is_not_told_of(site: Served, place: Path) -> None:
    async def listen() -> list[str]:
        feed = feed_of(site)
        client = feed.client()
        await feed.join(client)
        save(talk().user("indexed"), place)
        assert until(lambda: site.context.board.changed_at > 0)
        indexed(place)
        kinds = await told_until(feed, client, "session_update")
        await asyncio.sleep(2 * module._ROWS_EVERY)
        await feed.poll()
        return [*kinds, *await waiting(client)]

    site.context.board.current()

    assert "board_updated" not in asyncio.run(listen())
