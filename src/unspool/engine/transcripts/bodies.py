"""Places -> texts: the lines a window shows, read back and decoded again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from msgspec import Raw
from msgspec.json import decode as from_json
from msgspec.json import encode as to_json

from unspool.decode.lenient import valid_json
from unspool.decode.lines import decode
from unspool.decode.tool_calls import tool_facts
from unspool.derive.reading import texts
from unspool.derive.story.tools import Call
from unspool.derive.transcript import TranscriptFold
from unspool.engine.archive.reader import SessionOutputs
from unspool.errors import UnspoolError
from unspool.model.blocks import NULL
from unspool.model.message import Message, Piece
from unspool.model.transcript import Entry, Oversize, Unreadable
from unspool.source.claude_code import MAX_LINE_BYTES
from unspool.source.safe_open import OpenFile
from unspool.source.sidecars import pointer_in

MOST_SHOWN = 1024 * 1024  # of a long output
_MISSING = Unreadable("no such record", b"")


class Readable(Protocol):
    """Bytes that can be read from any place on."""

    def read(self, offset: int, length: int) -> bytes: ...


class Bodies:
    """Reads back from one file; the last line stays at hand, for its other blocks."""

    def __init__(self, file: Readable, fold: TranscriptFold, outputs: SessionOutputs) -> None:
        self._file = file
        self._fold = fold
        self._outputs = outputs
        self.is_typed = True  # whether results are given by their tools' fields too
        self._line = 0
        self._entries: tuple[Entry, ...] = ()

    def entries(self, line: int) -> tuple[Entry, ...]:
        """All records of one line."""
        if line != self._line:
            offset, length = self._fold.place(line)
            too_long = length > MAX_LINE_BYTES
            self._entries = (
                (Oversize(length),) if too_long else decode(self._file.read(offset, length))
            )
            self._line = line
        return self._entries

    def raw(self, line: int) -> bytes:
        """One line as it lies in the file."""
        return self._file.read(*self._fold.place(line))

    def entry(self, line: int, part: int = 0) -> Entry:
        """One record of one line."""
        entries = self.entries(line)
        return entries[part] if part < len(entries) else _MISSING

    def text(self, message: Message, piece: Piece) -> str:
        """The text of one piece."""
        return texts.block_text(self.entry(message.line, message.part), message, piece)

    def said(self, message: Message) -> str:
        """All that a prompt, a command's output or a summary says."""
        return texts.said(self.entry(message.line, message.part), message)

    def given(self, call: Call) -> Raw:
        """A tool call's input."""
        return _sound(texts.call_input(self.entry(call.line, call.message.part), call.piece))

    def answered(self, call: Call) -> Raw | None:
        """A tool call's result, read from its own file where it was too long for the line."""
        if call.reply is None or call.result is None:
            return None
        entry = self.entry(call.reply.line, call.reply.part)
        content = texts.result_content(entry, call.result)
        spilled = self._persisted(content) if call.result.flag == "persisted" else None
        return spilled or _sound(content)

    def noted(self, call: Call) -> dict[str, Any]:
        """What Claude Code noted of a result, by its tool; nothing where that is not asked for."""
        return tool_facts(call.piece.name, self.structured(call)) if self.is_typed else {}

    def structured(self, call: Call) -> Raw:
        """The same as it was written."""
        if call.reply is None or call.result is None:
            return NULL
        return texts.structured(self.entry(call.reply.line, call.reply.part), call.result)

    def _persisted(self, content: Raw) -> Raw | None:
        try:
            text = from_json(content, type=str)
        except ValueError:
            return None
        data = self._outputs.read(pointer_in(text), MOST_SHOWN)
        return None if data is None else Raw(to_json(data.decode("utf-8", "replace")))


def _sound(raw: Raw) -> Raw:
    """The same JSON as any reader takes it; a string of it where none does."""
    data = bytes(raw)
    return Raw(valid_json(data) or to_json(data.decode("utf-8", "replace")))


@contextmanager
def bodies(path: str, fold: TranscriptFold, outputs: SessionOutputs) -> Iterator[Bodies | None]:
    """Open a file for reading back; None where it is gone by now."""
    try:
        file = OpenFile(path)
    except UnspoolError:
        yield None
        return
    with file:
        yield Bodies(file, fold, outputs)
