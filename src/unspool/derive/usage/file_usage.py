"""Lines of one file -> the usage on each of them, and the file's API responses.

Beside an answer's own lines there are two that tell of usage: a progress line, which reports an
answer of an agent, and the result of a web search, which is not in the usage of any answer.
Others tell that an agent ran: if nothing tells what it used, the sum is a lower bound.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec import Struct, structs
from msgspec.json import Decoder

from unspool.derive.hash_set import HashSet
from unspool.derive.reading.agent_ids import as_id
from unspool.derive.reading.clock import millis
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.reading.messages import SYNTHETIC, tokens_of
from unspool.derive.usage.responses import (
    STARTED,
    FileStart,
    is_foreign,
    known_agent,
    merge_usage,
    place_key,
    reported_claim,
    response_key,
    search_key,
    unknown_agent,
    usage_claim,
    usage_rank,
)
from unspool.model.message import Message
from unspool.model.transcript import ConversationLine, Entry, Progress, Usage
from unspool.model.usage import UNKNOWN_AGENT, WEB_SEARCH, OwnedUsage, Tokens, UsageRow

REPORT: Final = "report"  # the type of a message that only reports what another file has
# The lines of a response stand close together: what is older than so many others is complete.
_RECENT: Final = 64


def message_key(message: Message) -> str:
    """The key of a line's response; "" where the line has no id at all."""
    if message.model == WEB_SEARCH:
        return search_key(message.message_id)
    uuid = (message.forked_from and message.forked_from[1]) or message.uuid
    return response_key(message.message_id, message.request_id, uuid)


def usage_messages(
    message: Message | None, entry: Entry, line: int, part: int = 0
) -> Iterator[Message]:
    """What a line says was used: messages that have tokens, its own among them."""
    if message is None:
        report = _report(entry, line, part) if type(entry) is Progress else None
        if report is not None:
            yield report
    elif message.tokens is not None:
        yield message
    elif message.type == "user":
        for piece in message.pieces:
            if piece.searches and piece.id:
                yield structs.replace(
                    message,
                    message_id=piece.id,
                    model=WEB_SEARCH,
                    tokens=Tokens(web_searches=piece.searches),
                    stop_reason="end_turn",
                )


class _ReportedBody(Struct, frozen=True, gc=False):
    id: str | None = None
    model: str | None = None
    usage: Usage | None = None


class _ReportedLine(Struct, frozen=True, rename="camel", gc=False):
    """A line of an agent as a progress line of its parent has it."""

    type: str = ""
    timestamp: str | None = None
    uuid: str | None = None
    request_id: str | None = None
    message: _ReportedBody | None = None


_reported: Final = Decoder(_ReportedLine)


def _agent_in_progress(entry: Progress) -> str:
    """The agent that a progress line tells of, or ""."""
    data = entry.data or entry.progress_data
    return as_id(data.agent_id or "") if data and data.type == "agent_progress" else ""


def _report(entry: Progress, number: int, part: int) -> Message | None:
    """The agent's answer that a progress line reports; None if it reports none that counts."""
    data, agent = entry.data or entry.progress_data, _agent_in_progress(entry)
    if data is None or not agent:
        return None
    try:
        line = _reported.decode(data.message)
    except TROUBLE:
        return None
    body = line.message
    if line.type != "assistant" or body is None or body.usage is None or body.model == SYNTHETIC:
        return None
    if not (body.id or line.request_id or line.uuid):
        return None  # nothing tells it from the agent's own line
    return Message(
        line=number,
        part=part,
        type=REPORT,
        category="noise",
        uuid=line.uuid or "",
        at=millis(line.timestamp),
        agent_id=agent,
        is_sidechain=True,
        model=body.model or "",
        message_id=body.id or "",
        request_id=line.request_id or "",
        tokens=tokens_of(body.usage),
        # Without a stop reason it is a lower bound: nobody knows that all of it was reported.
    )


class UsageReader:
    """Reads the usage on the lines of one file, in order.

    `start` must be fed every line before it is read.
    """

    def __init__(
        self, session_id: str, agent_id: str, source: int | str, start: FileStart | None = None
    ) -> None:
        self.start = start or FileStart()
        self._session, self._agent, self._source = session_id, agent_id, source
        self._known: set[str] = set()  # agents whose usage is told
        self._started: set[str] = set()  # agents that are known to have run

    def rows(self, message: Message | None, entry: Entry, line_id: int) -> Iterator[UsageRow]:
        """The usage that one line tells, unpriced: the price depends on all lines of a response."""
        for told in usage_messages(message, entry, message.line if message else 0):
            if told.tokens is not None:
                row = self._row(told, told.tokens, entry, line_id)
                yield from self._know(row.agent_id)
                yield row
        yield from self._know(self._agent)
        at = message.at if message else millis(getattr(entry, "timestamp", None))
        for agent in _agents_started(message, entry):
            if message is None and agent in self._started:
                continue  # there are many lines of progress, and the first is enough
            self._started.add(agent)
            is_fork = message is not None and message.forked_from is not None
            foreign = is_foreign(_stated_session(entry), self._session)
            claim = usage_claim(is_fork, at, True, foreign, self.start)
            yield unknown_agent(agent, claim, at)

    def _know(self, agent: str) -> Iterator[UsageRow]:
        if agent and agent not in self._known:
            self._known.add(agent)
            yield known_agent(agent)

    def _row(self, message: Message, tokens: Tokens, entry: Entry, line_id: int) -> UsageRow:
        at, is_final = message.at, message.stop_reason != ""
        agent = self._agent or (message.agent_id if message.is_sidechain else "")
        foreign = is_foreign(_stated_session(entry), self._session)
        claim = usage_claim(message.forked_from is not None, at, agent != "", foreign, self.start)
        if message.type == REPORT:
            agent, claim = message.agent_id, reported_claim(at, foreign, self.start)
        return UsageRow(
            message_key(message) or place_key(self._source, message.line, message.part),
            usage_rank(tokens.output, message.is_sidechain, is_final, at),
            claim,
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

        Copies stay: whose they are may still change. So do agents: of one that ran long ago another
        file may still tell.
        """
        if len(self.rows) <= 2 * _RECENT:
            return []
        old = list(islice(self.rows, len(self.rows) - _RECENT))
        gone = [key for key in old if self._may_settle(key) and is_settled(key)]
        for key in gone:
            del self.rows[key]
            self._settled.add(key)
        return gone

    def _may_settle(self, key: str) -> bool:
        return key not in self.origins and self.rows[key].model != UNKNOWN_AGENT

    def feed(self, message: Message | None, entry: Entry) -> None:
        """Add the next entry of the file."""
        for row in self._reader.rows(message, entry, message.line if message else 0):
            self._put(row)
            forked = message.forked_from if message else None
            origin = forked[0] if forked else _stated_session(entry)
            if origin and origin != self._session:
                self.origins[row.message_key] = origin

    def _put(self, row: UsageRow) -> None:
        key = row.message_key
        self.is_reopened |= bool(self._settled) and key in self._settled
        self._changed[key] = None
        known = self.rows.setdefault(key, row)
        if known is not row:
            self.rows[key] = merge_usage(OwnedUsage("", "", known), OwnedUsage("", "", row)).row


def _agents_started(message: Message | None, entry: Entry) -> Iterator[str]:
    """The agents that a line says were started: by the result of their call, or by progress."""
    if message is None:
        agent = _agent_in_progress(entry) if type(entry) is Progress else ""
        yield from [agent] if agent else ()
        return
    for piece in message.pieces:
        if piece.report is not None and piece.report.status in STARTED and piece.report.agent_id:
            yield as_id(piece.report.agent_id)


def _stated_session(entry: Entry) -> str:
    return (entry.session_id or "") if isinstance(entry, ConversationLine) else ""
