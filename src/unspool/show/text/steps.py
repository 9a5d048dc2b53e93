"""The steps of one answer -> lines, with its subagents."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct

from unspool.model.document import SessionDocument, Step, Subagent, ToolExecution
from unspool.show import safe, times
from unspool.show.labels import cost_label, notice_text
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line, Span, Style, indented
from unspool.show.text import calls
from unspool.show.text.calls import TextContext, item
from unspool.show.text.layout import Frame, passage
from unspool.show.tools import registry

_WORDS = 3
_DEEPEST = 12
_WEAK = ("prompt", "position")


class AgentTrace(Struct, frozen=True):
    """Facts from an agent's own transcript."""

    steps: int = 0
    last_words: str = ""


def agent_trace(document: SessionDocument) -> AgentTrace:
    """The trace of an agent, from its own document."""
    chunks = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    count = sum(step.type != "tool_result" for steps in chunks for step in steps)
    return AgentTrace(count, document.session.recent_output or "")


class SessionAgents:
    """The agents of one session, each shown once."""

    def __init__(
        self, agents: Sequence[Subagent], traces: Callable[[str], AgentTrace], frame: Frame
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
        """An agent and, indented, all agents below it."""
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
        """Agents that no step refers to."""
        for agent in self._by_id.values():
            if agent.parent_agent_id not in self._by_id:
                yield from self.show(agent.id)
        for id in self._by_id:
            yield from self.show(id)

    def _one(self, agent: Subagent, frame: Frame) -> Iterator[Line]:
        trace = self._traces(agent.id)
        cost = cost_label(agent.metrics)
        facts = [
            safe.brief(_kind(agent), 60),
            plural(trace.steps, "step") if trace.steps else "",
            cost,
            times.duration(agent.duration_ms),
            f"linked by {agent.proof}" if agent.proof in _WEAK else "",
        ]
        mark: Span = ("work", "●") if agent.is_ongoing else ("dim", "↳")
        title = safe.brief(agent.description) or agent.id
        right: Line = (("dim", " · ".join(fact for fact in facts if fact)),)
        yield item(mark, "Agent", title, right, frame)
        width = None if frame.prose is None else frame.prose - 6
        yield from indented(passage(trace.last_words, width, _WORDS, style="dim"), 6)


def _kind(agent: Subagent) -> str:
    team = agent.team
    return team.member_name if team and team.member_name else agent.subagent_type


_MOST_LINES = 10_000  # more than Claude can write in one answer
_THOUGHT = 4
_LONG_THOUGHT_MS = 10_000


class StepLines:
    """Renders steps in order; reading calls are collected into runs."""

    def __init__(
        self, executions: Mapping[str, ToolExecution], agents: SessionAgents, context: TextContext
    ) -> None:
        self._executions = executions
        self._agents = agents
        self._story = context
        self._width = None if context.frame.prose is None else context.frame.prose - 2
        self._run: list[ToolExecution] = []

    def show(self, steps: Sequence[Step]) -> Iterator[Line]:
        """All steps of a chunk."""
        was_prose: bool | None = None
        for is_prose, lines in self._parts(steps):
            # Words and work are set apart, as paragraphs are.
            if was_prose is not None and (is_prose or was_prose):
                yield BLANK
            yield from lines
            was_prose = is_prose

    def _parts(self, steps: Sequence[Step]) -> Iterator[tuple[bool, list[Line]]]:
        for step in self._visible(steps):
            one = self._execution(step)
            if step.type == "tool_call" and one is not None and calls.is_quiet(one):
                self._run.append(one)
                continue
            lines = list(self._call(step, one) if step.type == "tool_call" else self._other(step))
            if lines:
                yield from self._close_run()
                yield step.type == "output", lines
        yield from self._close_run()

    def _visible(self, steps: Sequence[Step]) -> Iterator[Step]:
        """Results are shown with their call; a rejection and its notice are one event."""
        last = ""
        for step in steps:
            if step.type == "tool_result" and self._execution(step) is not None:
                continue
            if not last == step.type == "interruption":
                yield step
            last = step.type

    def _execution(self, step: Step) -> ToolExecution | None:
        return None if step.tool_use_id is UNSET else self._executions.get(step.tool_use_id)

    def _call(self, step: Step, one: ToolExecution | None) -> Iterator[Line]:
        if one is None:
            yield item(("dim", "?"), registry.label(step.name), "", (), self._story.frame)
        elif one.state != "ok" or not self._agents.is_for(one.tool_use_id):
            yield from calls.call(one, self._story)

    def _close_run(self) -> Iterator[tuple[bool, list[Line]]]:
        if self._run:
            yield False, list(calls.run(self._run, self._story))
            self._run = []

    def _other(self, step: Step) -> Iterator[Line]:
        text = "" if step.text is UNSET else step.text
        if step.type == "output":
            yield from indented(passage(text, self._width, _MOST_LINES), 2)
        elif step.type == "thinking":
            yield from self._thought(step, text)
        elif step.type == "subagent":
            yield from self._agents.show("" if step.agent_id is UNSET else step.agent_id)
        elif step.type == "interruption":
            yield (("wait", "  ■ Interrupted by you"),)
        elif step.type == "hook":
            yield from self._hook(step, text)
        else:
            yield from self._notice(step, text)

    def _thought(self, step: Step, text: str) -> Iterator[Line]:
        spent = step.effective_duration_ms
        if not text.strip() and spent < _LONG_THOUGHT_MS:
            return
        right = times.duration(spent) if spent else ""
        yield item(("thinking", "◆"), "Thinking", "", (("dim", right),), self._story.frame)
        yield from indented(passage(text, self._inside(2), _THOUGHT, style="dim"), 4)

    def _hook(self, step: Step, text: str) -> Iterator[Line]:
        """A successful hook without output is not shown."""
        if not step.is_error and not text.strip():
            return
        mark: Span = ("bad", "✗") if step.is_error else ("dim", "⚑")
        name = safe.brief(step.name, 60)
        yield item(mark, "Hook", name, (), self._story.frame)
        style: Style = "bad" if step.is_error else "dim"
        yield from indented(passage(text, self._inside(4), 2, 1, style=style), 6)

    def _notice(self, step: Step, text: str) -> Iterator[Line]:
        style: Style = "bad" if step.is_error else "dim"
        frame = self._story.frame
        said = notice_text(text, frame.now, frame.zone)
        content = said or safe.brief(step.name.replace("_", " "), 60)
        lines = passage(
            content, self._inside(2), *((6, 2) if step.is_error else (2, 0)), style=style
        )
        for at, line in enumerate(lines):
            yield ((style, "    " if at else "  ! "), *line)

    def _inside(self, by: int) -> int | None:
        return None if self._width is None else self._width - by
