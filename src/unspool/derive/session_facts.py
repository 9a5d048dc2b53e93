"""Entries of one transcript -> the facts of its session: title, place, times, files, links."""

import re
from collections.abc import Callable, Container
from typing import Any, Final, get_args

from msgspec import Raw, Struct, field

from unspool.derive.reading import tags
from unspool.derive.reading.clock import LATEST, millis
from unspool.derive.reading.heads import beginning
from unspool.derive.session_metadata import MetadataFold
from unspool.derive.story.threads import canonical
from unspool.derive.todos import TOOLS, TodoFold
from unspool.model.blocks import NULL, Text, ToolUse
from unspool.model.document import ClientCost, PullRequest, TodoItem
from unspool.model.message import Message, Piece
from unspool.model.metadata import Metadata, MetadataLine
from unspool.model.transcript import (
    Assistant,
    Attachment,
    ConversationLine,
    Entry,
    Progress,
    System,
    User,
)

_HEAD, _GOAL = 500, 200  # characters
_BEGINNINGS: Final = 32
_MINUTE: Final = 60_000
_SYNTHETIC: Final = "<synthetic>"
_EDITS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_PLANS: Final = frozenset({"ExitPlanMode", "exit_plan_mode"})
# Commands that set up the client: what they are given is no task.
_SETUP: Final = frozenset(
    "/add-dir /agents /clear /color /compact /config /context /effort /export /fast /hooks /ide"
    " /login /logout /mcp /memory /model /output-style /permissions /plugin /rename /resume"
    " /rewind /sandbox /statusline /tag /theme /usage /vim".split()
)
_SENT: Final = frozenset({"teammate", "event", "notification"})
# A plan that is implemented in a new session ends with the path of the session that made it.
_PLANNED_IN: Final = re.compile(r"full transcript at: [^\n]{0,4000}?([\w-]{1,128})\.jsonl")


class SessionFacts(Struct, frozen=True, kw_only=True):
    """What a transcript says about its session; times in milliseconds, "" where unknown."""

    title: str
    goal: str
    opening: str  # the first prompt, whatever the title is
    recent_output: str
    slug: str
    cwd: str
    git_branch: str
    first_branch: str
    version: str
    model: str
    models: tuple[str, ...]
    entrypoint: str
    start: int | None
    end: int | None
    last_activity: int | None
    began_here: bool  # it has a line of its start that copies do not have
    files_modified: tuple[str, ...]
    pull_requests: tuple[PullRequest, ...]
    todos: tuple[TodoItem, ...]
    cost_state: ClientCost | None
    tag: str
    permission_mode: str
    is_subagent: bool
    foreign: int
    resumed_from: str
    forked_from: str
    continued_in: str
    has_exit_plan: bool
    plan_at: int | None
    planned_in: str  # the session whose plan the first prompt implements
    # Lines up to the first prompt, and lines without a parent: with these a copy may begin.
    beginnings: tuple[str, ...]
    message_count: int  # prompts, and the first answer to each
    displayable: bool


class SessionFactsFold(Struct):
    """Fed every line. `session_id` is the file's own id; an agent's file has its parent's."""

    session_id: str = ""
    agent_id: str = ""
    displayable: bool = False
    _sessions: dict[str | None, int] = {}  # lines by the session id they have
    _metadata_sessions: dict[str | None, int] = {}
    _opening: str = ""
    _fallback: str = ""
    _sent: str = ""  # the first message of another session or program
    _recent: str = ""
    _planned_in: str = ""
    _beginnings: dict[str, None] = {}
    _slug: str = ""
    _cwd: str = ""
    _branch: str = ""
    _first_branch: str = ""
    _version: str = ""
    _entrypoint: str = ""
    _model: str = ""
    _forked_from: str = ""
    _start: int = LATEST
    _end: int = 0
    _first_metadata: int = LATEST
    _last_metadata: int = 0
    _last_progress: int = 0
    _has_main: bool = False
    _has_agent: bool = False
    _models: dict[str, None] = {}
    _files: dict[str, None] = {}
    _metadata: MetadataFold = field(default_factory=MetadataFold)
    _todos: TodoFold = field(default_factory=TodoFold)
    _has_plan: bool = False
    _plan_at: int | None = None
    _count: int = 0
    _unanswered: bool = False

    def feed(self, entry: Entry, message: Message | None) -> None:
        """Add the next line of the file, with its message where it has one."""
        handler = _HANDLERS.get(type(entry))
        if handler is not None:
            handler(self, entry, message)

    def _conversation_line(self, entry: ConversationLine, message: Message | None) -> bool:
        """Read the fields every line has; whether it is a message of this file's own thread."""
        sessions, id = self._sessions, entry.session_id
        sessions[id] = sessions.get(id, 0) + 1
        self._environment(entry)
        if message is None:
            return False
        at = message.at
        if at is not None:
            self._end = at if at > self._end else self._end
            self._start = at if at < self._start else self._start
        if message.forked_from is not None:
            self._forked_from = message.forked_from[0] or self._forked_from
        if message.is_sidechain and not self.agent_id:
            self._has_agent = self._has_agent or bool(message.agent_id)
            return False
        self._has_main = True
        if not (self._opening and message.parent_uuid) and len(self._beginnings) < _BEGINNINGS:
            self._beginnings |= {canonical(message): None} if message.uuid else {}
        if message.category == "user":
            self._prompt(entry, message)
        elif message.voice in _SENT and not self._sent:
            self._sent = _sent_title(entry, message)
        if not self.displayable:
            self.displayable = _is_displayable(message)
        return True

    def _environment(self, entry: ConversationLine) -> None:
        if entry.slug:
            self._slug = entry.slug
        if entry.git_branch:
            self._branch = entry.git_branch
            self._first_branch = self._first_branch or entry.git_branch
        if entry.version:
            self._version = entry.version
        if entry.entrypoint:
            self._entrypoint = entry.entrypoint
        if not self._cwd:
            self._cwd = entry.cwd or ""

    def _prompt(self, entry: ConversationLine, message: Message) -> None:
        """A prompt or a command; a bare command, or a note in brackets, is a title in need only."""
        self._count += 1
        self._unanswered = True
        head, voice = message.head, message.voice
        # The output of a local command is not a prompt, whatever it looks like.
        if self._opening or (voice == "prompt" and message.type == "system"):
            return
        if _is_task(head) if voice == "command" else voice == "prompt" and not _is_note(head):
            self._opening = head
            match = _PLANNED_IN.search(_prompt_text(entry))
            self._planned_in = match[1] if match else ""
        else:
            self._fallback = self._fallback or head

    def _user(self, entry: User, message: Message | None) -> None:
        if entry.permission_mode:
            self._metadata.values["permission_mode"] = entry.permission_mode
        if not self._conversation_line(entry, message) or message is None:
            return
        if entry.todos is not NULL:
            self._todos.replace(entry.todos)
        if self._todos.tasks:
            for piece in message.pieces:
                if piece.kind == "result":
                    self._todos.result(piece.id, entry.tool_use_result)

    def _assistant(self, entry: Assistant, message: Message | None) -> None:
        if not self._conversation_line(entry, message) or message is None:
            return
        model = message.model
        if model != self._model and model and model != _SYNTHETIC:
            self._model = model
            self._models[model] = None
        if message.voice == "notice":
            return
        if self._unanswered:
            self._count += 1
            self._unanswered = False
        for piece in message.pieces:
            if piece.kind == "call":
                self._call(entry, message, piece)
            elif piece.kind == "text":
                self._recent = _text(entry, piece.n)

    def _call(self, entry: Assistant, message: Message, piece: Piece) -> None:
        if piece.name in _EDITS and piece.path:
            self._files[piece.path] = None
        elif piece.name in TOOLS:
            self._todos.call(piece.id, piece.name, _input(entry, piece.n))
        elif piece.name in _PLANS:
            self._has_plan = True
            self._plan_at = message.at

    def _progress(self, entry: Progress, _: Message | None) -> None:
        self._last_progress = max(self._last_progress, millis(entry.timestamp) or 0)

    def _metadata_line(self, entry: MetadataLine, _: Message | None) -> None:
        sessions, id = self._metadata_sessions, entry.session_id
        sessions[id] = sessions.get(id, 0) + 1
        at = millis(entry.timestamp)
        if at is not None:
            self._last_metadata = max(self._last_metadata, at)
            self._first_metadata = min(self._first_metadata, at)
        self._metadata.feed(entry)

    @property
    def asks_for_uuids(self) -> bool:
        """Whether its title may depend on the uuids of the file's lines."""
        return self._metadata.has_summaries

    def facts(self, uuids: Container[str] = ()) -> SessionFacts:
        """The facts so far; a `summary` is a title only if it names one of the file's `uuids`."""
        value = self._metadata.values.get
        prompt = self._opening or self._fallback or self._sent
        own = self.session_id or next(filter(None, self._sessions), "")
        parent = self._forked_from or self._metadata.fork_parent
        return SessionFacts(
            title=self._metadata.title(uuids) or prompt,
            goal=beginning(prompt, _GOAL),
            opening=self._opening,
            recent_output=self._recent,
            slug=self._slug,
            cwd=self._cwd,
            git_branch=self._branch,
            first_branch=self._first_branch,
            version=self._version,
            model=self._model,
            models=tuple(self._models),
            entrypoint=self._entrypoint,
            start=self._start if self._end else None,
            end=self._end or None,
            last_activity=max(self._end, self._last_metadata, self._last_progress) or None,
            began_here=bool(self._end) and self._first_metadata <= self._start + _MINUTE,
            files_modified=tuple(self._files),
            pull_requests=self._metadata.pull_requests(),
            todos=self._todos.todos(),
            cost_state=self._metadata.cost_state,
            tag=value("tag", ""),
            permission_mode=value("permission_mode", ""),
            is_subagent=bool(self.agent_id) or (self._has_agent and not self._has_main),
            foreign=self._foreign(own),
            resumed_from=self._resumed_from(own),
            forked_from="" if parent == own else parent,
            continued_in=value("continued_in_session_id", ""),
            has_exit_plan=self._has_plan,
            plan_at=self._plan_at,
            planned_in=self._planned_in,
            beginnings=tuple(self._beginnings),
            message_count=self._count,
            displayable=self.displayable,
        )

    def _foreign(self, own: str) -> int:
        lines = (*self._sessions.items(), *self._metadata_sessions.items())
        return sum(count for session, count in lines if session and session != own)

    def _resumed_from(self, own: str) -> str:
        """Older versions resumed into a new file that begins with the old session's lines."""
        first = next(filter(None, self._sessions), "")
        return first or "" if first != own and own in self._sessions else ""


_HANDLERS: Final[dict[type, Callable[[SessionFactsFold, Any, Message | None], object]]] = {
    **dict.fromkeys(get_args(Metadata), SessionFactsFold._metadata_line),
    User: SessionFactsFold._user,
    Assistant: SessionFactsFold._assistant,
    System: SessionFactsFold._conversation_line,
    Attachment: SessionFactsFold._conversation_line,
    Progress: SessionFactsFold._progress,
}


def _is_displayable(message: Message) -> bool:
    """Whether one message is enough to list its session."""
    if message.category == "noise":
        return message.type == "user" and message.is_meta
    return message.voice != "notice"


def _is_task(command: str) -> bool:
    """Whether a slash command was given something to do."""
    name, _, given = command.partition(" ")
    return bool(given) and name not in _SETUP


def _is_note(text: str) -> bool:
    return text[:1] == "[" and text[-1:] == "]"


def _sent_title(entry: ConversationLine, message: Message) -> str:
    """What another session or program asked for; a status in JSON asks for nothing."""
    sent = tags.teammates(_prompt_text(entry))[:1] if message.voice == "teammate" else []
    title = sent[0].summary or sent[0].text if sent else message.head
    return "" if title.startswith("{") else beginning(title, _HEAD)


def _prompt_text(entry: ConversationLine) -> str:
    content = entry.message.content if type(entry) is User and entry.message else ""
    if isinstance(content, list):
        return "\n".join(block.text for block in content if type(block) is Text)
    return content or ""


def _text(entry: Assistant, n: int) -> str:
    content = entry.message.content if entry.message else None
    block = content[n] if isinstance(content, list) else Text(content or "")
    return beginning(block.text.strip(), _HEAD) if type(block) is Text else ""


def _input(entry: Assistant, n: int) -> Raw:
    content = entry.message.content if entry.message else None
    block = content[n] if isinstance(content, list) else None
    return block.input if type(block) is ToolUse else NULL
