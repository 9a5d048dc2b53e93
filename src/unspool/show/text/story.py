"""Chunks -> lines: who spoke when, and what was done, in the order it happened."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from unspool.model.document import Chunk, Compaction, SessionDocument, Step
from unspool.show import times
from unspool.show.money import format_count, format_usd, plural
from unspool.show.spans import BLANK, Line, Style, ends, indented
from unspool.show.text.agents import Agents
from unspool.show.text.calls import Story
from unspool.show.text.frame import Frame
from unspool.show.text.prose import passage
from unspool.show.text.steps import Steps

_SPEAKERS: Final = {
    "teammate": "Teammate",
    "notification": "Background task",
    "bash_output": "Output",
    "stdout": "Output",
    "stderr": "Output",
}


class Teller:
    """Tells a session window by window; remembers what a compaction needs to know."""

    def __init__(self, document: SessionDocument, agents: Agents, frame: Frame) -> None:
        self._frame = frame
        self._agents = agents
        self._story = Story(frame, document.session.project_path)
        ended = ((phase.last_chunk, phase.compaction) for phase in document.context.phases)
        self._compactions = dict(ended)
        self._last_answer = ""

    def tell(self, document: SessionDocument) -> Iterator[Line]:
        """The chunks of one window."""
        calls = {one.tool_use_id: one for one in document.tool_executions}
        steps = Steps(calls, self._agents, self._story)
        for chunk in document.chunks:
            yield from self._chunk(chunk, steps)
            yield BLANK

    def _chunk(self, chunk: Chunk, steps: Steps) -> Iterator[Line]:
        if chunk.branch:
            yield (("dim", f"⑂ on another branch ({chunk.branch}), left by a rewind"),)
        if chunk.type == "ai":
            self._last_answer = chunk.id
            yield self._answer(chunk)
            yield from steps.show(() if chunk.steps is UNSET else chunk.steps)
        elif chunk.type == "compact":
            yield _compacted(self._compactions.get(self._last_answer), chunk, self._frame)
        elif chunk.type == "system":
            yield from self._said("Output", chunk, (4, 4), "dim")
        else:
            yield from self._said(_SPEAKERS.get(chunk.voice, "You"), chunk, (40, 10), "")

    def _said(self, who: str, chunk: Chunk, lines: tuple[int, int], style: Style) -> Iterator[Line]:
        at = times.clock(chunk.start_time, self._frame.zone)
        yield ("strong", who), ("dim", f"  {at}" if at else "")
        text = "" if chunk.text is UNSET else chunk.text
        width = None if self._frame.prose is None else self._frame.prose - 2
        yield from indented(passage(text, width, *lines, style=style), 2)

    def _answer(self, chunk: Chunk) -> Line:
        at = times.between(chunk.start_time, chunk.end_time, self._frame.zone)
        count = _count(() if chunk.steps is UNSET else chunk.steps)
        facts = " · ".join(part for part in (at, plural(count, "step")) if part)
        left: Line = (("strong", "Claude"), ("dim", f"  {facts}"))
        if chunk.is_interrupted:
            left = (*left, ("wait", "  interrupted"))
        cost = format_usd(chunk.metrics.cost_usd, at_least=chunk.metrics.lower_bound)
        return ends(left, (("dim", cost),), self._frame.edge)


def _count(steps: Sequence[Step]) -> int:
    return sum(step.type != "tool_result" for step in steps)


def _compacted(found: Compaction | None, chunk: Chunk, frame: Frame) -> Line:
    at = times.clock(chunk.start_time, frame.zone)
    parts = [f"  {at}"] if at else []
    if found and found.trigger:
        parts.append(f"  {found.trigger}")
    if found and found.pre_tokens is not None:
        after = "?" if found.post_tokens is None else format_count(found.post_tokens)
        parts.append(f"  {format_count(found.pre_tokens)} → {after} tokens")
    elif found and found.delta is not None:
        parts.append(f"  {format_count(found.delta)} tokens")
    return ("thinking", "‖ Compacted"), ("dim", "".join(parts))
