"""What one API response used, however many lines and files repeat it."""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.message import Tokens

# How tokens become money: as the API bills them, or as claude-devtools counted them.
Mode: TypeAlias = Literal["billing", "devtools"]


class Response(Struct, frozen=True, kw_only=True, gc=False):
    """One API response: tokens and model of its best line, the rest of all its lines."""

    key: str
    model: str = ""
    at: int | None = None  # of its earliest line
    tokens: Tokens = Tokens()
    finished: bool = False  # some line says why it stopped; else its output may be more
    is_sidechain: bool = False  # no copy of it is in a main thread
    agent_id: str = ""
    line: int = 0  # its first, in the file that owns it
    message_id: str = ""
    request_id: str = ""
    lines: int = 1  # all but one of them were dropped
