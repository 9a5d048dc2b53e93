"""Lines about API responses -> each response once: which line counts, and whose it is.

One response is told by several lines, in several files: streamed pieces, sidechains, forks,
resumed and copied sessions. Nothing here depends on the order they are read in. It loads no
model, so that a status line can use it too.
"""

import re
import struct
from collections.abc import Iterable, Mapping
from typing import Final

from unspool.derive.reading.clock import millis
from unspool.model.usage import OwnedUsage, Price, TotalRow, UsageRow

QUARTER: Final = 900_000  # milliseconds: usage is summed by quarters of an hour
HEAD: Final = 64 * 1024

# How a file begins: as the start of its session, as nobody can tell, as a copy would.
BEGAN, UNKNOWN, COPIED = range(3)
_FOREIGN: Final = 3

# What is written when a session is given its first prompt; a copy leaves it behind.
_QUEUED: Final = b'"queue-operation"'
# Programs always write it: where one is named without it, the session began elsewhere.
_PROGRAM: Final = b'"entrypoint":"sdk'
_ANSWER: Final = b'"assistant"'
_TIME: Final = re.compile(rb'"timestamp":"([^"\\\n]{1,40})"')

_rank: Final = struct.Struct(">QBBQ")
_claim: Final = struct.Struct(">BBQBBQ")
_LATEST: Final = (1 << 63) - 1


def response_key(message_id: str, request_id: str, uuid: str) -> str:
    """What tells one response from another: its id, else its request's, else its line's.

    A branch gives its copies new uuids: `uuid` is the original's. "" where a line has none of
    these: its place names it then (`place_key`).
    """
    if message_id:
        return f"m:{message_id}"
    if request_id:
        return f"r:{request_id}"
    return f"u:{uuid}" if uuid else ""


def place_key(source: int | str, line: int, part: int) -> str:
    """The key of a response without any id: no other line can be about it."""
    return f"l:{source}:{line}.{part}"


def rank(output: int, is_sidechain: bool, is_final: bool, at: int | None) -> bytes:
    """Of all lines of a response the greatest counts: most output, main thread, final, latest."""
    return _rank.pack(output, not is_sidechain, is_final, 0 if at is None else at + 1)


class FileStart:
    """How a file begins, up to its first answer: what tells an original from an unmarked copy."""

    def __init__(self) -> None:
        self.kind = UNKNOWN
        self.first_at = _LATEST
        self.is_open = True  # whether more lines can tell more

    def feed(self, offset: int, line: bytes) -> None:
        """Take in the next line, for as long as it is open."""
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
        """Take in the next whole lines."""
        start = 0
        while self.is_open and (end := data.find(b"\n", start)) >= 0:
            self.feed(offset + start, data[start:end])
            start = end + 1
        return self


def _first_time(line: bytes) -> int:
    found = _TIME.search(line)
    at = millis(found[1].decode("utf-8", "replace")) if found else None
    return _LATEST if at is None else at


def claim(
    is_fork: bool, at: int | None, is_agent: bool, is_foreign: bool, start: FileStart
) -> bytes:
    """Of all files that have a response the least owns it: the one that had it first.

    A copy has the times of what it copies. It says so (`is_fork`), or its lines still carry
    another session's id (`is_foreign`), or the file does not begin as a session does, or it was
    begun later.
    """
    kind = _FOREIGN if is_foreign else start.kind
    return _claim.pack(is_fork, at is None, at or 0, is_agent, kind, start.first_at)


def is_foreign(stated: str | None, session: str) -> bool:
    """Whether a line says that it is of another session than its file."""
    return bool(stated and session and stated != session)


def merged(one: OwnedUsage, other: OwnedUsage) -> OwnedUsage:
    """Two rows about one response: counts of the better line, owner of the earlier file.

    In any order and any number of times: commutative, associative and idempotent. The price is
    left out, for it depends on the whole.
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


def settled(rows: Iterable[OwnedUsage]) -> dict[str, OwnedUsage]:
    """One row for each response, whatever order its lines come in."""
    best: dict[str, OwnedUsage] = {}
    for owned in rows:
        key = owned.row.message_key
        known = best.setdefault(key, owned)
        if known is not owned:
            best[key] = merged(known, owned)
    return best


def added_totals(
    rows: Mapping[str, OwnedUsage], ledger: Mapping[str, OwnedUsage], price: Price
) -> list[TotalRow]:
    """What settled rows add to the sums of a ledger; what changes of its own is taken out first.

    A row without a project is of the one that the ledger knows.
    """
    found: list[TotalRow] = []
    for key, owned in rows.items():
        known = ledger.get(key)
        project = owned.project_id or (known.project_id if known else "")
        now = owned if known is None else merged(known, owned._replace(project_id=project))
        if known is not None:
            if now == known._replace(row=known.row._replace(usd_pico=None)):
                continue
            found.append(_total(known, known.row.usd_pico, -1))
        found.append(_total(now, price(now.row), 1))
    return found


def _total(owned: OwnedUsage, pico: int | None, sign: int) -> TotalRow:
    row, at = owned.row, max(0, owned.row.timestamp or 0)
    tokens = row.tokens
    counts = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write)
    flags = (pico or 0, pico is None, not row.is_finished, 1)
    name = at - at % QUARTER, owned.project_id, owned.session_id, row.agent_id, row.model
    counted = (sign * count for count in (*counts, tokens.web_searches, *flags))
    return (*name, *counted, at, at)
