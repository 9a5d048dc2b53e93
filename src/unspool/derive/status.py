"""Registry, hooks and transcript -> what a session is doing now, and what proves it.

The live registry beats hooks, hooks beat the transcript; the transcript alone cannot tell a
tool that runs from one that waits for approval, so what it gives is marked as inferred.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field, structs

from unspool.derive.api_errors import api_error, is_over
from unspool.derive.approvals import HookState, hook_state
from unspool.derive.board_words import asked_text, call_line, shortened, summary, waits_for
from unspool.derive.reading.clock import iso, moment
from unspool.derive.reading.texts import call_input
from unspool.derive.story.ongoing import OngoingFold
from unspool.derive.usage.quota import limit_reset
from unspool.model.document import Evidence, PendingTool, Status, StatusName
from unspool.model.hooks import HookEvent
from unspool.model.message import Message, Piece
from unspool.model.metadata import EndedByModel, Summary
from unspool.model.session import TranscriptState
from unspool.model.sidecars import RegistryEntry
from unspool.model.transcript import Entry
from unspool.model.usage import ApiError, Quota

QUIET_MS: Final = 300_000  # five minutes without a sign of life
_LONG: Final = 1_024
# Nobody answers a question of yesterday: its process has most likely ended.
_LONGEST_WAIT: Final = 12 * 3_600_000
_REGISTRY: Final[dict[str, StatusName]] = {
    "busy": "working",
    "waiting": "waiting_for_approval",
    "idle": "waiting_for_input",
}
_STOPPED: Final = frozenset({"limited", "failed"})
_BUSY: Final = frozenset({"working", "waiting_for_approval"})
_AT_REST: Final = frozenset({"waiting_for_input", "idle", *_STOPPED})
_GOES_ON: Final = frozenset({"tool_use", "pause_turn"})
# What a voice means where nobody has called a tool.
_VOICES: Final[dict[str, StatusName]] = {
    "prompt": "working",
    "command": "working",
    "bash_input": "working",
    "notification": "working",
    "event": "working",
    "teammate": "working",
    "stdout": "waiting_for_input",
    "stderr": "waiting_for_input",
    "bash_output": "waiting_for_input",
    "interruption": "waiting_for_input",
}
DROPS_CALLS: Final = frozenset({"prompt", "command", "bash_input", "interruption"})


class OpenCall(NamedTuple):
    """A call without a result: when it was made, and what the tool was given."""

    piece: Piece
    at: int | None
    given: bytes
    is_cut: bool = False  # `given` was shortened


class StatusFold(Struct):
    """Calls without a result wait; text is work; a stop reason hands the turn to the user.

    A failed request stops the session until something of the conversation follows.
    """

    _state: StatusName = "idle"
    _since: int | None = None
    _last: int | None = None
    _open: dict[str, OpenCall] = {}
    _ongoing: OngoingFold = field(default_factory=OngoingFold)
    _error: ApiError | None = None

    def feed(self, message: Message, entry: Entry | None = None) -> None:
        """Add the next message of the thread; its entry tells what tools were given."""
        self._ongoing.feed(message)
        at = message.at
        if at is not None and (self._last is None or at > self._last):
            self._last = at
        if message.category == "noise":
            is_over = message.subtype == "turn_duration" and not self._open
            if is_over and self._state not in _STOPPED:
                self._enter("waiting_for_input", at)
        elif error := api_error(message):
            self._error = error
            self._enter(error.state, at)
        elif message.type == "assistant":
            self._answer(message, entry)
        else:
            self._heard(message)

    def feed_beside(self, entry: Entry) -> None:
        """Add a metadata line."""
        kind = type(entry)
        if kind is Summary:
            self._enter("idle", self._last)
        elif kind is EndedByModel:
            self._enter("ended", self._last)

    def shortened(self) -> "StatusFold":
        """The same with no more of what tools were given than it takes to say what they do."""
        return structs.replace(
            self,
            _open={
                id: call
                if len(call.given) <= _LONG
                else call._replace(given=shortened(call.given), is_cut=True)
                for id, call in self._open.items()
            },
        )

    @property
    def open(self) -> Mapping[str, OpenCall]:
        """Calls without a result, oldest first."""
        return self._open

    def running(self, *, agents: bool = True) -> list[str]:
        """Calls without a result, one line each, oldest first; those of agents if asked for."""
        return [
            call_line(call.piece.name, call.given)
            for call in self._open.values()
            if agents or call.piece.spawn is None
        ]

    def waits_for(self) -> str:
        """What the last call without a result asks somebody to decide; "" without any."""
        for call in reversed(self._open.values()):
            return waits_for(call.piece.name, call.given)
        return ""

    def asked_text(self) -> str:
        """All of what the last call without a result would do or asks; "" if it is not known."""
        for call in reversed(self._open.values()):
            return asked_text(call.piece.name, call.given, is_cut=call.is_cut)
        return ""

    @property
    def is_ongoing(self) -> bool:
        """Whether the model was at work when it wrote the last message."""
        return self._ongoing.ongoing

    @property
    def has_sent(self) -> bool:
        """Whether a call that starts an agent has no result yet: then inline ones are at work."""
        return any(call.piece.spawn for call in self._open.values())

    @property
    def state(self) -> TranscriptState:
        """What the transcript says now."""
        delegated = bool(self._open) and all(call.piece.spawn for call in self._open.values())
        error = self._error if self._error and self._state in _STOPPED else ApiError("failed", "")
        return TranscriptState(
            self._state,
            self._since,
            self._last,
            self._pending(),
            delegated,
            tuple(self._open),
            self.is_ongoing,
            error.until,
            error.text,
        )

    def _enter(self, state: StatusName, at: int | None) -> None:
        if state != self._state:
            self._state = state
            self._since = self._last if at is None else at

    def _answer(self, message: Message, entry: Entry | None) -> None:
        spoke = False
        for piece in message.pieces:
            kind = piece.kind
            if kind == "call":
                # A copy: the line it stands in goes.
                given = bytes(call_input(entry, piece)) if entry else b"{}"
                self._open[piece.id] = OpenCall(piece, message.at, given)
            elif kind == "result":
                self._open.pop(piece.id, None)
            elif kind == "text":
                spoke = True
        if self._open:
            self._enter("waiting_for_approval", message.at)
        elif message.stop_reason and message.stop_reason not in _GOES_ON:
            self._enter("waiting_for_input", message.at)
        elif spoke:
            self._enter("working", message.at)

    def _heard(self, message: Message) -> None:
        state = _VOICES.get(message.voice)
        if message.voice in DROPS_CALLS:
            self._open.clear()
        for piece in message.pieces:
            if piece.kind == "result":
                self._open.pop(piece.id, None)
                refused = piece.flag == "rejected"
                state = state or ("waiting_for_input" if refused else "working")
        if state is not None and not self._open:
            self._enter(state, message.at)

    def _pending(self) -> PendingTool | None:
        if not self._open:
            return None
        piece, at, given, _ = next(reversed(self._open.values()))
        return PendingTool(piece.id, piece.name, summary(given), iso(at))


def status(
    transcript: TranscriptState,
    hooks: Sequence[HookEvent],
    registry: RegistryEntry | None,
    pid_alive: bool | None,
    now: int,
) -> Status:
    """What the session is doing at `now`; `hooks` are its own, oldest first."""
    return standing(transcript, hook_state(hooks), registry, pid_alive, now)


def with_reset(transcript: TranscriptState, quota: Sequence[Quota]) -> TranscriptState:
    """What it says, with the reset of its limit where only the usage limits tell that."""
    if not lacks_reset(transcript):
        return transcript
    until = limit_reset(transcript.error, transcript.since or 0, quota)
    return structs.replace(transcript, until=until)


def lacks_reset(transcript: TranscriptState) -> bool:
    """Whether a limit stopped it, and the message does not say until when."""
    return transcript.state == "limited" and transcript.until is None


def standing(
    transcript: TranscriptState,
    hooks: HookState,
    registry: RegistryEntry | None,
    pid_alive: bool | None,
    now: int,
) -> Status:
    """The same for hooks that were gone through already."""
    found = _registered(registry, pid_alive, transcript) or _hooked(hooks, transcript, now)
    if found is not None and found.state not in _AT_REST:
        return found
    stopped = _stopped(transcript, now)
    return stopped or found or _inferred(transcript, now)


def with_agents(transcript: TranscriptState, agents: Iterable[TranscriptState]) -> TranscriptState:
    """What it says beside its agents, while one of them is at work later than it."""
    agents_at = max((one.last_at or 0 for one in agents if one.is_ongoing), default=0)
    if agents_at <= (transcript.last_at or 0):
        return transcript
    # A call that an agent works on has been approved.
    waits = transcript.state == "waiting_for_approval"
    state: StatusName = "working" if waits and transcript.is_delegated else transcript.state
    return structs.replace(transcript, state=state, last_at=agents_at)


def at_rest(state: TranscriptState) -> TranscriptState:
    """What an inline agent says once nobody waits for it: it has no more to do."""
    name: StatusName = "idle" if state.state in _BUSY else state.state
    return structs.replace(state, state=name, is_ongoing=False, open_calls=(), pending=None)


def _registered(
    registry: RegistryEntry | None, pid_alive: bool | None, transcript: TranscriptState
) -> Status | None:
    if registry is None or pid_alive is None:
        return None
    since = moment(registry.status_updated_at) or moment(registry.updated_at)
    if not pid_alive:
        last = max(since or 0, transcript.last_at or 0) or None
        return Status("ended", iso(last), "registry")
    state = _REGISTRY.get(registry.status or "")
    return None if state is None else Status(state, iso(since), "registry")


def _stopped(transcript: TranscriptState, now: int) -> Status | None:
    """How a session stands that a limit or an error stopped, while that still matters."""
    since, until = transcript.since, transcript.until
    if transcript.state not in _STOPPED or is_over(since, until, now):
        return None
    return Status(transcript.state, iso(since), "transcript", iso(until), transcript.error)


def _hooked(hooks: HookState, transcript: TranscriptState, now: int) -> Status | None:
    asked, moved = hooks.asked_at, transcript.since
    # Not every event need have a hook: a transcript that moved on has been answered.
    if hooks.asks and (asked is None or moved is None or moved <= asked):
        if asked is not None and now - asked >= _LONGEST_WAIT:
            return Status("idle", iso(hooks.last_at), "hook")
        return Status("waiting_for_approval", iso(asked), "hook")
    if hooks.state is None:
        return None
    seen, last = hooks.last_at, transcript.last_at
    if seen is not None and last is not None and last - seen >= QUIET_MS:
        return None
    if hooks.state == "ended":
        return Status("ended", iso(hooks.since), "hook")
    found = _unless_quiet(hooks.state, hooks.since, max(seen or 0, last or 0), now, "hook")
    return structs.replace(found, error=hooks.error) if found.state == "failed" else found


def _inferred(transcript: TranscriptState, now: int) -> Status:
    if transcript.state == "ended":
        return Status("ended", iso(transcript.since), "transcript")
    last = transcript.last_at or 0
    if transcript.state in _STOPPED:  # but it no longer matters
        since = transcript.until or transcript.since
        return _unless_quiet("waiting_for_input", since, max(since or 0, last), now, "inferred")
    return _unless_quiet(transcript.state, transcript.since, last, now, "inferred")


def _unless_quiet(
    state: StatusName, since: int | None, last: int, now: int, evidence: Evidence
) -> Status:
    if now - last >= QUIET_MS:
        return Status("idle", iso(last or None), evidence)
    return Status(state, iso(since), evidence)


def is_busy(status: Status) -> bool:
    """Whether calls without a result may still get one."""
    return status.state in _BUSY
