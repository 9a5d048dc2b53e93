"""What happens in a story: prompts, thoughts, answers, pauses and what the client notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

FABLE, OPUS = "claude-fable-5-1", "claude-opus-5-5"
SONNET, HAIKU = "claude-sonnet-5-5", "claude-haiku-5-5"
REPO = "/home/dev/waybill"
RELEASE = f"{REPO}/.claude/worktrees/release"
OPS = f"{REPO}-ops"
WEEKEND = -1
HERE = "$REPO"  # in the text of a step: the working directory of its session


@dataclass(frozen=True)
class Prompt:
    """What the user types, some seconds after the last step."""

    text: str
    after: float = 45
    mode: str = "default"


@dataclass(frozen=True)
class Think:
    """A thought before the next answer or call."""

    text: str


@dataclass(frozen=True)
class Say:
    """A sentence before the next call."""

    text: str


@dataclass(frozen=True)
class ScriptedCall:
    """A tool call and its result; `asks` is how many seconds it waits for somebody."""

    tool: str
    input: Any
    content: Any = ""
    result: Any = None
    failed: bool = False
    took: float = 0.4
    asks: float = 0
    agent: Agent | None = None
    rejected: bool = False


@dataclass(frozen=True)
class Calls:
    """Calls of one response, which run side by side."""

    calls: tuple[ScriptedCall, ...]


@dataclass(frozen=True)
class FinalAnswer:
    """The words that end a turn."""

    text: str


@dataclass(frozen=True)
class Pause:
    """Nobody does anything for a while."""

    seconds: float


@dataclass(frozen=True)
class Compact:
    """The conversation is compacted, and goes on from a summary."""

    summary: str
    trigger: str = "auto"


@dataclass(frozen=True)
class Failure:
    """The API refuses a request; the client tries again, then gives up."""

    text: str
    error: str
    status: int = 0
    tries: int = 0


@dataclass(frozen=True)
class Limit:
    """The weekly limit of one model is reached, which has a name; others still work."""

    model: str


@dataclass(frozen=True)
class TaskNotice:
    """A background task is over."""

    task: str
    summary: str
    result: str = ""


@dataclass(frozen=True)
class TeamMessage:
    """A member of the team writes."""

    sender: str
    colour: str
    summary: str
    text: str


@dataclass(frozen=True)
class Now:
    """The demo begins at this point of a running story, or so many seconds before it."""

    before: float = 0


Step: TypeAlias = (
    Prompt
    | Think
    | Say
    | ScriptedCall
    | Calls
    | FinalAnswer
    | Pause
    | Compact
    | Failure
    | Limit
    | TaskNotice
    | TeamMessage
    | Now
)
Steps: TypeAlias = Sequence[Step]


@dataclass(frozen=True)
class Agent:
    """Somebody who works for a session, with a transcript of their own."""

    kind: str
    description: str
    prompt: str
    steps: Steps
    model: str = SONNET
    background: bool = False
    name: str = ""
    team: str = ""
    colour: str = ""


@dataclass(frozen=True)
class Story:
    """One session: who does what, in which directory, and when.

    `day` counts working days back from today, or is WEEKEND; `at` is the time of day. A story of
    today began `ago` minutes ago. `memory` is the CLAUDE.md of its directory, `skills` are lines of
    the list that a session begins with.
    """

    name: str
    title: str
    steps: Steps
    day: int = 0
    at: str = "09:30"
    ago: float = 0
    model: str = OPUS
    branch: str = "main"
    cwd: str = REPO
    slug: str = ""
    formats: bool = False  # a hook formats each edited file
    memory: str = ""
    skills: tuple[str, ...] = ()


def prompt(text: str, *, after: float = 45, mode: str = "default") -> Prompt:
    """Let the user type."""
    return Prompt(text, after, mode)


def think(text: str) -> Think:
    """Think before the next call or answer."""
    return Think(text)


def say(text: str) -> Say:
    """Say a sentence before the next call."""
    return Say(text)


def answer(text: str) -> FinalAnswer:
    """End the turn."""
    return FinalAnswer(text)


def together(*calls: ScriptedCall) -> Calls:
    """Make several calls in one response."""
    return Calls(calls)


def pause(*, minutes: float = 0, hours: float = 0) -> Pause:
    """Let time pass."""
    return Pause(minutes * 60 + hours * 3_600)


def notice(task: str, summary: str, result: str = "") -> TaskNotice:
    """Tell that a background task is over."""
    return TaskNotice(task, summary, result)
