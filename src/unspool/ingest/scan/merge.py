"""Lines of one file -> its answers: of each the line that counts and the line that was first.

The rules are the ledger's (`UsageRow`). A file that asks for more than the common case is `Odd`,
and is read in full.
"""

from typing import Final

from msgspec import Struct

from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import Line, Spoken, Used, decode, other_name, tokens_of
from unspool.ingest.scan.times import moment
from unspool.model.message import Tokens

# In every answer's line, and between quotes that are not escaped in nobody's text: whatever lies
# between two of these need not be read.
_WORD: Final = b'"assistant"'
_LENGTH: Final = len("2026-01-31T12:00:00.000Z")
_SYNTHETIC: Final = "<synthetic>"


class Odd(Exception):
    """A line that only the whole file explains."""


class Answer(Struct, gc=False):
    """One API response in one file so far: the line that counts, the earliest, and its place."""

    line: Line
    body: Spoken
    used: Used
    first: Line
    place: int
    finished: bool


class Told(Struct, frozen=True, gc=False):
    """One API response in one file: what the ledger asks of it, and no more."""

    tokens: Tokens
    model: str
    first_at: int
    at: int  # of the line that counts
    place: int  # of the first line
    agent_id: str
    is_sidechain: bool
    is_fork: bool
    is_final: bool  # the line that counts says why it stopped
    is_finished: bool  # some line does


class Answers:
    """What one generation of a file says, told line by line."""

    def __init__(self, source_id: int, generation: int) -> None:
        self._known: dict[str, Answer] = {}
        self._source = source_id
        self._generation = generation

    def read(self, data: bytes, base: int) -> list[tuple[int, int]]:
        """Take in the lines of a window; gives the places of those that need a closer look.

        Everything is done in this one loop: it goes round for every answer ever written.
        """
        known, closer = self._known, []
        find, rfind, view = data.find, data.rfind, memoryview(data)
        hit = find(_WORD)
        while hit >= 0:
            begin, end = rfind(b"\n", 0, hit) + 1, find(b"\n", hit)
            end = end if end >= 0 else len(data)
            hit = find(_WORD, end)
            try:
                line = decode(view[begin:end])
            except (ValueError, RecursionError):
                closer.append((begin, end))
                continue
            body, at = line.message, line.timestamp
            if body is None or line.type != "assistant" or body.model == _SYNTHETIC:
                continue
            used, id = body.usage, body.id or other_name(line, view[begin:end])
            if used is None:
                continue
            # Times in the usual form are in order as texts are.
            if not id or at is None or len(at) != _LENGTH or at[23] != "Z":
                raise Odd
            if id in known:
                self._again(known[id], line, body, used, base + begin)
            else:
                stopped = bool(body.stop_reason)
                known[id] = Answer(line, body, used, line, base + begin, stopped)
        return closer

    def settle(self) -> dict[str, Told]:
        """All of them, their times read; Odd where one has none."""
        return {name: _told(answer) for name, answer in self._known.items()}

    def _again(self, known: Answer, line: Line, body: Spoken, used: Used, place: int) -> None:
        first, at = known.first, line.timestamp or ""
        if (
            line.is_sidechain != first.is_sidechain
            or line.agent_id != first.agent_id
            or (line.forked_from is None) != (first.forked_from is None)
        ):
            raise Odd
        earliest = first.timestamp or ""
        if at < earliest or (at == earliest and self._outranks(place, known.place)):
            known.first, known.place = line, place
        finished = bool(body.stop_reason)
        known.finished = known.finished or finished
        output, held = used.output_tokens or 0, known.used.output_tokens or 0
        if output > held or (output == held and _is_higher(known, line, finished)):
            known.line, known.body, known.used = line, body, used

    def _outranks(self, place: int, other: int) -> bool:
        """Of two lines of one moment the ledger names the one with the greater id."""
        one, two = (line_id(self._source, self._generation, at, 0) for at in (place, other))
        return one > two


def _is_higher(known: Answer, line: Line, finished: bool) -> bool:
    """Whether a line of as much output ranks higher: finished, then later."""
    held = bool(known.body.stop_reason)
    if finished != held:
        return finished
    if line.timestamp != known.line.timestamp:
        return (line.timestamp or "") > (known.line.timestamp or "")
    if line.message != known.body:
        raise Odd
    return False


def _told(answer: Answer) -> Told:
    first = answer.first
    first_at = at = moment(first.timestamp or "")
    if answer.line is not first:
        at = moment(answer.line.timestamp or "")
    if first_at is None or at is None:
        raise Odd
    is_sidechain = first.is_sidechain is True
    return Told(
        tokens_of(answer.used),
        answer.body.model or "",
        first_at,
        at,
        answer.place,
        (first.agent_id or "") if is_sidechain else "",
        is_sidechain,
        first.forked_from is not None,
        bool(answer.body.stop_reason),
        answer.finished,
    )
