"""Changed files -> what happened in their sessions, in the order it happened."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from unspool.cli.printing import TextCleaner
from unspool.cli.tail.events import EventStream, hook_events
from unspool.decode.lines import decode
from unspool.derive.reading.clock import iso, millis
from unspool.errors import UnspoolError
from unspool.model.files import Piece, Root, TailState, TranscriptFile
from unspool.model.happening import Happening, Kind
from unspool.model.hooks import HookEvent
from unspool.model.watch import Changed
from unspool.recall.hooks import HookTail, Once
from unspool.recall.registered import Registry
from unspool.source import tail
from unspool.source.files import TRANSCRIPT_KINDS
from unspool.source.lines import split
from unspool.source.session_files import transcript_files
from unspool.source.spool import spool_files
from unspool.source.watch import changed_file

_LIVE_MS: Final = 300_000
_CONTEXT: Final = 40  # lines read back so that a result finds its call
_REWRITTEN: Final = "The transcript was rewritten; what was told before is not told again."


class TailQuery(Struct, frozen=True):
    """What is followed: all sessions of some roots, or one."""

    roots: Sequence[Root]
    spool: str
    clean: TextCleaner
    only: str = ""


class Follower:
    """Start a watcher, then this; give it the files that the watcher says have changed."""

    def __init__(self, query: TailQuery, now: int) -> None:
        self._query = query
        self._began = now
        self._tails: dict[str, TranscriptTail] = {}
        self._registry = Registry(query.roots)
        self._alive = self._living()
        self._hooks = HookTail()
        self._once = Once()
        self._ended: set[str] = set()
        found = (file for root in query.roots for file in transcript_files(root))
        self._files = {file.path: file for file in found}

    def past(self, count: int) -> list[Happening]:
        """The last that happened in what is followed and live, and all that has come since."""
        live = set(self._alive)
        before: list[Happening] = []
        after: list[Happening] = []
        for file in filter(self._is_followed, self._files.values()):
            live.add(file.session_id or "")
            if file.kind in TRANSCRIPT_KINDS:
                old, new = self._begin(changed_file(file.path, file), file.size, count)
                before += old
                after += new
        for one in self._new_hooks(self._logged(live)):
            if one.session_id in live:
                (after if self._is_new(one) else before).append(one)
        last = _in_order(before)[-count:] if count else []
        return [*last, *_in_order(after)]

    def look(self, changed: Iterable[Changed], now: int) -> list[Happening]:
        """What the changed files tell."""
        told: list[Happening] = []
        for one in changed:
            if one.kind == "registry":
                self._registry.look(one.path, now)
            elif one.gone:
                told += self._lost(one, now)
            elif one.kind in TRANSCRIPT_KINDS:
                told += self._grown(one)
            elif one.kind in ("spool", "hook_log"):
                told += [h for h in self._new_hooks(self._events(one)) if self._is_new(h)]
        found = [*_in_order(told), *self._left(now)]
        wanted = (one for one in found if self._query.only in ("", one.session_id))
        return [one for one in wanted if self._is_no_second_end(one)]

    def _is_followed(self, file: TranscriptFile) -> bool:
        """Whether it is asked for by name, or is of a session that lives."""
        if self._query.only:
            return file.session_id == self._query.only
        lately = self._began - _LIVE_MS
        return file.session_id in self._alive or file.mtime_ns // 1_000_000 > lately

    def _begin(
        self, file: Changed, known: int, back: int = 0
    ) -> tuple[list[Happening], list[Happening]]:
        transcript = self._tails[file.path] = TranscriptTail(file, self._query.clean)
        return transcript.begin(known, back)

    def _grown(self, file: Changed) -> list[Happening]:
        if self._query.only not in ("", file.session_id):
            return []
        transcript = self._tails.get(file.path)
        if transcript is not None:
            return transcript.read()
        known = self._files.get(file.path)
        return self._begin(file, known.size if known else 0)[1]

    def _logged(self, live: set[str]) -> list[HookEvent]:
        logs = [f for f in self._files.values() if f.kind == "hook_log" and f.session_id in live]
        events = [
            event for log in logs for event in self._hooks.log(log.path, log.session_id or "")
        ]
        for file in spool_files(self._query.spool or os.devnull):
            events += self._hooks.spooled(file.path)
        return events

    def _events(self, one: Changed) -> Iterable[HookEvent]:
        if one.kind == "spool":
            return self._hooks.spooled(one.path)
        return self._hooks.log(one.path, one.session_id or "")

    def _new_hooks(self, events: Iterable[HookEvent]) -> list[Happening]:
        return list(hook_events(filter(self._once.is_new, events), self._query.clean))

    def _is_new(self, one: Happening) -> bool:
        return (millis(one.at) or self._began) >= self._began

    def _lost(self, file: Changed, now: int) -> list[Happening]:
        self._tails.pop(file.path, None)
        self._hooks.forget(file.path)
        if file.kind != "main":
            return []
        return [_note(file.session_id or "", now, "notice", "Its transcript was deleted.")]

    def _left(self, now: int) -> list[Happening]:
        """Sessions whose process is there no more."""
        self._registry.check()
        before, self._alive = self._alive, self._living()
        return [_note(id, now, "ended", "Its process is gone.") for id in before - self._alive]

    def _living(self) -> set[str]:
        return {id for id, one in self._registry.sessions().items() if one.alive}

    def _is_no_second_end(self, one: Happening) -> bool:
        """Hooks and registry both tell of an end."""
        if one.kind != "ended":
            if one.kind in ("started", "prompt"):
                self._ended.discard(one.session_id)
            return True
        is_first = one.session_id not in self._ended
        self._ended.add(one.session_id)
        return is_first


def _note(session_id: str, now: int, kind: Kind, text: str) -> Happening:
    return Happening(at=iso(now), session_id=session_id, kind=kind, text=text)


def _in_order(told: Iterable[Happening]) -> list[Happening]:
    return sorted(told, key=lambda one: one.at or "")


class TranscriptTail:
    """One growing transcript: what happened since the last look, however the file changes."""

    def __init__(self, file: Changed, clean: TextCleaner) -> None:
        self._file = file
        self._clean = clean
        self._events = EventStream(file, clean)
        self._state = TailState()
        self._last = ""
        self._again = ""  # up to this moment all was told before the file was rewritten

    def begin(self, known: int, back: int = 0) -> tuple[list[Happening], list[Happening]]:
        """What the last lines before a place tell, `back` of them or more, and what follows it."""
        count = _CONTEXT + 4 * back
        with suppress(UnspoolError):  # closed to us for now
            self._state = tail.near_end(self._file.path, known, count)
        before: deque[bytes] = deque(maxlen=count)
        after: list[bytes] = []
        for piece in self._pieces():
            for offset, line in split(piece.data, piece.base):
                (after if offset >= known else before).append(line)
        return self._happened(before), self._happened(after)

    def read(self) -> list[Happening]:
        """What was written since."""
        told: list[Happening] = []
        for piece in self._pieces():
            if piece.reset:
                told.append(self._rewritten())
            told += self._happened(line for _, line in split(piece.data, piece.base))
        return told

    def _pieces(self) -> Iterator[Piece]:
        more = True
        while more:
            try:
                piece = tail.read(self._file.path, self._state)
            except UnspoolError:
                return  # closed to us for now
            if piece.gone:
                return
            more = piece.more and (piece.reset or piece.state.offset > self._state.offset)
            self._state = piece.state
            yield piece

    def _happened(self, lines: Iterable[bytes]) -> list[Happening]:
        found = [one for line in lines for one in self._events.feed(decode(line))]
        self._last = max((one.at or "" for one in found), default="") or self._last
        return [one for one in found if not one.at or one.at > self._again]

    def _rewritten(self) -> Happening:
        self._events = EventStream(self._file, self._clean)
        self._again = self._last
        return Happening(
            at=self._last or None,
            session_id=self._file.session_id or "",
            project_id=self._clean.text(self._file.project_id),
            kind="notice",
            text=_REWRITTEN,
        )
