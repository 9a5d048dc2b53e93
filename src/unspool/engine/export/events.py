"""Lines of a transcript and hook events -> what happened: prompts, answers, calls, requests."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Raw, Struct

from unspool.derive.api_errors import api_error
from unspool.derive.reading import texts
from unspool.derive.reading.clock import iso, millis
from unspool.derive.story.tools import result_state
from unspool.derive.transcript import Line, TranscriptFold, Views, batched
from unspool.derive.usage.quota import limit_reset
from unspool.engine.archive.redacted import TextCleaner
from unspool.engine.quota import RecentQuota, no_quota
from unspool.model.files import WatchEvent
from unspool.model.hooks import HookEvent
from unspool.model.live import LiveEvent, LiveEventKind
from unspool.model.message import Message, Piece
from unspool.model.transcript import Entry
from unspool.show.tools import registry, values

_SPEAKERS: Final = {
    "prompt": "You",
    "command": "You",
    "memory": "You",
    "bash_input": "You",
    "teammate": "Teammate",
    "notification": "Background task",
    "event": "Event",
    "stdout": "Output",
    "stderr": "Output",
    "bash_output": "Output",
}
_HOOK_KINDS: Final[dict[str, LiveEventKind]] = {
    "permission_request": "asks",
    "session_start": "started",
    "session_end": "ended",
}
# A line of the transcript says the same.
_IN_TRANSCRIPT: Final = frozenset(
    "pre_tool_use post_tool_use post_tool_use_failure post_tool_batch user_prompt_submit "
    "user_prompt_expansion message_display stop subagent_stop".split()
)


class _Call(Struct, frozen=True):
    name: str
    given: Any
    at: int | None


class EventStream:
    """What the fold of one transcript gives, in words; remembers calls without a result."""

    def __init__(self, file: WatchEvent, clean: TextCleaner, quota: RecentQuota = no_quota) -> None:
        self._file = file
        self._clean = clean
        self._quota = quota
        # Read from the middle, a chain may be called after the first line we saw of it.
        self._fold = TranscriptFold(file.session_id or "", agent_of(file), views=Views.NONE)
        self._calls: dict[str, _Call] = {}

    def feed(self, lines: Iterable[Line]) -> Iterator[LiveEvent]:
        """What happened according to the next lines."""
        for some in batched(lines):
            for record in self._fold.feed(some).records:
                if record.fresh is not None:
                    yield from map(self._clean.value, self._message(record.fresh, record.entry))

    def _message(self, message: Message, entry: Entry) -> Iterator[LiveEvent]:
        if message.category == "compact":
            yield self._event(message, "notice", text="The conversation was compacted.")
        elif message.voice in _SPEAKERS:
            text = texts.said(entry, message)
            yield self._event(message, "prompt", name=_SPEAKERS[message.voice], text=text)
        elif message.voice == "interruption":
            yield self._event(message, "notice", text="Interrupted by you.")
        for piece in message.pieces:
            if event := self._piece(message, piece, entry):
                yield event

    def _piece(self, message: Message, piece: Piece, entry: Entry) -> LiveEvent | None:
        if piece.kind == "call":
            return self._called(message, piece, entry)
        if piece.kind == "result":
            return self._answered(message, piece, entry)
        if piece.kind == "text" and message.type == "assistant":
            text = texts.block_text(entry, message, piece)
            return self._event(message, "answer", name="Claude", text=text)
        if piece.kind == "notice":
            if event := self._stopped(message):
                return event
            text = message.head or texts.said(entry, message)
            return self._event(message, "notice", text=text, is_error=piece.is_error)
        if piece.kind == "hook" and (message.head or piece.is_error):
            return self._event(
                message, "hook", name=piece.name, text=message.head, is_error=piece.is_error
            )
        return None

    def _stopped(self, message: Message) -> LiveEvent | None:
        """The state that a failed request leaves its session in; one of an agent leaves none."""
        error = api_error(message)
        if error is None or message.is_sidechain or agent_of(self._file):
            return None
        until = error.until
        if error.state == "limited" and until is None:
            until = limit_reset(error.text, message.at or 0, self._quota())
        return self._event(message, error.state, text=error.text, is_error=True, until=iso(until))

    def _called(self, message: Message, piece: Piece, entry: Entry) -> LiveEvent:
        tool_input = self._value(texts.call_input(entry, piece))
        self._calls[piece.id] = _Call(piece.name, values.fields(tool_input), message.at)
        summary = registry.summary(piece.name, values.fields(tool_input), None)
        return self._event(message, "call", name=piece.name, text=summary, tool_use_id=piece.id)

    def _answered(self, message: Message, piece: Piece, entry: Entry) -> LiveEvent:
        call = self._calls.pop(piece.id, _Call("", {}, None))
        state = result_state(piece)
        result = self._value(texts.result_content(entry, piece))
        facts = registry.facts(call.name, call.given, result, failed=state != "ok")
        if state == "error" and not facts:
            facts = values.without_tags(values.result_text(result))
        spent = None if call.at is None or message.at is None else max(message.at - call.at, 0)
        return self._event(
            message, "result", name=call.name, text=facts, state=state, tool_use_id=piece.id,
            duration_ms=spent,
        )  # fmt: skip

    def _value(self, raw: Raw) -> Any:
        """Cleaned here already, as it is cut to a line."""
        return self._clean.value(values.read(raw))

    def _event(self, message: Message, kind: LiveEventKind, **fields: Any) -> LiveEvent:
        file = self._file
        return LiveEvent(
            at=iso(message.at),
            session_id=file.session_id or "",
            project_id=file.project_id,
            agent_id=agent_of(file) or (message.agent_id if message.is_sidechain else ""),
            kind=kind,
            **fields,
        )


def agent_of(file: WatchEvent) -> str:
    """The agent whose file it is, by its name."""
    if not file.is_subagent:
        return ""
    return file.path.rpartition("/")[2].removeprefix("agent-").removesuffix(".jsonl")


def hook_events(events: Iterable[HookEvent], clean: TextCleaner) -> Iterator[LiveEvent]:
    """One for each event that no line of a transcript stands for."""
    for event in events:
        if event.session_id and event.event_type not in _IN_TRANSCRIPT:
            # What is cut to a line is cleaned before.
            data = values.fields(clean.value(values.read(event.data)))
            yield clean.value(_hook_event(event, data))


def _hook_event(event: HookEvent, data: values.Fields) -> LiveEvent:
    kind = _HOOK_KINDS.get(event.event_type, "hook")
    return LiveEvent(
        at=iso(millis(event.timestamp)),
        session_id=event.session_id,
        agent_id=event.agent_id,
        kind=kind,
        name=event.tool_name or event.event,
        text=_hook_text(kind, event, data),
        tool_use_id=event.tool_use_id,
    )


def _hook_text(kind: LiveEventKind, event: HookEvent, data: values.Fields) -> str:
    if kind == "asks":
        tool_input: Any = data.get("tool_input")
        return registry.summary(event.tool_name, values.fields(tool_input), None)
    return values.text(data, "message", "reason", "source", "error", "agent_type", "trigger")
