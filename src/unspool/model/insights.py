"""What the index knows about many sessions at once: tool calls, responses, costs, activity."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct

# Names of causes.
# As in `StepCost`; in the order of `PriceParts`.
TOKEN_KINDS: Final = ("read", "output", "write", "input", "searches")
ANSWERS: Final = "Text replies"
MAIN_CONVERSATION: Final = "Main conversation"
UNTYPED: Final = "Agents of unknown type"
SKILLS: Final = "Skills"


class CallFact(NamedTuple):
    """One tool call, in the order of its session and agent."""

    session: int
    agent: str
    name: str
    start: int
    duration_ms: int | None
    state: str
    project_id: str
    session_id: str
    tool_use_id: str


class ResponseFact(NamedTuple):
    """One API response: what it read, wrote and cost."""

    session: int
    agent: str
    model: str
    at: int  # 0: no line of it has a time
    input_tokens: int
    output_tokens: int
    cache_read: int
    write_5m: int
    write_1h: int
    cache_write: int  # all of it; of some nothing is known of how long it lives
    web_searches: int
    speed: str
    geo: str
    pico: int | None  # None: no price is known
    project_id: str
    session_id: str
    is_finished: bool = True
    skill: str = ""  # these as Claude Code attributes it
    mcp_server: str = ""
    agent_type: str = ""
    line: int = 0  # where its owner first wrote it: a number of the store's; 0: not known

    @property
    def prompt(self) -> int:
        """All that was sent."""
        return self.input_tokens + self.cache_read + self.cache_write


class PromptFact(NamedTuple):
    """When something was asked in the main conversation of a session."""

    session: int
    at: int
    command: str  # "" where it was no slash command


class ToolCount(Struct, frozen=True, kw_only=True):
    """One tool, over all sessions that were asked for."""

    name: str
    calls: int
    errors: int = 0
    rejected: int = 0
    median_ms: int | None = None
    p95_ms: int | None = None
    waited: int = 0  # calls that waited for approval
    waited_ms: int = 0


class Loop(Struct, frozen=True, kw_only=True):
    """One tool that failed again and again, with nothing else in between."""

    name: str
    times: int
    project_id: str
    session_id: str
    start: int
    end: int
    pico: int = 0  # of the responses that made these calls
    agent: str = ""
    tool_use_id: str = ""  # of its first call


class CacheBreak(Struct, frozen=True, kw_only=True):
    """A response that had to write again what lay in the cache a moment before."""

    why: str
    project_id: str
    session_id: str
    at: int
    tokens: int
    pico: int  # beyond what reading it would have cost: an estimate
    agent: str = ""
    model: str = ""
    line: int = 0  # as the response has it
    event_id: str = ""  # of that line


class Cause(Struct, frozen=True, kw_only=True):
    """A part of what was spent."""

    name: str
    pico: int
    responses: int = 0


class CauseSum(NamedTuple):
    """What the responses of a day and a model used for one cause; of one session, or of several.

    The sides `agent`, `tool`, `skill`, `mcp` and `command` each come to the whole; `kind`, `break`,
    `loop` and `avoidable` have dollars alone, and `break` how many there were.
    """

    session: int
    day: int  # counted from 1970
    model: str
    side: str
    name: str
    input_tokens: int
    output_tokens: int
    cache_read: int
    cache_write: int
    web_searches: int
    pico: int
    unpriced: int
    lower_bound: int
    responses: int
    first_at: int
    last_at: int


class CauseReport(NamedTuple):
    """Sums by cause, and the most expensive cache breaks."""

    sums: Sequence[CauseSum]
    breaks: Sequence[CacheBreak]
    waiting: int = 0  # sessions that have changed and are not added up again yet


class Causes(Struct, frozen=True, kw_only=True):
    """The same dollars by kind of token, by who asked, by tool; and what was lost.

    What has no skill, MCP server or command is left out of those.
    """

    pico: int = 0
    kinds: tuple[Cause, ...] = ()
    askers: tuple[Cause, ...] = ()
    tools: tuple[Cause, ...] = ()
    skills: tuple[Cause, ...] = ()
    mcp_servers: tuple[Cause, ...] = ()
    commands: tuple[Cause, ...] = ()
    breaks: tuple[Cause, ...] = ()  # cache breaks, by reason
    worst_breaks: tuple[CacheBreak, ...] = ()
    looped: int = 0  # of the dollars: calls that failed again and again
    avoidable: int = 0  # of the dollars: cache breaks and loops, what is both counted once
    waiting: int = 0  # sessions that have changed and are not added up again yet


class TimeSpan(NamedTuple):
    """From when to when."""

    start: int
    end: int


class CallSpan(NamedTuple):
    """One tool call; without an answer it ends where it began."""

    start: int
    end: int
    failed: bool = False


class ActivityStrip(NamedTuple):
    """One session: its turns, calls, agents, waits for approval, and compactions."""

    turns: tuple[TimeSpan, ...] = ()
    calls: tuple[CallSpan, ...] = ()
    agents: tuple[TimeSpan, ...] = ()
    waits: tuple[TimeSpan, ...] = ()
    cuts: tuple[int, ...] = ()
