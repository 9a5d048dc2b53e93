"""Lines of one transcript, as they come -> what happened: prompts, answers, calls and results."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Raw, Struct

from unspool.cli.topping.clean import Clean
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.reading import texts
from unspool.derive.reading.clock import iso
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.story.tools import result_state
from unspool.model.happening import Happening, Kind
from unspool.model.message import Message, Piece
from unspool.model.transcript import Entry
from unspool.model.watch import Changed
from unspool.show.tools import registry, values

_SPEAKERS: Final = {
    "prompt": "You",
    "command": "You",
    "bash_input": "You",
    "teammate": "Teammate",
    "notification": "Background task",
    "stdout": "Output",
    "stderr": "Output",
    "bash_output": "Output",
}


class _Call(Struct, frozen=True):
    name: str
    given: Any
    at: int | None


class Telling:
    """Remembers the calls that wait for their result, and what was told before."""

    def __init__(self, file: Changed, clean: Clean) -> None:
        self._file = file
        self._project = clean.text(file.project_id)
        self._clean = clean
        self._repeats = Repeats()
        self._agents = InlineAgents()
        self._calls: dict[str, _Call] = {}
        self._line = 0

    def feed(self, entries: Sequence[Entry]) -> Iterator[Happening]:
        """What the next line tells."""
        self._line += 1
        for part, entry in enumerate(entries):
            message = read(entry, self._line, part)
            if message is None:
                continue
            if message.is_sidechain and not self._file.is_subagent:
                # Read from the middle, a chain may be called after the first line we saw of it.
                message = self._agents.name(message)
            fresh = self._repeats.fresh(message)
            if fresh is not None:
                yield from self._message(fresh, entry)

    def _message(self, message: Message, entry: Entry) -> Iterator[Happening]:
        if message.category == "compact":
            yield self._made(message, "notice", text="The conversation was compacted.")
        elif message.voice in _SPEAKERS:
            said = self._clean.text(texts.said(entry, message))
            yield self._made(message, "prompt", name=_SPEAKERS[message.voice], text=said)
        elif message.voice == "interruption":
            yield self._made(message, "notice", text="Interrupted by you.")
        for piece in message.pieces:
            if made := self._piece(message, piece, entry):
                yield made

    def _piece(self, message: Message, piece: Piece, entry: Entry) -> Happening | None:
        if piece.kind == "call":
            return self._called(message, piece, entry)
        if piece.kind == "result":
            return self._answered(message, piece, entry)
        if piece.kind == "text" and message.type == "assistant":
            said = self._clean.text(texts.block_text(entry, message, piece))
            return self._made(message, "answer", name="Claude", text=said)
        if piece.kind == "notice":
            said = self._clean.text(message.head or texts.said(entry, message))
            return self._made(message, "notice", text=said, is_error=piece.is_error)
        if piece.kind == "hook" and (message.head or piece.is_error):
            said = self._clean.text(message.head)
            return self._made(message, "hook", name=piece.name, text=said, is_error=piece.is_error)
        return None

    def _called(self, message: Message, piece: Piece, entry: Entry) -> Happening:
        given = self._value(texts.call_input(entry, piece))
        self._calls[piece.id] = _Call(piece.name, values.fields(given), message.at)
        told = registry.summary(piece.name, values.fields(given), None)
        return self._made(message, "call", name=piece.name, text=told, tool_use_id=piece.id)

    def _answered(self, message: Message, piece: Piece, entry: Entry) -> Happening:
        call = self._calls.pop(piece.id, _Call("", {}, None))
        state = result_state(piece)
        result = self._value(texts.result_content(entry, piece))
        told = registry.facts(call.name, call.given, result, failed=state != "ok")
        if state == "error" and not told:
            told = values.without_tags(values.said(result))
        spent = None if call.at is None or message.at is None else max(message.at - call.at, 0)
        return self._made(
            message, "result", name=call.name, text=told, state=state, tool_use_id=piece.id,
            duration_ms=spent,
        )  # fmt: skip

    def _value(self, raw: Raw) -> Any:
        return self._clean.value(values.read(raw))

    def _made(self, message: Message, kind: Kind, **fields: Any) -> Happening:
        file = self._file
        return Happening(
            at=iso(message.at),
            session_id=file.session_id or "",
            project_id=self._project,
            agent_id=agent_of(file) or (message.agent_id if message.is_sidechain else ""),
            kind=kind,
            **fields,
        )


def agent_of(file: Changed) -> str:
    """The agent whose file it is, by its name."""
    if not file.is_subagent:
        return ""
    return file.path.rpartition("/")[2].removeprefix("agent-").removesuffix(".jsonl")
