"""Lines of one file -> its answers: of each the line that counts and the line that was first.

The rules are the ledger's (`UsageRow`). A file that asks for more than the common case is `Odd`,
and is read in full.
"""

from typing import Final

from msgspec import Struct

from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import Line, Spoken, Used
from unspool.ingest.scan.times import moment

_LENGTH: Final = len("2026-01-31T12:00:00.000Z")
_SYNTHETIC: Final = "<synthetic>"


class Odd(Exception):
    """A line that only the whole file explains."""


class Answer(Struct, gc=False):
    """One API response in one file: the line that counts, the earliest, and where that begins."""

    line: Line
    body: Spoken
    used: Used
    first: Line
    place: int
    finished: bool
    first_at: int = 0
    at: int = 0  # of the line that counts


class Answers:
    """What one generation of a file says, told line by line."""

    def __init__(self, source_id: int, generation: int) -> None:
        self._known: dict[str, Answer] = {}
        self._source = source_id
        self._generation = generation

    def take(self, line: Line, place: int) -> None:
        """Add a line; Odd where it cannot be told apart from others by its own words."""
        body = line.message
        if line.type != "assistant" or body is None:
            return
        used, at = body.usage, line.timestamp
        if used is None or body.model == _SYNTHETIC:
            return
        # Times in the usual form are in order as texts are.
        if not body.id or at is None or len(at) != _LENGTH or at[23] != "Z":
            raise Odd
        known = self._known.get(body.id)
        if known is None:
            self._known[body.id] = Answer(line, body, used, line, place, bool(body.stop_reason))
        else:
            self._again(known, line, body, used, place)

    def settle(self) -> dict[str, Answer]:
        """All of them, their times read; Odd where one has none."""
        for answer in self._known.values():
            first_at = at = moment(answer.first.timestamp or "")
            if answer.line is not answer.first:
                at = moment(answer.line.timestamp or "")
            if first_at is None or at is None:
                raise Odd
            answer.first_at, answer.at = first_at, at
        return self._known

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
