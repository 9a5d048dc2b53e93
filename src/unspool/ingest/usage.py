"""Messages -> usage rows: what a line used, how it ranks, and who may claim it."""

import struct
from typing import Final

from unspool.derive.money.ledger import key
from unspool.derive.money.pricer import Pricer
from unspool.model.files import TranscriptFile
from unspool.model.message import Message, Tokens
from unspool.model.rows import UsageRow

_MOST: Final = (1 << 63) - 1  # counts are bounded where they are read; a user's prices are not
_rank: Final = struct.Struct(">QBBQ")
_claim: Final = struct.Struct(">BBQB")


class UsageRows:
    """Makes the usage rows of one source."""

    def __init__(self, file: TranscriptFile, source_id: int, pricer: Pricer) -> None:
        self._agent = file.agent_id or ""
        self._session = (file.session_id or "").encode("utf-8", "replace")
        self._source = source_id
        self._price = pricer.price

    def row(self, message: Message, tokens: Tokens, line_id: int) -> UsageRow:
        """One line's usage, priced."""
        at = message.at
        name = key(message)
        agent = self._agent or (message.agent_id if message.is_sidechain else "")
        return UsageRow(
            # A line number says nothing outside its file.
            f"l:{self._source}:{name[2:]}" if name.startswith("l:") else name,
            rank(message, tokens),
            _claim.pack(message.forked_from is not None, at is None, at or 0, bool(agent))
            + self._session,
            at,
            message.stop_reason != "",
            message.model,
            tokens.input,
            tokens.output,
            tokens.cache_read,
            tokens.cache_write,
            tokens.write_5m,
            tokens.write_1h,
            tokens.web_searches,
            tokens.speed,
            tokens.geo,
            _capped(self._price(tokens, message.model, at)),
            agent,
            line_id,
        )


def rank(message: Message, tokens: Tokens) -> bytes:
    """Of all lines of a response the greatest is kept: most output, main thread, final, latest."""
    fixed = _rank.pack(
        tokens.output,
        not message.is_sidechain,
        message.stop_reason != "",
        0 if message.at is None else message.at + 1,
    )
    return fixed + message.model.encode("utf-8", "replace")


def _capped(pico: int | None) -> int | None:
    return None if pico is None else min(pico, _MOST)
