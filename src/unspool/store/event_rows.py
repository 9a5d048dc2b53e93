"""What the timeline of one session asks of a store."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractContextManager
    from typing import Protocol

    from unspool.model.live import (
        HookNote,
        HookStamp,
        LineEvent,
        TimelineSource,
        TokenCounts,
        ToolLines,
    )
    from unspool.model.rows import HookRow
else:
    Protocol = object  # as in the package: nobody needs the types


class EventRows(Protocol):
    """The rows of one session at one moment, for its timeline."""

    def sources(self) -> list[TimelineSource]:
        """Its transcripts, each in its newest generation."""

    def lines(
        self, source: TimelineSource, begin: int, end: int = ..., limit: int = ...
    ) -> list[LineEvent]:
        """The lines of a file that are events, from an offset on; -1 is no limit."""

    def line_ids(self, source: TimelineSource, begin: int) -> list[int]:
        """The ids of all its lines, events or not, from an offset on."""

    def lines_by_id(self, ids: Collection[int]) -> list[LineEvent]:
        """Some lines that are events, in any order."""

    def tools(self, source: TimelineSource) -> list[ToolLines]:
        """All calls of a file."""

    def tools_by_line(self, ids: Collection[int]) -> list[ToolLines]:
        """The calls that some lines make or answer."""

    def line_of_call(self, tool_use_id: str, *, is_result: bool) -> int | None:
        """The first line that makes a call, or answers it."""

    def tokens(self) -> TokenCounts:
        """The tokens of the session."""

    def tokens_by_line(self) -> dict[int, TokenCounts]:
        """The tokens of each line that a response counts at."""

    def tokens_of(self, lines: Collection[int]) -> dict[int, TokenCounts]:
        """The tokens of some lines."""

    def responses_of(self, lines: Collection[int]) -> dict[int, int]:
        """Numbers of the responses that some lines repeat, with the lines these count at."""

    def hook_state(self) -> HookStamp:
        """Changes with the hooks of the session."""

    def hook_count(self) -> int:
        """How many hook records it has."""

    def hook_notes(self) -> list[HookNote]:
        """What a timeline keeps in memory of all of them."""

    def new_hook_notes(self, after: int) -> list[HookNote]:
        """The same, of records after a line id."""

    def hooks_by_line(self, lines: Collection[int]) -> list[HookRow]:
        """Some records in full."""


class SessionEvents(Protocol):
    """The events of one session."""

    def hooks(self) -> list[HookRow]:
        """All hook records, oldest first."""

    def reading(self) -> AbstractContextManager[EventRows]:
        """Its rows as of one moment, for the block."""
