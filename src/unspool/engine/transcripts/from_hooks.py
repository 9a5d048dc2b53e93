"""A transcript made of hook events, for a session whose own one is missing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Raw, structs
from msgspec.json import encode as to_json

from unspool.decode.lenient import members, text_of
from unspool.derive.board_words import call_line
from unspool.derive.reading.messages import read
from unspool.engine.archive.reader import SessionOutputs
from unspool.engine.transcripts.bodies import Bodies
from unspool.engine.transcripts.reader import TranscriptReader
from unspool.model.files import TranscriptFile
from unspool.model.hooks import HookEvent
from unspool.model.message import Message
from unspool.model.transcript import Assistant, Attachment, AttachmentBody, Entry, MessageBody, User

# Fields with a text, the best first.
_WORDS = ("message", "reason", "error", "source", "trigger", "agent_type", "prompt")


class HookTranscript(TranscriptReader):
    """Prompts, answers and other events, one each; it has no lines, and nothing is counted."""

    def __init__(self, file: TranscriptFile, events: Sequence[HookEvent]) -> None:
        super().__init__(file)
        self.is_gone = True
        self.entries = [_entry(number, event) for number, event in enumerate(events, 1)]
        for number, entry in enumerate(self.entries, 1):
            message = read(entry, number)
            if message is not None:
                self.fold.chunks.feed(_spoken(message))
                self.fold.turns.feed(_spoken(message))

    def refresh(self, now: int) -> bool:
        """It does not change."""
        return False

    @contextmanager
    def bodies(self, outputs: SessionOutputs) -> Iterator[Bodies | None]:
        """Texts are in memory."""
        yield _HookBodies(self, outputs)

    def read(self, offset: int, length: int) -> bytes:
        """There is no file."""
        return b""


class _HookBodies(Bodies):
    def __init__(self, transcript: HookTranscript, outputs: SessionOutputs) -> None:
        super().__init__(transcript, transcript.fold, outputs)
        self._all = transcript.entries

    def entries(self, line: int) -> tuple[Entry, ...]:
        return (self._all[line - 1],)


def _spoken(message: Message) -> Message:
    """A hook beside an answer is not shown; here it stands for the answer."""
    return structs.replace(message, category="ai") if message.voice == "hook" else message


def _entry(number: int, event: HookEvent) -> Entry:
    payload = members(event.data)
    uuid, at = f"hook-{number}", event.timestamp
    prompt, answer = text_of(payload.get("prompt")), text_of(payload.get("last_assistant_message"))
    if event.event_type == "user_prompt_submit" and prompt:
        return User(uuid=uuid, timestamp=at, message=MessageBody(content=prompt, role="user"))
    if event.event_type == "stop" and answer:
        return Assistant(
            uuid=uuid, timestamp=at, message=MessageBody(content=answer, role="assistant")
        )
    tool_input = payload.get("tool_input", Raw(b"{}"))
    words = next((text for name in _WORDS if (text := text_of(payload.get(name)))), "")
    text = call_line(event.tool_name, tool_input) if event.tool_name else words
    body = AttachmentBody(
        type="hook_success", hook_name=event.event, content=Raw(to_json(text or event.event))
    )
    return Attachment(uuid=uuid, timestamp=at, attachment=body)
