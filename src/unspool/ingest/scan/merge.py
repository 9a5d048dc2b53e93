"""Lines of one file -> its answers: of each the line that counts, and where the first one was.

The rules are the ledger's (`UsageRow`). A file that asks for more than the common case is `Odd`,
and is read in full.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from unspool.derive.agents.inline import as_id
from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import Used, decode, other_name
from unspool.ingest.scan.times import moment

# In every answer's line, and between quotes that are not escaped in nobody's text: whatever lies
# between two of these need not be read.
_WORD: Final = b'"assistant"'
_TYPE: Final = "assistant"
_NOBODY: Final = "<synthetic>"


class Odd(Exception):
    """A line that only the whole file explains."""


Told: TypeAlias = tuple[bool | None, str | None, str | None, bool]


class Side:
    """Where in a session a line was written; of one file's lines most have the same."""

    def __init__(self, told: Told, agent: str) -> None:
        is_sidechain, agent_id, self.session_id, self.is_fork = told
        self.is_aside = is_sidechain is True
        self.agent_id = agent
        if self.is_aside and not agent:
            self.agent_id = as_id(agent_id or "")
            if not self.agent_id:
                raise Odd  # the lines it hangs from say whose it is


class Answer(Struct, gc=False):
    """One API response in one file: the line that counts, time and place of the earliest."""

    used: Used
    model: str
    side: Side
    at: int
    is_final: bool  # that line says why it stopped
    first_at: int
    place: int
    is_finished: bool  # some line does


class Answers:
    """What one generation of a file says, told line by line; `agent` is the one it is of."""

    def __init__(self, agent: str = "") -> None:
        self.known: dict[str, Answer] = {}
        self.agent = agent
        self._sides: dict[Told, Side] = {}
        self._models: dict[str, str] = {}

    def read(self, data: bytes, base: int, stop: int) -> list[tuple[int, int]]:
        """Take in the lines up to `stop`; gives the places of those that need a closer look.

        Everything is done in this one loop: it goes round for every answer ever written.
        """
        setdefault, closer = self.known.setdefault, []
        sides, models = self._sides, self._models.setdefault
        find, rfind, view = data.find, data.rfind, memoryview(data)
        hit = find(_WORD, 0, stop)
        while hit >= 0:
            begin, end = rfind(b"\n", 0, hit) + 1, find(b"\n", hit, stop)
            end = end if end >= 0 else stop
            hit = find(_WORD, end, stop)
            try:
                line = decode(view[begin:end])
            except (ValueError, RecursionError):
                closer.append((begin, end))
                continue
            body = line.message
            if body is None or body.usage is None or line.type != _TYPE or body.model == _NOBODY:
                continue
            id, at = body.id or other_name(line, view[begin:end]), moment(line.timestamp or "")
            if not id or at is None:
                raise Odd
            model, stopped = body.model or "", bool(body.stop_reason)
            told = line.is_sidechain, line.agent_id, line.session_id, line.forked_from is not None
            side = sides.get(told)
            if side is None:
                side = sides[told] = Side(told, self.agent)
            # One text for all of them: they stay until all is written down.
            model = models(model, model)
            answer = Answer(body.usage, model, side, at, stopped, at, base + begin, stopped)
            known = setdefault(id, answer)
            if known is not answer:
                _merge(known, answer)
        return closer


def _merge(known: Answer, other: Answer) -> None:
    if known.side is not other.side:
        raise Odd
    at = other.at
    if at < known.first_at or (at == known.first_at and _outranks(other, known)):
        known.first_at, known.place = at, other.place
    output, most = other.used.output_tokens or 0, known.used.output_tokens or 0
    if output > most or (output == most and _is_higher(other, known)):
        known.used, known.model = other.used, other.model
        known.at, known.is_final = at, other.is_final
    known.is_finished = known.is_finished or other.is_finished


def _outranks(one: Answer, other: Answer) -> bool:
    """Of two lines of one moment the ledger names the one with the greater id."""
    return line_id(one.place, 0) > line_id(other.place, 0)


def _is_higher(other: Answer, known: Answer) -> bool:
    """Whether a line of as much output ranks higher: finished, then later."""
    if other.is_final != known.is_final:
        return other.is_final
    if other.at == known.at and (other.used, other.model) != (known.used, known.model):
        raise Odd
    return other.at > known.at
