"""WatchEvent files -> what happened in their sessions, in the order it happened."""

import os
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from unspool.decode.lines import decode, is_whole
from unspool.derive.hooks import Distinct, event_key
from unspool.derive.reading.clock import iso, millis
from unspool.derive.transcript import Line
from unspool.engine.archive.redacted import TextCleaner
from unspool.engine.export.events import EventStream, hook_events
from unspool.engine.hooks.events import HookTail
from unspool.engine.quota import RecentQuota, no_quota
from unspool.engine.sessions.registry import Registry
from unspool.errors import UnspoolError
from unspool.model.files import Root, TailRead, TailState, TranscriptFile, WatchEvent
from unspool.model.hooks import HookEvent
from unspool.model.live import LiveEvent, LiveEventKind
from unspool.source import tail
from unspool.source.claude_code import QUIET_MS
from unspool.source.files import TRANSCRIPT_KINDS
from unspool.source.session_files import transcript_files
from unspool.source.spool import spool_files
from unspool.source.tail import split_lines
from unspool.source.watch import watch_event

_LIVE_MS: Final = 300_000
_CONTEXT: Final = 40  # lines read back so that a result finds its call
_REWRITTEN: Final = "The transcript was rewritten. Events shown before are not repeated."


class FollowQuery(Struct, frozen=True):
    """What is followed: all sessions of some roots, or one."""

    roots: Sequence[Root]
    spool: str
    clean: TextCleaner
    only: str = ""
    quota: RecentQuota = no_quota


class Follower:
    """Start a watcher, then this; give it the files that the watcher says have changed."""

    def __init__(self, query: FollowQuery, now: int) -> None:
        self._query = query
        self._began = now
        self._tails: dict[str, TranscriptTail] = {}
        self._registry = Registry(query.roots)
        self._alive = self._live_sessions()
        self._hooks = HookTail()
        self._distinct = defaultdict[str, Distinct](Distinct)  # by session
        self._ended: set[str] = set()
        found = (file for root in query.roots for file in transcript_files(root))
        self._files = {file.path: file for file in found}

    def past(self, count: int) -> list[LiveEvent]:
        """The last that happened in what is followed and live, and all that has come since."""
        live = set(self._alive)
        before: list[LiveEvent] = []
        after: list[LiveEvent] = []
        for file in filter(self._is_followed, self._files.values()):
            live.add(file.session_id or "")
            if file.kind in TRANSCRIPT_KINDS:
                old, new = self._begin(watch_event(file.path, file), file.size, count)
                before += [*old, *self._tails[file.path].unfinished(self._began)]
                after += new
        for one in self._from_hooks(self._known_hooks(live)):
            if one.session_id in live:
                (after if self._is_new(one) else before).append(one)
        last = _in_order(before)[-count:] if count else []
        return [*last, *_in_order(after)]

    def look(self, changed: Iterable[WatchEvent], now: int) -> list[LiveEvent]:
        """What happened according to the changed files."""
        events: list[LiveEvent] = []
        for one in changed:
            if one.kind == "registry":
                self._registry.look(one.path, now)
            elif one.gone:
                events += self._deleted(one, now)
            elif one.kind in TRANSCRIPT_KINDS:
                events += self._grown(one)
            elif one.kind in ("spool", "hook_log"):
                hooks = self._from_hooks(self._changed_hooks(one))
                events += filter(self._is_new, hooks)
        for transcript in self._tails.values():
            events += transcript.unfinished(now)
        found = [*_in_order(events), *self._exited(now)]
        wanted = (one for one in found if self._query.only in ("", one.session_id))
        return [one for one in wanted if not self._is_second_end(one)]

    def _is_followed(self, file: TranscriptFile) -> bool:
        """Whether it is asked for by name, or is of a session that lives."""
        if self._query.only:
            return file.session_id == self._query.only
        lately = self._began - _LIVE_MS
        return file.session_id in self._alive or file.mtime_ns // 1_000_000 > lately

    def _begin(
        self, file: WatchEvent, known: int, back: int = 0
    ) -> tuple[list[LiveEvent], list[LiveEvent]]:
        transcript = self._tails[file.path] = TranscriptTail(
            file, self._query.clean, self._query.quota
        )
        return transcript.begin(known, back)

    def _grown(self, file: WatchEvent) -> list[LiveEvent]:
        if self._query.only not in ("", file.session_id):
            return []
        transcript = self._tails.get(file.path)
        if transcript is not None:
            return transcript.read()
        known = self._files.get(file.path)
        return self._begin(file, known.size if known else 0)[1]

    def _known_hooks(self, live: set[str]) -> list[HookEvent]:
        logs = [f for f in self._files.values() if f.kind == "hook_log" and f.session_id in live]
        events = [
            event for log in logs for event in self._hooks.log(log.path, log.session_id or "")
        ]
        for file in spool_files(self._query.spool or os.devnull):
            events += self._hooks.spooled(file.path)
        return events

    def _changed_hooks(self, one: WatchEvent) -> Iterable[HookEvent]:
        if one.kind == "spool":
            return self._hooks.spooled(one.path)
        return self._hooks.log(one.path, one.session_id or "")

    def _from_hooks(self, events: Iterable[HookEvent]) -> list[LiveEvent]:
        return list(hook_events(filter(self._is_first, events), self._query.clean))

    def _is_first(self, event: HookEvent) -> bool:
        distinct = self._distinct[event.session_id]
        return distinct.is_new(event_key(event), millis(event.timestamp))

    def _is_new(self, one: LiveEvent) -> bool:
        return (millis(one.at) or self._began) >= self._began

    def _deleted(self, file: WatchEvent, now: int) -> list[LiveEvent]:
        self._tails.pop(file.path, None)
        self._hooks.forget(file.path)
        if file.kind != "main":
            return []
        return [_note(file.session_id or "", now, "notice", "Its transcript was deleted.")]

    def _exited(self, now: int) -> list[LiveEvent]:
        """The end of sessions whose process is gone."""
        self._registry.check()
        before, self._alive = self._alive, self._live_sessions()
        return [_note(id, now, "ended", "Its process has exited.") for id in before - self._alive]

    def _live_sessions(self) -> set[str]:
        return {id for id, one in self._registry.sessions().items() if one.alive}

    def _is_second_end(self, one: LiveEvent) -> bool:
        """Whether hooks or registry have reported this end already."""
        if one.kind != "ended":
            if one.kind in ("started", "prompt"):
                self._ended.discard(one.session_id)
            return False
        is_second = one.session_id in self._ended
        self._ended.add(one.session_id)
        return is_second


def _note(session_id: str, now: int, kind: LiveEventKind, text: str) -> LiveEvent:
    return LiveEvent(at=iso(now), session_id=session_id, kind=kind, text=text)


def _in_order(events: Iterable[LiveEvent]) -> list[LiveEvent]:
    return sorted(events, key=lambda one: one.at or "")


def _decoded(lines: Iterable[bytes]) -> Iterator[Line]:
    for line in lines:
        yield 0, len(line), decode(line)  # nobody reads it back by its place


class TranscriptTail:
    """One growing transcript: what happened since the last look, however the file changes."""

    def __init__(self, file: WatchEvent, clean: TextCleaner, quota: RecentQuota = no_quota) -> None:
        self._file = file
        self._clean = clean
        self._quota = quota
        self._stream = EventStream(file, clean, quota)
        self._state = TailState()
        self._last_at = ""
        self._shown_until = ""  # by what came before the file was rewritten
        self._quiet: TailState | None = None  # where an unfinished line was looked at

    def begin(self, known: int, back: int = 0) -> tuple[list[LiveEvent], list[LiveEvent]]:
        """What happened in the last lines before a place, `back` events or more, and after it."""
        count = _CONTEXT + 4 * back
        with suppress(UnspoolError):  # closed to us for now
            self._state = tail.near_end(self._file.path, known, count)
        before: deque[bytes] = deque(maxlen=count)
        after: list[bytes] = []
        for piece in self._pieces():
            for offset, line in split_lines(piece.data, piece.base):
                (after if offset >= known else before).append(line)
        return self._events_in(before), self._events_in(after)

    def read(self) -> list[LiveEvent]:
        """What was written since."""
        events: list[LiveEvent] = []
        for piece in self._pieces():
            if piece.reset:
                events.append(self._rewritten())
            events += self._events_in(line for _, line in split_lines(piece.data, piece.base))
        return events

    def unfinished(self, now: int) -> list[LiveEvent]:
        """What its last line says if only the newline is missing, once the file is quiet.

        It is read again with its newline, and by its id it is known by then.
        """
        state = self._state
        is_young = now - state.mtime_ns // 1_000_000 < QUIET_MS
        if not state.pending or state is self._quiet or is_young:
            return []
        self._quiet = state
        with suppress(UnspoolError):  # closed to us for now
            line = tail.unfinished_line(self._file.path, state)
            if line is not None and is_whole(line):
                return self._events_in([line])
        return []

    def _pieces(self) -> Iterator[TailRead]:
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

    def _events_in(self, lines: Iterable[bytes]) -> list[LiveEvent]:
        found = [one for one in self._stream.feed(_decoded(lines))]
        self._last_at = max((one.at or "" for one in found), default="") or self._last_at
        return [one for one in found if not one.at or one.at > self._shown_until]

    def _rewritten(self) -> LiveEvent:
        self._stream = EventStream(self._file, self._clean, self._quota)
        self._shown_until = self._last_at
        return LiveEvent(
            at=self._last_at or None,
            session_id=self._file.session_id or "",
            project_id=self._clean.text(self._file.project_id),
            kind="notice",
            text=_REWRITTEN,
        )
