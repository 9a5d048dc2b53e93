"""Subagents -> lines: each where it was started, with its cost, its last words and its own."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import UNSET, Struct

from unspool.model.document import SessionDocument, Subagent
from unspool.show import safe, times
from unspool.show.money import format_usd, plural
from unspool.show.spans import Line, Span, indented
from unspool.show.text.calls import item
from unspool.show.text.frame import Frame
from unspool.show.text.prose import passage

_WORDS = 3
_DEEPEST = 12
_WEAK = ("prompt", "position")


class Trace(Struct, frozen=True):
    """What an agent's own transcript adds to its line."""

    steps: int = 0
    last_words: str = ""


def trace(document: SessionDocument) -> Trace:
    """The trace of an agent, from its own document."""
    chunks = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    count = sum(step.type != "tool_result" for steps in chunks for step in steps)
    return Trace(count, document.session.recent_output or "")


class Agents:
    """The agents of one session, each shown once."""

    def __init__(
        self, agents: Sequence[Subagent], traces: Callable[[str], Trace], frame: Frame
    ) -> None:
        self._by_id = {agent.id: agent for agent in agents}
        self._calls = {agent.parent_task_id for agent in agents}
        self._children: dict[str, list[str]] = {}
        for agent in agents:
            self._children.setdefault(agent.parent_agent_id or "", []).append(agent.id)
        self._traces = traces
        self._frame = frame
        self._shown: set[str] = set()

    def is_for(self, tool_use_id: str) -> bool:
        """Whether a call started an agent that has a line of its own."""
        return tool_use_id in self._calls

    def show(self, id: str) -> Iterator[Line]:
        """An agent and, further in, those it started itself, however deep that goes."""
        waiting = [(id, 0)]
        while waiting:
            one, depth = waiting.pop()
            agent = self._by_id.get(one)
            if agent is None or one in self._shown:
                continue
            self._shown.add(one)
            by = 4 * min(depth, _DEEPEST)
            yield from indented(self._one(agent, self._frame.inside(by)), by)
            children = self._children.get(one, ())
            waiting += [(child, depth + 1) for child in reversed(children)]

    def rest(self) -> Iterator[Line]:
        """Agents that nothing in the story leads to."""
        for agent in self._by_id.values():
            if agent.parent_agent_id not in self._by_id:
                yield from self.show(agent.id)
        for id in self._by_id:
            yield from self.show(id)

    def _one(self, agent: Subagent, frame: Frame) -> Iterator[Line]:
        found = self._traces(agent.id)
        cost = format_usd(agent.metrics.cost_usd, at_least=agent.metrics.lower_bound)
        facts = [
            safe.brief(_kind(agent), 60),
            plural(found.steps, "step") if found.steps else "",
            cost,
            times.duration(agent.duration_ms),
            f"linked by {agent.proof}" if agent.proof in _WEAK else "",
        ]
        mark: Span = ("work", "●") if agent.is_ongoing else ("dim", "↳")
        told = safe.brief(agent.description) or agent.id
        right: Line = (("dim", " · ".join(fact for fact in facts if fact)),)
        yield item(mark, "Agent", told, right, frame)
        width = None if frame.prose is None else frame.prose - 6
        yield from indented(passage(found.last_words, width, _WORDS, style="dim"), 6)


def _kind(agent: Subagent) -> str:
    team = agent.team
    return team.member_name if team and team.member_name else agent.subagent_type
