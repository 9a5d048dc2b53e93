"""A socket that came without a token -> its first words, which must be one, and soon."""

import asyncio
from typing import Any, Literal

import msgspec
from litestar.types import Message, Receive, Send
from msgspec import Struct

_LONGEST = 4 * 1024


class _Said(Struct, frozen=True):
    type: Literal["token"]
    token: str


async def first_token(receive: Receive, send: Send, seconds: float) -> str:
    """Let a socket speak: the token it says, or an empty one where it says anything else."""
    await receive()
    accept: Any = {"type": "websocket.accept", "subprotocol": None, "headers": []}
    await send(accept)
    try:
        async with asyncio.timeout(seconds):
            message: Any = await receive()
    except TimeoutError:
        return ""
    said = message.get("text") or message.get("bytes") or ""
    try:
        return msgspec.json.decode(said, type=_Said).token if len(said) <= _LONGEST else ""
    except (ValueError, RecursionError):
        return ""


def begun(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """The rest of a conversation for an app that thinks it lets the socket in itself."""
    connect: list[Any] = [{"type": "websocket.connect"}]

    async def next_message() -> Any:
        return connect.pop() if connect else await receive()

    async def sent(message: Message) -> None:
        if message["type"] != "websocket.accept":
            await send(message)

    return next_message, sent
