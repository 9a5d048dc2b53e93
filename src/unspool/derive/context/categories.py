"""Messages -> their tokens by context category; a block that is written twice counts once."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field
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
# Messages of other voices were not sent to the model, or fit no category: they stay untracked.
VOICES: Final = {
    "prompt": "user_messages",
    "command": "user_messages",
    "memory": "user_messages",
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
# One directory's CLAUDE.md in the transcript says nothing about the others.
_SINGLE_FILE: Final = "nested_memory"
_NAMES: Final = tuple(field.name for field in fields(Categories))


class TurnTokens(Struct):
    """Tokens by category that a turn adds, and the files it read or mentioned."""

    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_NAMES, 0))
    reads: list[str] = []
    mentions: list[str] = []


def recorded_context(messages: Iterable[Message]) -> tuple[set[str], set[str]]:
    """What the transcript itself has of injected context: whole categories, and single files."""
    injected = [message for message in messages if message.voice == "injected"]
    kinds = {message.subtype for message in injected} - {_SINGLE_FILE}
    files = {
        piece.path
        for message in injected
        if message.subtype == _SINGLE_FILE
        for piece in message.pieces
    }
    return {INJECTED[kind] for kind in kinds if kind in INJECTED}, files


class CategoryCounter:
    """Counts the messages of one session, in file order."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}  # call id -> category
        self._counted: set[object] = set()

    def add(self, turn: TurnTokens, message: Message) -> None:
        """Add the tokens, reads and mentions of the next message to a turn."""
        if voice := VOICES.get(message.voice):
            turn.tokens[voice] += message.text_tokens
        turn.mentions += message.mentions
        for piece in message.pieces:
            if category := self._category(message, piece):
                turn.tokens[category] += piece.tokens
            if piece.name == "Read" and piece.path:
                turn.reads.append(piece.path)

    def _category(self, message: Message, piece: Piece) -> str | None:
        match piece.kind:
            case "call":
                return self._call(piece)
            case "result":
                is_new = self._is_new(("result", piece.id))
                return self._tools.get(piece.id, "tool_outputs") if is_new else None
            case "thinking" | "text":
                return self._text(message, piece)
            case "other" if message.voice == "injected":
                return INJECTED.get(piece.name)
        return None

    def _call(self, piece: Piece) -> str | None:
        if piece.id in self._tools:
            return None
        category = "task_coordination" if piece.name in COORDINATION else "tool_outputs"
        self._tools[piece.id] = category
        return category

    def _text(self, message: Message, piece: Piece) -> str | None:
        if message.voice:
            return None  # counted as a whole, or written by the client for the user alone
        if message.type == "user":
            return "user_messages"  # typed beside a tool's result
        # Lines of one response may repeat its blocks; nothing but size tells them apart here.
        key = (message.message_id or message.line, piece.kind, piece.n, piece.tokens)
        return "thinking_text" if self._is_new(key) else None

    def _is_new(self, key: object) -> bool:
        before = len(self._counted)
        self._counted.add(key)
        return len(self._counted) > before
