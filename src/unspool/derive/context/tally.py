"""Messages -> what they weigh by category; a block that is written twice weighs once."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import fields

from unspool.model.document import Categories
from unspool.model.message import Message, Piece

COORDINATION: Final = frozenset(
    {
        "SendMessage",
        "TeamCreate",
        "TeamDelete",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
    }
)
# Other voices were not heard by the model, or belong to no category: they stay untracked.
VOICES: Final = {
    "prompt": "user_messages",
    "command": "user_messages",
    "teammate": "task_coordination",
    "skill": "skills",
    "interruption": "thinking_text",
}
INJECTED: Final = {
    "nested_memory": "claude_md",
    "instructions": "claude_md",
    "file": "mentioned_files",
    "directory": "mentioned_files",
    "already_read_file": "mentioned_files",
    "edited_text_file": "mentioned_files",
    "compact_file_reference": "mentioned_files",
    "plan_file_reference": "mentioned_files",
    "opened_file_in_ide": "mentioned_files",
    "selected_lines_in_ide": "mentioned_files",
    "skill_listing": "skills",
    "invoked_skills": "skills",
    "dynamic_skill": "skills",
}
# A directory's CLAUDE.md that was recorded says nothing about the others.
_ONE_FILE: Final = "nested_memory"
_NAMES: Final = tuple(field.name for field in fields(Categories))


class Load(Struct):
    """Tokens by category, and the files that were read or mentioned on the way."""

    tokens: dict[str, int]
    reads: list[str] = []
    mentions: list[str] = []


def empty() -> Load:
    """Nothing in any category."""
    return Load(dict.fromkeys(_NAMES, 0))


def recorded(messages: Iterable[Message]) -> tuple[set[str], set[str]]:
    """Categories for which the transcript holds what was injected; and files, one by one."""
    injected = [message for message in messages if message.voice == "injected"]
    kinds = {message.subtype for message in injected} - {_ONE_FILE}
    files = {
        piece.path
        for message in injected
        if message.subtype == _ONE_FILE
        for piece in message.pieces
    }
    return {INJECTED[kind] for kind in kinds if kind in INJECTED}, files


class Tally:
    """Weighs the messages of one session in file order."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}  # call id -> category
        self._seen: set[object] = set()

    def add(self, load: Load, messages: Iterable[Message]) -> None:
        """Put the weight of these messages on a load."""
        for message in messages:
            if said := VOICES.get(message.voice):
                load.tokens[said] += message.text_tokens
            load.mentions += message.mentions
            for piece in message.pieces:
                if category := self._category(message, piece):
                    load.tokens[category] += piece.tokens
                if piece.name == "Read" and piece.path:
                    load.reads.append(piece.path)

    def _category(self, message: Message, piece: Piece) -> str | None:
        match piece.kind:
            case "call":
                return self._call(piece)
            case "result":
                fresh = self._is_fresh(("result", piece.id))
                return self._tools.get(piece.id, "tool_outputs") if fresh else None
            case "thinking" | "text":
                return self._text(message, piece)
            case "other" if message.voice == "injected":
                return INJECTED.get(piece.name)
        return None

    def _call(self, piece: Piece) -> str | None:
        if piece.id in self._tools:
            return None
        group = "task_coordination" if piece.name in COORDINATION else "tool_outputs"
        self._tools[piece.id] = group
        return group

    def _text(self, message: Message, piece: Piece) -> str | None:
        if message.voice:
            return None  # weighed as a whole, or said by the client alone
        if message.type == "user":
            return "user_messages"  # typed beside a tool's result
        # Lines of one response may repeat its blocks; nothing but size tells them apart here.
        key = (message.message_id or message.line, piece.kind, piece.n, piece.tokens)
        return "thinking_text" if self._is_fresh(key) else None

    def _is_fresh(self, key: object) -> bool:
        before = len(self._seen)
        self._seen.add(key)
        return len(self._seen) > before
