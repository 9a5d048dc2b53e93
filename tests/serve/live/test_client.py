"""Messages as they are sent, and a queue that has an end."""

import asyncio
import json

from unspool.model.live import ErrorMessage
from unspool.redact import Redactor
from unspool.serve.live.client import MessageEncoder, MessageQueue, OutgoingMessage

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 8 + "AA"


def test_a_message_says_its_type_number_and_session() -> None:
    written = MessageEncoder(Redactor()).encode("error", 7, None, ErrorMessage(detail="é"))

    assert json.loads(written.text) == {
        "type": "error",
        "seq": 7,
        "sessionId": None,
        "data": {"detail": "é"},
    }
    assert written.size == len(written.text.encode())


def test_a_message_has_no_secrets() -> None:
    written = MessageEncoder(Redactor()).encode("error", 7, "s", ErrorMessage(detail=f"key {KEY}"))

    assert KEY not in written.text


def message(text: str) -> OutgoingMessage:
    return OutgoingMessage(text, len(text))


def taken(queue: MessageQueue, count: int) -> list[str]:
    async def take() -> list[str]:
        return [(await queue.get()).text for _ in range(count)]

    return asyncio.run(asyncio.wait_for(take(), 60))


def test_messages_come_in_their_order() -> None:
    queue = MessageQueue(list)
    for text in "abc":
        queue.put(message(text))

    assert taken(queue, 3) == ["a", "b", "c"]


def test_one_too_many_drops_all_that_waits() -> None:
    queue = MessageQueue(lambda: [message("anew")], max_messages=2)
    for text in "abcd":
        queue.put(message(text))

    assert taken(queue, 2) == ["anew", "d"]


def test_too_many_bytes_drop_all_that_waits() -> None:
    queue = MessageQueue(lambda: [message("anew")], max_bytes=10)
    queue.put(message("a" * 8))
    queue.put(message("b" * 8))

    assert taken(queue, 1) == ["anew"]


def test_one_message_may_be_as_long_as_it_is() -> None:
    queue = MessageQueue(list, max_bytes=10)
    queue.put(message("a" * 50))

    assert taken(queue, 1) == ["a" * 50]


def test_what_was_taken_makes_room() -> None:
    queue = MessageQueue(lambda: [message("anew")], max_messages=1)
    queue.put(message("a"))
    first = taken(queue, 1)
    queue.put(message("b"))

    assert first + taken(queue, 1) == ["a", "b"]


def test_by_default_a_thousand_messages_may_wait() -> None:
    queue = MessageQueue(lambda: [message("anew")])
    for n in range(1_001):
        queue.put(message(str(n)))

    assert taken(queue, 1) == ["anew"]


def test_whoever_waits_is_woken() -> None:
    async def wait() -> str:
        queue = MessageQueue(list)
        asyncio.get_running_loop().call_later(0.01, queue.put, message("late"))
        return (await queue.get()).text

    assert asyncio.run(asyncio.wait_for(wait(), 60)) == "late"
