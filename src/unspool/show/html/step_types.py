"""The items of the conversation column; a template draws each by its `kind`."""

from typing import ClassVar, TypeAlias

from msgspec import Struct

from unspool.show.html.components import Number
from unspool.show.tools.details import Detail


class CallItem(Struct, frozen=True, kw_only=True):
    """A call on one line, with its details."""

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
    hook_note: str = ""  # what hooks said of it otherwise
    details: tuple[Detail, ...] = ()
    has_more: bool = False  # the whole of it is fetched when asked for
    line: int = 0  # of its result, or of the call itself
    lines: tuple[int, ...] = ()
    event: str = ""  # the name of its result's line, for its images
    first_image: int = 0
    secrets: tuple[str, ...] = ()  # names of lines something was taken out of
    leads: "RelatedSession | None" = None

    @property
    def is_bad(self) -> bool:
        """Whether it failed."""
        return self.state == "error"


class RelatedSession(Struct, frozen=True):
    """A session this one led to, or came from."""

    text: str
    session: str
    reason: str = ""


class CallGroup(Struct, frozen=True, kw_only=True):
    """Several reading calls on one line."""

    kind: ClassVar[str] = "group"
    id: str
    tool: str
    what: str
    out: str = ""
    took: str = ""
    rows: tuple[CallItem, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Of the calls in it."""
        return frozenset(row.id for row in self.rows)

    @property
    def lines(self) -> tuple[int, ...]:
        """Of the calls in it."""
        return tuple(line for row in self.rows for line in row.lines)


class TextItem(Struct, frozen=True, kw_only=True):
    """Text written by Claude."""

    kind: ClassVar[str] = "said"
    id: str
    text: str
    cut: str = ""  # the note that there is more
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


class ThinkingItem(Struct, frozen=True, kw_only=True):
    """Thinking, folded to its first line."""

    kind: ClassVar[str] = "thought"
    id: str
    first: str
    text: str = ""
    cut: str = ""  # the note that there is more
    took: str = ""
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


class NoticeItem(Struct, frozen=True, kw_only=True):
    """An event such as an error or an interruption; never folded."""

    kind: ClassVar[str] = "notice"
    id: str
    title: str
    text: str = ""
    cut: str = ""  # the note that there is more
    side: str = ""
    is_error: bool = False
    mark: str = "idle"
    is_words: bool = False
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


class ApprovalItem(Struct, frozen=True, kw_only=True):
    """A call that waits for approval."""

    kind: ClassVar[str] = "ask"
    id: str
    tool: str
    what: str
    waits: str
    proof: str
    details: tuple[Detail, ...] = ()
    lines: tuple[int, ...] = ()


class AgentLine(Struct, frozen=True, kw_only=True):
    """An agent on one line; `depth` counts the agents above it."""

    id: str
    title: str
    about: str = ""
    cost: Number = Number("")
    took: str = ""
    proof: str = ""
    depth: int = 0
    is_ongoing: bool = False


class AgentItem(Struct, frozen=True, kw_only=True):
    """An agent where it was started, with its steps or a link to them."""

    kind: ClassVar[str] = "agent"
    id: str
    line: AgentLine
    call: CallItem | None = None  # what it was told and what it answered
    below: tuple[AgentLine, ...] = ()
    items: tuple["StepItem", ...] = ()
    has_more: bool = False
    lines: tuple[int, ...] = ()


StepItem: TypeAlias = (
    CallItem | CallGroup | TextItem | ThinkingItem | NoticeItem | ApprovalItem | AgentItem
)


class StepSlab(Struct, frozen=True, kw_only=True):
    """Some steps of an answer; long answers are cut at stable positions."""

    id: str
    number: int
    items: tuple[StepItem, ...] = ()
    folded: str = ""  # what is in it, where it is fetched when asked for


class SpeechBlock(Struct, frozen=True, kw_only=True):
    """A prompt, a message of another agent, or command output."""

    kind: ClassVar[str] = "speech"
    id: str
    who: str
    at: str
    exact: str = ""
    text: str = ""
    cut: str = ""  # the note that there is more
    is_output: bool = False  # printed by a command, not written by anybody
    branch: int = 0
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()
    event: str = ""
    pictures: int = 0
    leads: RelatedSession | None = None


class AnswerBlock(Struct, frozen=True, kw_only=True):
    """One answer of Claude with all its steps."""

    kind: ClassVar[str] = "answer"
    id: str
    at: str
    exact: str = ""
    steps: str = ""
    cost: Number = Number("")
    tokens: Number = Number("")
    slabs: tuple[StepSlab, ...] = ()
    is_interrupted: bool = False
    branch: int = 0
    lines: tuple[int, ...] = ()

    @property
    def items(self) -> tuple[StepItem, ...]:
        """All loaded items."""
        return tuple(item for slab in self.slabs for item in slab.items)


class CompactionBlock(Struct, frozen=True, kw_only=True):
    """A compaction of the context."""

    kind: ClassVar[str] = "splice"
    id: str
    text: str = ""
    saved: str = ""  # tokens before and after
    summary: str = ""
    cut: str = ""  # the note that there is more
    branch: int = 0
    lines: tuple[int, ...] = ()


PassageBlock: TypeAlias = SpeechBlock | AnswerBlock | CompactionBlock


class Passage(Struct, frozen=True, kw_only=True):
    """One chunk on the page; `number` is its place in the session."""

    id: str
    number: int
    turn: int | None
    opens: bool  # its turn begins with it
    block: PassageBlock


class PageLocation(Struct, frozen=True, kw_only=True):
    """Session and agent of a page, and the step or search to highlight."""

    project: str
    id: str
    agent: str = ""
    at: str = ""
    hits: frozenset[int] = frozenset()  # lines in which a search found its words
    branch: int = 0
