"""An answer's line, and of it only what was used."""

from typing import Final

from msgspec import Struct
from msgspec.json import Decoder

from unspool.model.blocks import Count
from unspool.model.transcript import CacheCreation, ForkedFrom, ServerTools
from unspool.model.usage import Tokens

# Fields stand in the order Claude Code writes them in: so they are found soonest.


class Used(Struct, frozen=True, gc=False):
    """The counts of a line, as Claude Code names them."""

    input_tokens: Count | None = 0
    cache_creation_input_tokens: Count | None = 0
    cache_read_input_tokens: Count | None = 0
    output_tokens: Count | None = 0
    server_tool_use: ServerTools | None = None
    cache_creation: CacheCreation | None = None
    inference_geo: str | None = None
    speed: str | None = None


class Spoken(Struct, frozen=True, gc=False):
    """An API message without what it says."""

    model: str | None = None
    id: str | None = None
    stop_reason: str | None = None
    usage: Used | None = None


class Line(Struct, frozen=True, rename="camel", gc=False):
    """A line of a transcript without what it says."""

    is_sidechain: bool | None = False
    agent_id: str | None = None
    session_id: str | None = None
    type: str = ""
    message: Spoken | None = None
    timestamp: str | None = None
    forked_from: ForkedFrom | None = None


class _Named(Struct, frozen=True, rename="camel", gc=False):
    """What else a line can be called by."""

    request_id: str | None = None
    uuid: str | None = None


decode: Final = Decoder(Line).decode
_named: Final = Decoder(_Named).decode


def other_name(line: Line, data: memoryview) -> str:
    """What to call a response without an id, marked so that it is no id; "" if there is nothing."""
    try:
        found = _named(data)
    except (ValueError, RecursionError):
        return ""
    if found.request_id:
        return f"\0r:{found.request_id}"
    # A branch gives its copies new uuids, and names the old ones.
    origin = line.forked_from.message_uuid if line.forked_from else None
    uuid = origin or found.uuid
    return f"\0u:{uuid}" if uuid else ""


def name_of(message_key: str) -> str:
    """What a response of the ledger is called here: its id, or another name so marked."""
    return message_key[2:] if message_key.startswith("m:") else f"\0{message_key}"


def message_key(name: str) -> str:
    """The other way round."""
    return name[1:] if name.startswith("\0") else f"m:{name}"


def tokens_of(used: Used) -> Tokens:
    """The billed counts, nulls and gaps filled in."""
    split, server = used.cache_creation, used.server_tool_use
    write_5m = (split.ephemeral_5m_input_tokens or 0) if split else 0
    write_1h = (split.ephemeral_1h_input_tokens or 0) if split else 0
    return Tokens(
        used.input_tokens or 0,
        used.output_tokens or 0,
        used.cache_read_input_tokens or 0,
        max(used.cache_creation_input_tokens or 0, write_5m + write_1h),
        write_5m,
        write_1h,
        (server.web_search_requests or 0) if server else 0,
        used.speed or "",
        used.inference_geo or "",
    )
