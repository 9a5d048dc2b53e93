"""Messages of one file -> the usage on each line, and the file's API responses."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from unspool.derive.hash_set import HashSet
from unspool.derive.usage.responses import (
    FileStart,
    is_foreign,
    merge_usage,
    place_key,
    response_key,
    usage_claim,
    usage_rank,
)
from unspool.model.message import Message
from unspool.model.transcript import ConversationLine, Entry
from unspool.model.usage import OwnedUsage, Tokens, UsageRow

# The lines of a response stand close together: what is older than so many others is complete.
_RECENT: Final = 64


def message_key(message: Message) -> str:
    """The key of a line's response; "" where the line has no id at all."""
    uuid = (message.forked_from and message.forked_from[1]) or message.uuid
    return response_key(message.message_id, message.request_id, uuid)


class UsageReader:
    """Reads the usage on the lines of one file, in order.

    `start` must be fed every line before its message is read.
    """

    def __init__(
        self, session_id: str, agent_id: str, source: int | str, start: FileStart | None = None
    ) -> None:
        self.start = start or FileStart()
        self._session, self._agent, self._source = session_id, agent_id, source

    def row(self, message: Message, tokens: Tokens, entry: Entry, line_id: int) -> UsageRow:
        """One line's usage, unpriced: the price depends on all lines of the response."""
        at, is_final = message.at, message.stop_reason != ""
        agent = self._agent or (message.agent_id if message.is_sidechain else "")
        foreign = is_foreign(_stated_session(entry), self._session)
        return UsageRow(
            message_key(message) or place_key(self._source, message.line, message.part),
            usage_rank(tokens.output, message.is_sidechain, is_final, at),
            usage_claim(message.forked_from is not None, at, agent != "", foreign, self.start),
            at,
            is_final,
            message.model,
            tokens,
            agent,
            line_id,
        )


class FileUsage:
    """The responses of one file, fed line by line; `line_id` of a row is the line's number."""

    def __init__(
        self,
        session_id: str,
        agent_id: str = "",
        *,
        start: FileStart | None = None,
        source: int | str = "",  # what the index calls the file
    ) -> None:
        self.rows: dict[str, UsageRow] = {}
        self.origins: dict[str, str] = {}  # of copies: the session a line says it is of
        self._session = session_id
        self._settled = HashSet()  # keys
        self.is_reopened = False  # whether a line told more of a response that was settled
        self._changed: dict[str, None] = {}
        self._reader = UsageReader(session_id, agent_id, source or agent_id, start)
        self.start = self._reader.start

    def resume(self, rows: Iterable[UsageRow]) -> None:
        """Take in what earlier lines said, as it was stored."""
        for row in rows:
            self._put(row._replace(usd_pico=None))

    def drain(self) -> list[UsageRow]:
        """The responses of which lines said more since it was last asked."""
        changed, self._changed = self._changed, {}
        return [self.rows[key] for key in changed]

    def settle(self, is_settled: Callable[[str], bool]) -> list[str]:
        """Forget responses that no line will tell more of; their keys.

        Copies stay: whose they are may still change.
        """
        if len(self.rows) <= 2 * _RECENT:
            return []
        old = list(islice(self.rows, len(self.rows) - _RECENT))
        gone = [key for key in old if key not in self.origins and is_settled(key)]
        for key in gone:
            del self.rows[key]
            self._settled.add(key)
        return gone

    def feed(self, message: Message, entry: Entry) -> None:
        """Add the next message of the file."""
        if message.tokens is None:
            return
        row = self._reader.row(message, message.tokens, entry, message.line)
        key = row.message_key
        self._put(row)
        origin = message.forked_from[0] if message.forked_from else _stated_session(entry)
        if origin and origin != self._session:
            self.origins[key] = origin

    def _put(self, row: UsageRow) -> None:
        key = row.message_key
        self.is_reopened |= bool(self._settled) and key in self._settled
        self._changed[key] = None
        known = self.rows.setdefault(key, row)
        if known is not row:
            self.rows[key] = merge_usage(OwnedUsage("", "", known), OwnedUsage("", "", row)).row


def _stated_session(entry: Entry) -> str:
    return (entry.session_id or "") if isinstance(entry, ConversationLine) else ""
