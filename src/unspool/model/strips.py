"""What the index knows of when things happened in a session, in milliseconds since 1970."""

from typing import NamedTuple


class Span(NamedTuple):
    """From when to when."""

    start: int
    end: int


class CallSpan(NamedTuple):
    """One tool call; without an answer it ends where it began."""

    start: int
    end: int
    failed: bool = False


class Strip(NamedTuple):
    """One session: its turns, calls, agents, waits for approval, and compactions."""

    turns: tuple[Span, ...] = ()
    calls: tuple[CallSpan, ...] = ()
    agents: tuple[Span, ...] = ()
    waits: tuple[Span, ...] = ()
    cuts: tuple[int, ...] = ()
