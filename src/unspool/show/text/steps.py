"""The steps of one answer -> lines: thinking folded, quiet calls gathered, words in full."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET

from unspool.model.document import Step, ToolExecution
from unspool.show import safe, times
from unspool.show.spans import BLANK, Line, Span, Style, indented
from unspool.show.text import calls
from unspool.show.text.agents import Agents
from unspool.show.text.calls import Story, item
from unspool.show.text.prose import passage, prose
from unspool.show.tools import registry

_THOUGHT = 4
_LONG_THOUGHT_MS = 10_000


class Steps:
    """Shows steps in order; what only looked waits for the rest of its run."""

    def __init__(
        self, executions: Mapping[str, ToolExecution], agents: Agents, story: Story
    ) -> None:
        self._executions = executions
        self._agents = agents
        self._story = story
        self._width = None if story.frame.prose is None else story.frame.prose - 2
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
        """A result is seen with its call; a refusal and the line about it are one gesture."""
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
            yield from indented(prose(text, self._width), 2)
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
        """A hook that went well and said nothing is not a step of the story."""
        if not step.is_error and not text.strip():
            return
        mark: Span = ("bad", "✗") if step.is_error else ("dim", "⚑")
        name = safe.brief(step.name, 60)
        yield item(mark, "Hook", name, (), self._story.frame)
        style: Style = "bad" if step.is_error else "dim"
        yield from indented(passage(text, self._inside(4), 2, 1, style=style), 6)

    def _notice(self, step: Step, text: str) -> Iterator[Line]:
        style: Style = "bad" if step.is_error else "dim"
        told = text or safe.brief(step.name.replace("_", " "), 60)
        lines = passage(told, self._inside(2), *((6, 2) if step.is_error else (2, 0)), style=style)
        for at, line in enumerate(lines):
            yield ((style, "    " if at else "  ! "), *line)

    def _inside(self, by: int) -> int | None:
        return None if self._width is None else self._width - by
