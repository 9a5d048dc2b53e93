"""The items of the conversation column; a template draws each by its `kind`.

`at` is the clock time of an item; `in_story` says whether the shortest level shows it.
"""

from typing import ClassVar, TypeAlias

from msgspec import Struct

from unspool.show.charts.spool import Spool
from unspool.show.html.components import Number
from unspool.show.paths import split_path
from unspool.show.tools.details import Detail


class CallItem(Struct, frozen=True, kw_only=True):
    """A call on one line, with its details."""

    kind: ClassVar[str] = "row"
    id: str
    tool: str
    what: str
    server: str = ""  # of MCP
    at: str = ""
    copy: str = ""  # its command or path, as it was given
    out: str = ""
    took: str = ""
    state: str = ""  # how it went: error, run
    mark: str = "dot"
    is_open: bool = False
    is_words: bool = False
    is_path: bool = False
    is_for_you: bool = False  # a question or a plan: the reader had to answer
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

    @property
    def in_story(self) -> bool:
        """Failures, and what waited for the reader."""
        return self.is_bad or self.is_for_you or bool(self.decision)

    @property
    def path(self) -> tuple[str, str]:
        """The folder, which may be cut, and the name, which may not."""
        return split_path(self.what) if self.is_path else ("", self.what)


class RelatedSession(Struct, frozen=True):
    """A session this one led to, or came from."""

    text: str
    session: str
    reason: str = ""


class CallGroup(Struct, frozen=True, kw_only=True):
    """Several reading calls, or several of one MCP tool, on one line."""

    kind: ClassVar[str] = "group"
    in_story: ClassVar[bool] = False
    id: str
    tool: str
    what: str
    server: str = ""
    at: str = ""
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
    in_story: ClassVar[bool] = True
    id: str
    at: str = ""
    text: str
    cut: str = ""  # the note that there is more
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


class ThinkingItem(Struct, frozen=True, kw_only=True):
    """Thinking, folded to its first line."""

    kind: ClassVar[str] = "thought"
    in_story: ClassVar[bool] = False
    id: str
    at: str = ""
    first: str
    text: str = ""
    cut: str = ""  # the note that there is more
    took: str = ""
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


class NoticeItem(Struct, frozen=True, kw_only=True):
    """An event such as an error or an interruption."""

    kind: ClassVar[str] = "notice"
    id: str
    at: str = ""
    title: str
    text: str = ""
    cut: str = ""  # the note that there is more
    side: str = ""
    is_error: bool = False
    mark: str = "idle"
    is_words: bool = False
    noise: str = ""  # what it is counted as, if it is folded with others of its kind
    line: int = 0
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()

    @property
    def in_story(self) -> bool:
        """All but machine notes."""
        return not self.noise


class NoiseItem(Struct, frozen=True, kw_only=True):
    """All machine notes between two steps, on one line."""

    kind: ClassVar[str] = "noise"
    in_story: ClassVar[bool] = False
    id: str
    what: str
    at: str = ""
    notes: tuple[NoticeItem, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Of the notes in it."""
        return frozenset(note.id for note in self.notes)

    @property
    def lines(self) -> tuple[int, ...]:
        """Of the notes in it."""
        return tuple(line for note in self.notes for line in note.lines)


class ApprovalItem(Struct, frozen=True, kw_only=True):
    """A call that waits for approval."""

    kind: ClassVar[str] = "ask"
    in_story: ClassVar[bool] = True
    id: str
    at: str = ""
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
    cost: Number = Number("")  # with all agents below it
    nested: str = ""  # what those below it cost
    took: str = ""
    proof: str = ""
    depth: int = 0
    is_ongoing: bool = False


class AgentItem(Struct, frozen=True, kw_only=True):
    """An agent where it was started, with its steps or a link to them."""

    kind: ClassVar[str] = "agent"
    in_story: ClassVar[bool] = True
    id: str
    line: AgentLine
    at: str = ""
    spool: Spool | None = None  # of its own steps, if they are here
    call: CallItem | None = None  # what it was told and what it answered
    below: tuple[AgentLine, ...] = ()
    items: tuple["StepItem", ...] = ()
    has_more: bool = False
    lines: tuple[int, ...] = ()


StepItem: TypeAlias = (
    CallItem
    | CallGroup
    | TextItem
    | ThinkingItem
    | NoticeItem
    | NoiseItem
    | ApprovalItem
    | AgentItem
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
    second: str = ""  # the same to the second
    exact: str = ""
    text: str = ""
    cut: str = ""  # the note that there is more
    is_output: bool = False  # printed by a command, not written by anybody
    first: str = ""  # its beginning, where it is folded to a line
    branch: int = 0
    lines: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()
    event: str = ""
    pictures: int = 0
    leads: RelatedSession | None = None

    @property
    def in_story(self) -> bool:
        """All but what is folded."""
        return not self.first


class AnswerBlock(Struct, frozen=True, kw_only=True):
    """One answer of Claude with all its steps."""

    kind: ClassVar[str] = "answer"
    in_story: ClassVar[bool] = True
    id: str
    at: str
    exact: str = ""
    steps: str = ""
    summary: str = ""  # its calls in a line
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
    in_story: ClassVar[bool] = True
    id: str
    second: str = ""  # when, to the second
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
    anchors: tuple[str, ...] = ()  # ids of what a shorter level leaves out here
    is_ghost: bool = False  # outside the range that is shown, as its heading


class PageLocation(Struct, frozen=True, kw_only=True):
    """Session and agent of a page, and the step or search to highlight."""

    project: str
    id: str
    agent: str = ""
    at: str = ""
    hits: frozenset[int] = frozenset()  # lines in which a search found its words
    branch: int = 0
    level: str = "normal"
