"""What a watcher tells -> what happened, session by session, in the order it happened."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from unspool.cli.tailing.heard import heard
from unspool.cli.tailing.strand import Strand
from unspool.cli.topping.clean import Clean
from unspool.derive.hooks import Distinct, event_key
from unspool.derive.reading.clock import iso, millis
from unspool.model.files import Root, TranscriptFile
from unspool.model.happening import Happening, Kind
from unspool.model.hooks import HookEvent
from unspool.model.watch import Changed
from unspool.recall.hooks import HookTail
from unspool.recall.registered import Registry
from unspool.source.files import TRANSCRIPT_KINDS
from unspool.source.session_files import transcript_files
from unspool.source.spool import spool_files
from unspool.source.watch import changed_file

_LIVELY_MS: Final = 300_000


class Followed(Struct, frozen=True):
    """What is followed: all sessions of some roots, or one."""

    roots: Sequence[Root]
    spool: str
    clean: Clean
    only: str = ""


class Follower:
    """Start a watcher, then this; give it what the watcher tells."""

    def __init__(self, followed: Followed, now: int) -> None:
        self._followed = followed
        self._began = now
        self._strands: dict[str, Strand] = {}
        self._registry = Registry(followed.roots)
        self._alive = self._living()
        self._hooks = HookTail()
        self._once = defaultdict[str, Distinct](Distinct)
        self._ended: set[str] = set()
        found = (file for root in followed.roots for file in transcript_files(root))
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
        for one in self._heard(self._logged(live)):
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
                told += [h for h in self._heard(self._events(one)) if self._is_new(h)]
        found = [*_in_order(told), *self._left(now)]
        wanted = (one for one in found if self._followed.only in ("", one.session_id))
        return [one for one in wanted if self._is_no_second_end(one)]

    def _is_followed(self, file: TranscriptFile) -> bool:
        """Whether it is asked for by name, or is of a session that lives."""
        if self._followed.only:
            return file.session_id == self._followed.only
        lately = self._began - _LIVELY_MS
        return file.session_id in self._alive or file.mtime_ns // 1_000_000 > lately

    def _begin(
        self, file: Changed, known: int, back: int = 0
    ) -> tuple[list[Happening], list[Happening]]:
        strand = self._strands[file.path] = Strand(file, self._followed.clean)
        return strand.begin(known, back)

    def _grown(self, file: Changed) -> list[Happening]:
        if self._followed.only not in ("", file.session_id):
            return []
        strand = self._strands.get(file.path)
        if strand is not None:
            return strand.read()
        known = self._files.get(file.path)
        return self._begin(file, known.size if known else 0)[1]

    def _logged(self, live: set[str]) -> list[HookEvent]:
        logs = [f for f in self._files.values() if f.kind == "hook_log" and f.session_id in live]
        events = [
            event for log in logs for event in self._hooks.log(log.path, log.session_id or "")
        ]
        for file in spool_files(self._followed.spool or os.devnull):
            events += self._hooks.spooled(file.path)
        return events

    def _events(self, one: Changed) -> Iterable[HookEvent]:
        if one.kind == "spool":
            return self._hooks.spooled(one.path)
        return self._hooks.log(one.path, one.session_id or "")

    def _heard(self, events: Iterable[HookEvent]) -> list[Happening]:
        return list(heard(filter(self._is_first, events), self._followed.clean))

    def _is_first(self, event: HookEvent) -> bool:
        once = self._once[event.session_id]
        return once.is_new(event_key(event), millis(event.timestamp))

    def _is_new(self, one: Happening) -> bool:
        return (millis(one.at) or self._began) >= self._began

    def _lost(self, file: Changed, now: int) -> list[Happening]:
        self._strands.pop(file.path, None)
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
