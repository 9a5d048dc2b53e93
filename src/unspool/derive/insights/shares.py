"""Calls and responses -> what the responses that made each call cost, shared among their calls."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.model.insights import CallFact, Cause, ResponseFact

ANSWERS: Final = "Answers without a call"
SKILLS: Final = "Skills"


def made_by(
    calls: Iterable[CallFact], responses: Iterable[ResponseFact]
) -> Iterator[tuple[ResponseFact, list[CallFact]]]:
    """Each response with the calls it made: those of its agent from its start to the next one.

    Both must be in the order of session, agent and time.
    """
    waiting = _by_agent(calls)
    last: ResponseFact | None = None
    for response in responses:
        if last is not None:
            is_same = (last.session, last.agent) == (response.session, response.agent)
            yield last, _taken(waiting, last, response.at if is_same else None)
        last = response
    if last is not None:
        yield last, _taken(waiting, last, None)


_Waiting = dict[tuple[int, str], list[CallFact]]


def _by_agent(calls: Iterable[CallFact]) -> _Waiting:
    found: _Waiting = {}
    for call in calls:
        found.setdefault((call.session, call.agent), []).append(call)
    for group in found.values():
        group.sort(key=lambda call: -call.start)
    return found


def _taken(waiting: _Waiting, response: ResponseFact, until: int | None) -> list[CallFact]:
    group, taken = waiting.get((response.session, response.agent), []), list[CallFact]()
    while group and (until is None or group[-1].start < until):
        call = group.pop()
        if call.start >= response.at:
            taken.append(call)
    return taken


def by_tool(made: Iterable[tuple[ResponseFact, Sequence[CallFact]]]) -> list[Cause]:
    """Dollars by tool, MCP servers and skills each as one, the dearest first."""
    sums: dict[str, int] = {}
    counts: dict[str, int] = {}
    for response, calls in made:
        names = [_named(call.name) for call in calls] or [ANSWERS]
        pico = response.pico or 0
        for n, name in enumerate(names):
            # The first takes what does not divide, so that nothing is lost.
            part = pico // len(names) + (pico % len(names) if n == 0 else 0)
            sums[name] = sums.get(name, 0) + part
        for name in set(names):
            counts[name] = counts.get(name, 0) + 1
    made_up = (Cause(name=name, pico=pico, responses=counts[name]) for name, pico in sums.items())
    return sorted(made_up, key=lambda one: (-one.pico, one.name))


def _named(name: str) -> str:
    if name.startswith("mcp__"):
        return f"MCP {name.removeprefix('mcp__').partition('__')[0]}"
    return SKILLS if name == "Skill" else name or "?"


def by_asker(responses: Iterable[ResponseFact], types: dict[tuple[int, str], str]) -> list[Cause]:
    """Dollars of the conversations themselves, and of agents by their type."""
    sums: dict[str, int] = {}
    counts: dict[str, int] = {}
    for one in responses:
        name = "You and Claude"
        if one.agent:
            type = types.get((one.session, one.agent), "")
            is_compacting = one.agent.startswith("acompact")
            name = "Compaction" if is_compacting else f"Agents: {type}" if type else "Agents"
        sums[name] = sums.get(name, 0) + (one.pico or 0)
        counts[name] = counts.get(name, 0) + 1
    made = (Cause(name=name, pico=pico, responses=counts[name]) for name, pico in sums.items())
    return sorted(made, key=lambda one: (-one.pico, one.name))
