"""Responses of many sessions -> what was spent by skill, MCP server, agent, command or tool.

Each response counts once: where it has several causes, they share it, and the first has what is
left over.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
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
_AMOUNTS: Final = 6  # of the counts, those before the numbers of responses

CauseNames: TypeAlias = Callable[[ResponseFact, Sequence[CallFact]], Sequence[str]]


def cause_totals(
    facts: InsightFacts, by: str, is_wanted: Callable[[ResponseFact], bool]
) -> list[TotalRow]:
    """One sum for each response and cause; its name stands where others have the project."""
    cause = cause_names(facts)[by]
    return [
        (response.at, name, response.session_id, response.agent, response.model, *counts)
        for response, calls in calls_by_response(facts.calls, facts.responses)
        if is_wanted(response)
        for name, counts in shares(counts_of(response), cause(response, calls) or (NONE,))
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


def counts_of(response: ResponseFact) -> tuple[int, ...]:
    """What a response adds to a sum, in the order of `Spend`."""
    return (
        response.input_tokens,
        response.output_tokens,
        response.cache_read,
        response.cache_write,
        response.web_searches,
        response.pico or 0,
        int(response.pico is None),
        int(not response.is_finished),
        1,
        response.at,
        response.at,
    )


def shares(counts: tuple[int, ...], names: Sequence[str]) -> Iterable[tuple[str, tuple[int, ...]]]:
    """What each cause of a response adds."""
    if len(names) == 1:
        return ((names[0], counts),)
    return ((name, _share(counts, len(names), n)) for n, name in enumerate(names))


def _share(counts: tuple[int, ...], of: int, n: int) -> tuple[int, ...]:
    """Amounts are divided; the first has the rest, and is the one response."""
    parts = (one // of + (one % of if n == 0 else 0) for one in counts[:_AMOUNTS])
    flags = counts[_AMOUNTS:-2] if n == 0 else (0, 0, 0)
    return (*parts, *flags, *counts[-2:])
