"""One transcript file on disk -> the little a live board keeps of it, fed as it grows."""

import os
from collections.abc import Callable, Iterable, Sequence

from unspool.decode.sidecars import agent_meta
from unspool.derive.agents.facts import WARMUP
from unspool.derive.agents.links import is_process
from unspool.derive.fold_state import unpack
from unspool.derive.story.ongoing import is_ongoing
from unspool.derive.transcript import Record, TranscriptFold, batched
from unspool.engine.transcript import decoded
from unspool.errors import UnspoolError
from unspool.model.files import TailRead, TailState
from unspool.model.message import LinkFacts
from unspool.model.rows import SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.source import tail
from unspool.source.safe_open import read_at, read_whole
from unspool.store import Store

_LONGEST_SIDECAR = 1024 * 1024


class Replaced(Exception):
    """The file was replaced: what was known of it no longer holds."""


class Growing:
    """Reads on where it stopped."""

    def __init__(
        self,
        path: str,
        fold: TranscriptFold,
        tell: Callable[[Sequence[Record]], object] | None = None,
    ) -> None:
        self.path = path
        self.fold = fold
        self._tell = tell
        self._state = TailState()
        self._meta: AgentMeta | None = None
        self._uuids: Callable[[], Iterable[tuple[str, str]]] | None = None  # not yet asked for

    def resume(self, store: Store, source: SourceRow) -> bool:
        """Go on from what the index has of the file; False where it has to be read."""
        id, generation = source.source_id, source.generation
        offset, packed = store.fold_state(id, generation) or (0, b"")
        state = unpack(packed) if 0 < offset <= source.offset else None
        if state is None:
            return False
        self.fold.resume(state, ())
        self._state = source.tail
        self._uuids = lambda: store.message_uuids(id, generation, offset)
        if self.fold.about.asks_for_uuids:
            self._load_uuids()
        if offset < source.offset:
            self._feed(_piece(self.path, offset, source.tail))
        return True

    def _load_uuids(self) -> None:
        if self._uuids is not None:
            self.fold.add_uuids(self._uuids())
            self._uuids = None

    def read(self) -> None:
        """Take in what was written since; Replaced where that was all of it."""
        more = True
        while more:
            try:
                piece = tail.read(self.path, self._state)
            except UnspoolError:
                return  # closed to us for now
            if piece.gone:
                return
            if piece.reset:
                raise Replaced
            more = piece.more and piece.state.offset > self._state.offset
            self._state = piece.state
            self._feed(piece)

    def _feed(self, piece: TailRead) -> None:
        if piece.data:
            self._load_uuids()
        self.fold.start.feed_lines(piece.base, piece.data)
        for lines in batched(decoded(piece)):
            delta = self.fold.feed(lines)
            if self._tell is not None:
                self._tell(delta.records)

    @property
    def last_write(self) -> int:
        """When the file was last written, in milliseconds."""
        return self._state.mtime_ns // 1_000_000

    def is_ongoing(self, now: int) -> bool:
        """Whether somebody is at work on it."""
        return is_ongoing(self.fold.status.is_ongoing, self.last_write, now)

    def inline_at_work(self, now: int) -> list[tuple[TranscriptFold, str]]:
        """The agents that write into this file now, each with its first prompt."""
        if not self.fold.status.has_sent:
            return []
        return [
            (fold, fold.known().goal or id)
            for id, fold in self.fold.inline.items()
            if is_ongoing(fold.status.is_ongoing, self.last_write, now)
        ]

    @property
    def errand(self) -> str:
        """What an agent was sent to do, by its sidecar, else by its first prompt."""
        if self._meta is None:
            path = self.path.removesuffix(".jsonl") + ".meta.json"
            data = read_whole(path, _LONGEST_SIDECAR) or b""
            self._meta = agent_meta(data) if data else None
        told = self._meta and (self._meta.description or self._meta.agent_type)
        return told or self.fold.known().goal or agent_of(self.path)


def _piece(path: str, offset: int, end: TailState) -> TailRead:
    """The lines between the offset of a fold's state and that of the checkpoint."""
    return TailRead(end, end.generation, offset, read_at(path, offset, end.offset - offset))


def agent_of(path: str) -> str:
    """The agent whose file this is, by its name."""
    return os.path.basename(path).removeprefix("agent-").removesuffix(".jsonl")


def is_shown(agent_id: str, fold: TranscriptFold) -> bool:
    """Whether somebody asked for an agent's work."""
    is_warmup = fold.known().opening.strip() == WARMUP
    return is_process(LinkFacts(id=agent_id, messages=fold.messages, is_warmup=is_warmup))
