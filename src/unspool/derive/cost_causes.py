"""Responses of many sessions -> what was spent by skill, MCP server, agent, command or tool.

Each response counts once: where it has several causes, they share it, and the first has what is
left over.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from unspool.derive.insights import InsightFacts, calls_by_response
from unspool.derive.reading.agent_ids import COMPACTING
from unspool.model.insights import CallFact, PromptFact, ResponseFact
from unspool.model.usage import TotalRow

NONE: Final = "none"
MAIN: Final = "main"
COMPACTION: Final = "compaction"
UNKNOWN: Final = "unknown"
MCP: Final = "mcp__"

CauseNames: TypeAlias = Callable[[ResponseFact, Sequence[CallFact]], Sequence[str]]


def cause_totals(
    facts: InsightFacts, by: str, is_wanted: Callable[[ResponseFact], bool]
) -> list[TotalRow]:
    """One sum for each response and cause; its name stands where others have the project."""
    cause = cause_names(facts)[by]
    return [
        total
        for response, calls in calls_by_response(facts.calls, facts.responses)
        if is_wanted(response)
        for total in shares(response, cause(response, calls) or (NONE,))
    ]


def cause_names(facts: InsightFacts) -> Mapping[str, CauseNames]:
    """What names the causes of a response, by the words of reports."""
    commands = _Commands(facts.prompts)
    return {
        "skill": lambda response, _: (response.skill,) if response.skill else (),
        "mcp": _servers,
        "agent": lambda response, _: (agent_name(response, facts.agent_types),),
        "command": lambda response, _: commands.at(response),
        "tool": lambda _, calls: [call.name or "?" for call in calls],
    }


def agent_name(response: ResponseFact, types: Mapping[tuple[int, str], str]) -> str:
    """Who asked for a response: the main conversation, or an agent by its type."""
    if response.agent.startswith(COMPACTING):
        return COMPACTION
    if not response.agent:
        return MAIN
    return types.get((response.session, response.agent)) or response.agent_type or UNKNOWN


def _servers(response: ResponseFact, calls: Iterable[CallFact]) -> Sequence[str]:
    if response.mcp_server:
        return (response.mcp_server,)
    named = (call.name.removeprefix(MCP) for call in calls if call.name.startswith(MCP))
    return [name.partition("__")[0] for name in named]


class _Commands:
    """Which slash command was the last one when something happened in a session."""

    def __init__(self, prompts: Iterable[PromptFact]) -> None:
        self._times: dict[int, list[int]] = {}
        self._names: dict[int, list[str]] = {}
        for session, at, command in prompts:
            self._times.setdefault(session, []).append(at)
            self._names.setdefault(session, []).append(command)

    def at(self, response: ResponseFact) -> Sequence[str]:
        """The command whose turn a response is in, agents' included; nothing for a prompt."""
        place = bisect_right(self._times.get(response.session, ()), response.at) - 1
        name = self._names[response.session][place] if place >= 0 else ""
        return (name,) if name else ()


def shares(response: ResponseFact, names: Sequence[str]) -> Iterator[TotalRow]:
    """A sum of each cause of a response."""
    counts = (
        response.input_tokens,
        response.output_tokens,
        response.cache_read,
        response.cache_write,
        response.web_searches,
        response.pico or 0,
    )
    flags = (int(response.pico is None), int(not response.is_finished), 1)
    for n, name in enumerate(names):
        parts = (_part(count, len(names), n) for count in counts)
        first = flags if n == 0 else (0, 0, 0)
        group = response.at, name, response.session_id, response.agent, response.model
        yield (*group, *parts, *first, response.at, response.at)


def _part(count: int, of: int, n: int) -> int:
    return count // of + (count % of if n == 0 else 0)
