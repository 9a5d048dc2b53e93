"""A queue that ends, and what one who was too slow is told."""

import asyncio

from unspool.serve.live.channel import Channel
from unspool.serve.live.messages import Written


def message(text: str) -> Written:
    return Written(text, len(text))


def taken(channel: Channel, count: int) -> list[str]:
    async def take() -> list[str]:
        return [(await channel.get()).text for _ in range(count)]

    return asyncio.run(asyncio.wait_for(take(), 60))


def test_messages_come_in_their_order() -> None:
    channel = Channel(list)
    for text in "abc":
        channel.put(message(text))

    assert taken(channel, 3) == ["a", "b", "c"]


def test_one_too_many_drops_all_that_waits() -> None:
    channel = Channel(lambda: [message("anew")], most=2)
    for text in "abcd":
        channel.put(message(text))

    assert taken(channel, 2) == ["anew", "d"]


def test_too_many_bytes_drop_all_that_waits() -> None:
    channel = Channel(lambda: [message("anew")], most_bytes=10)
    channel.put(message("a" * 8))
    channel.put(message("b" * 8))

    assert taken(channel, 1) == ["anew"]


def test_one_message_may_be_as_long_as_it_is() -> None:
    channel = Channel(list, most_bytes=10)
    channel.put(message("a" * 50))

    assert taken(channel, 1) == ["a" * 50]


def test_what_was_taken_makes_room() -> None:
    channel = Channel(lambda: [message("anew")], most=1)
    channel.put(message("a"))
    first = taken(channel, 1)
    channel.put(message("b"))

    assert first + taken(channel, 1) == ["a", "b"]


def test_by_default_a_thousand_messages_may_wait() -> None:
    channel = Channel(lambda: [message("anew")])
    for n in range(1_001):
        channel.put(message(str(n)))

    assert taken(channel, 1) == ["anew"]


def test_whoever_waits_is_woken() -> None:
    async def wait() -> str:
        channel = Channel(list)
        asyncio.get_running_loop().call_later(0.01, channel.put, message("late"))
        return (await channel.get()).text

    assert asyncio.run(asyncio.wait_for(wait(), 60)) == "late"
