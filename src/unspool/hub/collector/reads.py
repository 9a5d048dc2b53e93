"""Raw lines that somebody asks for through the hub: only where the user allows it, and noted."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from unspool.errors import UnspoolError
from unspool.model.rows import SourceRow
from unspool.model.secondary import MOST_READ, LinesMessage, RawPlace, ReadMessage, ReadPart
from unspool.model.shipping import WITH_BYTES, ShipMode
from unspool.redact.cover import LineCover
from unspool.store import Store
from unspool.system.files import open_no_link

READS: Final = "reads.jsonl"
_PART: Final = 256 * 1024  # bytes of one message: in base64 they are a third more
_NOT_ALLOWED: Final = "This machine does not allow reads: set allow_reads in [hub] of unspool.toml."
_NOT_IN_MODE: Final = "This machine sends no lines, so none can be read: mode {}."
_TOO_MUCH: Final = f"A read may have up to {MOST_READ:,} bytes."
_NOT_SENT: Final = "This machine has not sent that source, or keeps it private."
_GONE: Final = "The requested bytes do not exist."
_NO_LINE: Final = "In this mode only whole lines can be read."


class RawReads:
    """Answers reads; each is noted in `reads.jsonl` before anything leaves."""

    def __init__(
        self,
        store: Store,
        *,
        is_shipped: Callable[[SourceRow], bool],
        mode: ShipMode,
        is_allowed: bool,
        home: Path,
        now: Callable[[], int],
    ) -> None:
        self._store, self._is_shipped, self._mode = store, is_shipped, mode
        self._is_allowed, self._path, self._now = is_allowed, home / READS, now

    def answer(self, asked: ReadMessage) -> Iterator[LinesMessage]:
        """The lines in some messages, or one that says why not."""
        try:
            found = self._found(asked)
        except (UnspoolError, OSError) as error:
            found = f"This machine cannot read it: {error}"
        try:
            self._note(asked, found if isinstance(found, str) else "")
        except OSError as error:
            found = f"{READS} cannot be written ({error.strerror}), so nothing is read."
        if isinstance(found, str):
            yield LinesMessage(id=asked.id, refused=found[:1_000])
            return
        parts = [
            ReadPart(number, data[at : at + _PART])
            for number, data in enumerate(found)
            for at in range(0, len(data), _PART)
        ]
        for number, part in enumerate(parts, 1):
            yield LinesMessage(id=asked.id, items=(part,), more=number < len(parts))

    def _found(self, asked: ReadMessage) -> list[bytes] | str:
        if not self._is_allowed:
            return _NOT_ALLOWED
        if self._mode not in WITH_BYTES:
            return _NOT_IN_MODE.format(self._mode)
        if sum(one.length for one in asked.places) > MOST_READ:
            return _TOO_MUCH
        found: list[bytes] = []
        for place in asked.places:
            data = self._bytes(place)
            if isinstance(data, str):
                return data
            found.append(data)
        return found

    def _bytes(self, place: RawPlace) -> bytes | str:
        source = self._store.source(place.local_id)
        if source is None or not self._is_shipped(source):
            return _NOT_SENT
        # With the byte before, which says whether a line begins here.
        before = min(1, place.offset)
        data = self._store.raw(
            place.local_id, place.generation, place.offset - before, place.length + before
        )
        if data is None:
            return _GONE
        if self._mode == "raw":
            return data[before:]
        begins = before == 0 or data[:1] == b"\n"
        if not begins or not data.endswith(b"\n"):
            return _NO_LINE  # a piece of a secret is not known for one
        return LineCover().covered(data[before:])

    def _note(self, asked: ReadMessage, refused: str) -> None:
        entry = {"at": self._now(), "by": asked.by, "places": asked.places, "refused": refused}
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with os.fdopen(open_no_link(self._path, flags), "ab") as out:
            out.write(msgspec.json.encode(entry) + b"\n")
