"""Messages -> responses: each API response once, however many lines and files repeat it."""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import astuple

from unspool.model.message import Message, Tokens
from unspool.model.usage import Response

# Output, on the main thread, says why it stopped, time; then the model, so that which of two
# equal lines is kept does not depend on the order the files are read in.
Rank: TypeAlias = tuple[int, bool, bool, int, str]


class Tally(Struct, gc=False):
    """A response so far: rank and tokens of the line that is kept, the rest of all lines."""

    rank: Rank
    tokens: Tokens
    line: int
    at: int | None
    finished: bool
    is_sidechain: bool
    is_copy: bool
    agent_id: str
    message_id: str
    request_id: str
    lines: int = 1


class Ledger:
    """The responses of one file, fed line by line."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = {}

    def feed(self, message: Message) -> None:
        """Take in the next message of the file."""
        if message.tokens is None:
            return
        name, tally = key(message), _tally(message, message.tokens)
        known = self.tallies.setdefault(name, tally)
        if known is not tally:
            _absorb(known, tally)

    def responses(self) -> list[Response]:
        """Every response of the file, in the order they began."""
        return [_response(key, tally) for key, tally in self.tallies.items()]


def by_line(responses: Iterable[Response]) -> dict[int, list[Response]]:
    """Find responses by their first line, to say which chunk or turn they belong to."""
    found: dict[int, list[Response]] = {}
    for response in responses:
        found.setdefault(response.line, []).append(response)
    return found


def merge(ledgers: Sequence[tuple[str, int, Ledger]]) -> dict[str, list[Response]]:
    """Credit each response to one owner, given the owner, depth and ledger of each file.

    The file with the earliest copy owns it, then the least deep, then the first given; a copy
    that a fork made owns only what no other file has. Files in the order they were begun keep
    their figures when a fork that left no mark appears.
    """
    copies: dict[str, list[tuple[str, int, Tally]]] = {}
    for owner, depth, ledger in ledgers:
        for key, tally in ledger.tallies.items():
            # A line number says nothing outside its file.
            name = f"l:{owner}:{key[2:]}" if key.startswith("l:") else key
            copies.setdefault(name, []).append((owner, depth, tally))
    owned: dict[str, list[Response]] = {owner: [] for owner, _, _ in ledgers}
    for name, found in copies.items():
        owner, whole = _settled(found)
        owned[owner].append(_response(name, whole))
    for responses in owned.values():
        responses.sort(key=lambda response: response.line)
    return owned


def _settled(found: list[tuple[str, int, Tally]]) -> tuple[str, Tally]:
    if len(found) == 1:
        return found[0][0], found[0][2]
    home = min(found, key=_claim)
    whole = copy(home[2])
    for other in found:
        if other is not home:
            _absorb(whole, other[2])
    return home[0], whole


def _claim(found: tuple[str, int, Tally]) -> tuple[bool, bool, int, int]:
    _, depth, tally = found
    return tally.is_copy, tally.at is None, tally.at or 0, depth


def key(message: Message) -> str:
    """What tells one response from another: its id, else its request's, else the line's own."""
    if message.message_id:
        return f"m:{message.message_id}"
    if message.request_id:
        return f"r:{message.request_id}"
    # A branch gives its copies new uuids, and names the old ones.
    uuid = (message.forked_from and message.forked_from[1]) or message.uuid
    return f"u:{uuid}" if uuid else f"l:{message.line}.{message.part}"


def _tally(message: Message, tokens: Tokens) -> Tally:
    at, finished = message.at, message.stop_reason != ""
    rank = (
        tokens.output,
        not message.is_sidechain,
        finished,
        -1 if at is None else at,
        message.model,
    )
    return Tally(
        rank,
        tokens,
        message.line,
        at,
        finished,
        message.is_sidechain,
        message.forked_from is not None,
        message.agent_id,
        message.message_id,
        message.request_id,
    )


def _absorb(known: Tally, other: Tally) -> None:
    """Add lines of a response to what is known of it; one line is kept whole, never a mixture."""
    if other.rank > known.rank or (
        other.rank == known.rank and astuple(other.tokens) > astuple(known.tokens)
    ):
        known.rank, known.tokens = other.rank, other.tokens
    if known.at is None or (other.at is not None and other.at < known.at):
        known.at = other.at
    known.finished = known.finished or other.finished
    known.is_sidechain = known.is_sidechain and other.is_sidechain
    known.request_id = known.request_id or other.request_id
    known.lines += other.lines


def _response(key: str, tally: Tally) -> Response:
    return Response(
        key=key,
        model=tally.rank[4],
        at=tally.at,
        tokens=tally.tokens,
        finished=tally.finished,
        is_sidechain=tally.is_sidechain,
        agent_id=tally.agent_id,
        line=tally.line,
        message_id=tally.message_id,
        request_id=tally.request_id,
        lines=tally.lines,
    )
