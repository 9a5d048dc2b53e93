"""Lines about API responses -> each response once: which line counts, and which session owns it.

A response is on several lines, in several files: streamed pieces, sidechains, forks, resumed and
copied sessions. Nothing here depends on the order they are read in. It loads no msgspec, because
the status line uses it too.
"""

import re
import struct
from collections.abc import Iterable, Mapping
from typing import Final

from unspool.derive.reading.clock import millis
from unspool.model.usage import (
    UNKNOWN_AGENT,
    LineUsage,
    OwnedUsage,
    Price,
    Tokens,
    TotalRow,
    UsageRow,
)

QUARTER: Final = 900_000  # milliseconds: usage is summed by quarters of an hour
HEAD: Final = 64 * 1024

# How a file begins: as the start of its session, unknown, or as a copy does.
BEGAN, UNKNOWN, COPIED = range(3)
_FOREIGN: Final = 3
_REPORTED: Final = 2  # greater than a fork's mark

# What the result of a call says of an agent that it has started; a teammate has its own session.
STARTED: Final = frozenset({"completed", "async_launched", "forked"})

# Written with the first prompt of a session; a copy does not have it.
_QUEUED: Final = b'"queue-operation"'
# Programs always write a queue operation: without one, the session began in another file.
_PROGRAM: Final = b'"entrypoint":"sdk'
_ANSWER: Final = b'"assistant"'
_TIME: Final = re.compile(rb'"timestamp":"([^"\\\n]{1,40})"')

_rank: Final = struct.Struct(">QBBQ")
_claim: Final = struct.Struct(">BBQBBQ")
_LATEST: Final = (1 << 63) - 1
_FIRST: Final = bytes(_claim.size)  # the claim before all others


def response_key(message_id: str, request_id: str, uuid: str) -> str:
    """The key of a response: its id, else its request's, else its line's uuid.

    A fork gives copied lines new uuids: `uuid` is the original's. Without any of these the key is
    "", and the line's place is the key instead (`place_key`).
    """
    if message_id:
        return f"m:{message_id}"
    if request_id:
        return f"r:{request_id}"
    return f"u:{uuid}" if uuid else ""


def search_key(tool_use_id: str) -> str:
    """The key of the web searches that were made for one call."""
    return f"w:{tool_use_id}"


def place_key(source: int | str, line: int, part: int) -> str:
    """The key of a response without any id, which no other line can share."""
    return f"l:{source}:{line}.{part}"


def unknown_agent(agent_id: str, claim: bytes, at: int | None) -> UsageRow:
    """An agent that ran: it counts, with nothing, until something tells what it used."""
    rank, key = usage_rank(0, True, False, None), f"a:{agent_id}"
    return UsageRow(key, rank, claim, at, False, UNKNOWN_AGENT, Tokens(), agent_id, 0)


def known_agent(agent_id: str) -> UsageRow:
    """An agent whose usage is told, by its own lines or by reports: merged, nothing is left."""
    return unknown_agent(agent_id, _FIRST, None)._replace(is_finished=True)


def is_used(row: UsageRow) -> bool:
    """Whether a row counts: it does unless it only says that an agent's usage is told."""
    return row.model != UNKNOWN_AGENT or not row.is_finished


def usage_rank(output: int, is_sidechain: bool, is_final: bool, at: int | None) -> bytes:
    """The line of a response with the greatest rank counts.

    That is the one with most output, then in the main thread, then final, then latest.
    """
    return _rank.pack(output, not is_sidechain, is_final, 0 if at is None else at + 1)


class FileStart:
    """How a file begins, up to its first answer: it tells an original from an unmarked copy."""

    def __init__(self) -> None:
        self.kind = UNKNOWN
        self.first_at = _LATEST
        self.is_open = True  # whether further lines can change it

    def feed(self, offset: int, line: bytes) -> None:
        """Add the next line; ignored once it is not open any more."""
        if not self.is_open or offset + len(line) >= HEAD:
            self.is_open = False
            return
        if self.first_at == _LATEST:
            self.first_at = _first_time(line)
        if _ANSWER in line:
            self.is_open = False
        elif _QUEUED in line:
            self.kind = BEGAN
        elif _PROGRAM in line and self.kind != BEGAN:
            self.kind = COPIED

    def feed_lines(self, offset: int, data: bytes) -> "FileStart":
        """Add the next whole lines."""
        start = 0
        while self.is_open and (end := data.find(b"\n", start)) >= 0:
            self.feed(offset + start, data[start:end])
            start = end + 1
        return self


def _first_time(line: bytes) -> int:
    match = _TIME.search(line)
    at = millis(match[1].decode("utf-8", "replace")) if match else None
    return _LATEST if at is None else at


def usage_claim(
    is_fork: bool, at: int | None, is_agent: bool, is_foreign: bool, start: FileStart
) -> bytes:
    """The file with the least claim owns a response: the one that had it first.

    A copy has the times of its original. Its lines say that they are copies (`is_fork`) or carry
    another session's id (`is_foreign`), or the file does not begin as a session does, or it began
    later.
    """
    kind = _FOREIGN if is_foreign else start.kind
    return _claim.pack(is_fork, at is None, at or 0, is_agent, kind, start.first_at)


def reported_claim(at: int | None, is_foreign: bool, start: FileStart) -> bytes:
    """The claim of a line that only reports an agent's response: any line of its own goes first."""
    return bytes([_REPORTED]) + usage_claim(False, at, True, is_foreign, start)[1:]


def is_reported(row: UsageRow) -> bool:
    """Whether a response is known from a report alone: no file has a line of its own for it."""
    return row.claim[0] == _REPORTED


def is_foreign(stated: str | None, session: str) -> bool:
    """Whether the session id on a line is not that of its file."""
    return bool(stated and session and stated != session)


def merge_usage(one: OwnedUsage, other: OwnedUsage) -> OwnedUsage:
    """Two rows about one response: counts of the better line, owner of the earlier file.

    Commutative, associative and idempotent. The price is left out: it depends on all lines.
    """
    a, b = one.row, other.row
    counts = a if (a.rank, a.model, a.tokens) >= (b.rank, b.model, b.tokens) else b
    owner = min(one, other, key=_by_claim)
    first = b.timestamp if a.timestamp is None else a.timestamp
    if a.timestamp is not None and b.timestamp is not None:
        first = min(a.timestamp, b.timestamp)
    row = UsageRow(
        a.message_key,
        counts.rank,
        owner.row.claim,
        first,
        a.is_finished or b.is_finished,
        counts.model,
        counts.tokens,
        owner.row.agent_id,
        owner.row.line_id,
    )
    return OwnedUsage(owner.project_id, owner.session_id, row)


def _by_claim(owned: OwnedUsage) -> tuple[bytes, str, str, str, int]:
    row = owned.row
    # A line that was read again has a later id, and the earlier one is gone.
    return row.claim, owned.project_id, owned.session_id, row.agent_id, -row.line_id


def merge_rows(rows: Iterable[OwnedUsage]) -> dict[str, OwnedUsage]:
    """One row for each response, by its key."""
    best: dict[str, OwnedUsage] = {}
    for owned in rows:
        key = owned.row.message_key
        known = best.setdefault(key, owned)
        if known is not owned:
            best[key] = merge_usage(known, owned)
    return best


def merge_lines(lines: Iterable[tuple[str, str, LineUsage]]) -> dict[str, OwnedUsage]:
    """One row for each response, from lines with the project and the session of their file."""
    return merge_rows(
        OwnedUsage(project, session, _line_row(session, line)) for project, session, line in lines
    )


def _line_row(session: str, line: LineUsage) -> UsageRow:
    at, foreign = millis(line.at), is_foreign(line.session_id, session)
    return UsageRow(
        response_key(line.message_id, "", ""),
        usage_rank(line.tokens.output, line.is_sidechain, line.is_finished, at),
        usage_claim(line.is_fork, at, line.is_sidechain, foreign, FileStart()),
        at,
        line.is_finished,
        line.model,
        line.tokens,
        "",
        0,
    )


def ledger_changes(
    rows: Mapping[str, OwnedUsage], ledger: Mapping[str, OwnedUsage], price: Price
) -> list[TotalRow]:
    """What merged rows add to the sums of a ledger; a row that changes is subtracted first."""
    changes: list[TotalRow] = []
    for key, owned in rows.items():
        known = ledger.get(key)
        now = owned if known is None else merge_usage(known, owned)
        if known is not None:
            if now == known._replace(row=known.row._replace(usd_pico=None)):
                continue
            changes += [_total(known, known.row.usd_pico, -1)] if is_used(known.row) else []
        changes += [_total(now, price(now.row), 1)] if is_used(now.row) else []
    return changes


def _total(owned: OwnedUsage, pico: int | None, sign: int) -> TotalRow:
    row, at = owned.row, max(0, owned.row.timestamp or 0)
    tokens = row.tokens
    counts = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write)
    flags = (pico or 0, pico is None, not row.is_finished, 1)
    group = at - at % QUARTER, owned.project_id, owned.session_id, row.agent_id, row.model
    signed = (sign * count for count in (*counts, tokens.web_searches, *flags))
    return (*group, *signed, at, at)
