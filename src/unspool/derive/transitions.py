"""Messages, hook events and registry snapshots -> what a session did, from when until when."""

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct, structs

from unspool.derive.approvals import HookFold
from unspool.derive.board_words import asks_for
from unspool.derive.reading.clock import millis
from unspool.derive.status import QUIET_MS, StatusFold, standing
from unspool.model.document import Evidence, StatusName
from unspool.model.hooks import HookEvent
from unspool.model.message import Message
from unspool.model.sidecars import RegistryEntry


class Snapshot(Struct, frozen=True):
    """The session's place in the registry as it was seen at a moment; no entry: it was gone."""

    at: int
    entry: RegistryEntry | None = None
    alive: bool = False


class Stay(Struct, frozen=True, kw_only=True):
    """A while in one state; `until` is None for the last one."""

    state: StatusName
    since: int
    until: int | None = None
    evidence: Evidence = "inferred"
    waits_for: str = ""


Happening: TypeAlias = Message | HookEvent | Snapshot


class TransitionFold:
    """Feed it what happened, oldest first."""

    def __init__(self) -> None:
        self.stays: list[Stay] = []
        self._transcript = StatusFold()
        self._hooks = HookFold()
        self._seen = Snapshot(0)
        self._was_there = False
        self._last: int | None = None

    def feed(self, one: Happening) -> None:
        """Take in the next thing that happened; what has no time happened with the one before."""
        at = _when(one) or self._last
        if at is not None and self._last is not None and at - self._last >= QUIET_MS:
            self._note(self._last + QUIET_MS)
        if isinstance(one, Message):
            self._transcript.feed(one)
        elif isinstance(one, HookEvent):
            self._hooks.feed(one)
        else:
            self._seen = one
            self._was_there = self._was_there or one.entry is not None
        if at is not None:
            self._last = max(at, self._last or at)
            self._note(self._last)

    def end(self, now: int) -> list[Stay]:
        """All stays up to a moment."""
        if self._last is not None and now - self._last >= QUIET_MS:
            self._note(self._last + QUIET_MS)
        return self.stays

    def _note(self, at: int) -> None:
        entry, alive = self._seen.entry, self._seen.alive
        if entry is None and self._was_there:
            entry, alive = RegistryEntry(updated_at=self._seen.at), False  # taken away at its end
        known = None if entry is None else alive
        found = standing(self._transcript.state, self._hooks.state, entry, known, at)
        before = self.stays[-1] if self.stays else None
        if before is not None and before.state == found.state:
            return
        if before is not None:
            self.stays[-1] = structs.replace(before, until=at)
        told = self._waits_for() if found.state == "waiting_for_approval" else ""
        stay = Stay(state=found.state, since=at, evidence=found.evidence, waits_for=told)
        self.stays.append(stay)

    def _waits_for(self) -> str:
        asked, pending = self._hooks.state.asked, self._transcript.state.pending
        told = asks_for(asked) if asked else ""
        return told or (f"{pending.name} {pending.summary}".strip() if pending else "")


def transitions(
    messages: Iterable[Message],
    hooks: Iterable[HookEvent] = (),
    registry: Iterable[Snapshot] = (),
    *,
    now: int,
) -> list[Stay]:
    """A whole session at once: its stays in one state after another, up to a moment."""
    fold = TransitionFold()
    for one in _in_order(messages, hooks, registry):
        fold.feed(one)
    return fold.end(now)


def _in_order(*told: Iterable[Happening]) -> list[Happening]:
    """By time; what has none stays with what its own source told before it."""
    placed: list[tuple[int, Happening]] = []
    for source in told:
        last = 0
        for one in source:
            last = max(_when(one) or last, last)
            placed.append((last, one))
    return [one for _, one in sorted(placed, key=lambda found: found[0])]


def _when(one: Happening) -> int | None:
    return millis(one.timestamp) if isinstance(one, HookEvent) else one.at
