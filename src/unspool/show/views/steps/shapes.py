"""What stands in the reading column: each shape says its kind, a template draws it."""

from typing import ClassVar, TypeAlias

from msgspec import Struct

from unspool.show.viewers.pieces import Piece
from unspool.show.views.steps.numbers import Number


class Row(Struct, frozen=True, kw_only=True):
    """A call on one line, and what lies behind it."""

    kind: ClassVar[str] = "row"
    id: str
    tool: str
    what: str
    out: str = ""
    took: str = ""
    state: str = ""  # how it went: error, run
    mark: str = "dot"
    is_open: bool = False
    is_words: bool = False
    decision: str = ""  # who allowed or refused it, where that is worth a line
    pieces: tuple[Piece, ...] = ()
    has_more: bool = False  # the whole of it is fetched when asked for
    line: int = 0  # of its result

    @property
    def is_bad(self) -> bool:
        """Whether it went wrong."""
        return self.state == "error"


class Group(Struct, frozen=True, kw_only=True):
    """Several calls that only looked, on one line."""

    kind: ClassVar[str] = "group"
    id: str
    tool: str
    what: str
    out: str = ""
    took: str = ""
    rows: tuple[Row, ...] = ()


class Said(Struct, frozen=True):
    """Words of Claude."""

    kind: ClassVar[str] = "said"
    id: str
    text: str


class Thought(Struct, frozen=True, kw_only=True):
    """Thinking, folded to its first line."""

    kind: ClassVar[str] = "thought"
    id: str
    first: str
    text: str = ""
    took: str = ""


class Notice(Struct, frozen=True, kw_only=True):
    """Something that happened to the conversation; never folded."""

    kind: ClassVar[str] = "notice"
    id: str
    title: str
    text: str = ""
    side: str = ""
    is_error: bool = False
    mark: str = "idle"


class Ask(Struct, frozen=True, kw_only=True):
    """A call that waits for the reader."""

    kind: ClassVar[str] = "ask"
    id: str
    tool: str
    what: str
    waits: str
    proof: str


class AgentLine(Struct, frozen=True, kw_only=True):
    """An agent on one line; `depth` is how many agents stand between it and the session."""

    id: str
    title: str
    about: str = ""
    cost: Number = Number("")
    took: str = ""
    proof: str = ""
    depth: int = 0
    is_ongoing: bool = False


class Agent(Struct, frozen=True, kw_only=True):
    """An agent where it was started, with its own steps or the way to them."""

    kind: ClassVar[str] = "agent"
    id: str
    line: AgentLine
    call: Row | None = None  # what it was told and what it answered
    below: tuple[AgentLine, ...] = ()
    items: tuple["Item", ...] = ()
    has_more: bool = False


Item: TypeAlias = Row | Group | Said | Thought | Notice | Ask | Agent


class Speech(Struct, frozen=True, kw_only=True):
    """What somebody who is not Claude put into the conversation."""

    kind: ClassVar[str] = "speech"
    id: str
    who: str
    at: str
    exact: str = ""
    text: str = ""
    is_output: bool = False  # printed by a command, not written by anybody
    branch: int = 0


class Answer(Struct, frozen=True, kw_only=True):
    """What Claude did and said until it was done."""

    kind: ClassVar[str] = "answer"
    id: str
    at: str
    exact: str = ""
    steps: str = ""
    cost: Number = Number("")
    items: tuple[Item, ...] = ()
    is_interrupted: bool = False
    branch: int = 0


class Splice(Struct, frozen=True, kw_only=True):
    """Where the context was compacted."""

    kind: ClassVar[str] = "splice"
    id: str
    text: str = ""
    saved: str = ""  # tokens before and after
    summary: str = ""
    branch: int = 0


Block: TypeAlias = Speech | Answer | Splice


class Passage(Struct, frozen=True):
    """The blocks of one turn."""

    id: str
    turn: int | None
    blocks: tuple[Block, ...]
    goes_on: bool = False  # its turn began further up, or it belongs to none
