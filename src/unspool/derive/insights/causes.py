"""Calls, responses, compactions and agents of some time -> where its dollars went."""

from typing import NamedTuple

from unspool.derive.insights.breaks import breaks
from unspool.derive.insights.kinds import Kinds
from unspool.derive.insights.shares import by_asker, by_tool, made_by
from unspool.model.insights import CallFact, Causes, ResponseFact
from unspool.model.prices import PriceTable


class Material(NamedTuple):
    """What is known of the time that is asked for."""

    calls: list[CallFact]
    responses: list[ResponseFact]
    compactions: dict[int, list[int]]
    agent_types: dict[tuple[int, str], str]


def causes(found: Material, table: PriceTable) -> Causes:
    """The same dollars, looked at from four sides."""
    kinds = Kinds(table)
    return Causes(
        pico=sum(one.pico or 0 for one in found.responses),
        kinds=tuple(kinds.sums(found.responses)),
        askers=tuple(by_asker(found.responses, found.agent_types)),
        tools=tuple(by_tool(made_by(found.calls, found.responses))),
        breaks=tuple(breaks(found.responses, found.compactions, kinds.price)),
    )


def costs_by_call(calls: list[CallFact], responses: list[ResponseFact]) -> dict[str, int]:
    """What the responses that made each call cost, shared among their calls."""
    return {
        call.tool_use_id: (response.pico or 0) // len(made)
        for response, made in made_by(calls, responses)
        for call in made
    }
