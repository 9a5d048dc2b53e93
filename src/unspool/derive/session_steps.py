"""A transcript -> all its steps in order, each with when it ran and what it cost by cause.

The price of a response is shared by the calls it made, or lies on what it said. What an agent
cost lies on the step that started it, at any depth and also in the background: steps add up to
turns, and turns to the session.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from unspool.derive.reading.agent_ids import COMPACTING, SPAWNERS
from unspool.derive.story.chunks import Span
from unspool.derive.story.steps import SIBLINGS_MS, Rough, rough_steps
from unspool.derive.usage.cache import rewritten_tokens
from unspool.derive.usage.prices import Pricer
from unspool.derive.whole import MAIN, Whole
from unspool.model.message import Message
from unspool.model.steps import LONG_THOUGHT_MS, SessionStep, StepCost, StepKind
from unspool.model.usage import UsageRow

_KINDS: Final[dict[str, StepKind]] = {
    "thinking": "thinking",
    "tool_call": "call",
    "output": "text",
    "interruption": "stop",
}
_FAILED: Final = ("error", "rejected", "interrupted")
IsCounted: TypeAlias = Callable[[int], bool]


def session_steps(
    whole: Whole, owner: str, pricer: Pricer, is_counted: IsCounted = lambda _: True
) -> tuple[SessionStep, ...]:
    """The steps of one transcript with their costs, agents included.

    `is_counted` says of a time in milliseconds whether what was spent then counts.
    """
    steps = list(_Transcript(whole, owner).steps())
    if not steps:
        return ()
    costs = _Costs(steps, _responses(whole.folds[owner].chunks.spans))
    places = _agent_places(whole, owner, steps)
    cached = 0
    for row in sorted(whole.join.usage.owned(), key=_line_of):
        tokens, is_own = row.tokens, row.agent_id == owner
        lost = rewritten_tokens(cached, tokens.cache_read, tokens.cache_write) if is_own else 0
        cached = (is_own and tokens.cache_read + tokens.cache_write) or cached
        if not is_counted(row.timestamp or 0):
            continue
        if is_own and row.line_id:
            costs.spend(row, _by_cause(row, lost, pricer))
        elif is_own or owner == MAIN or row.agent_id in places:
            # Some are shown nowhere: warm-ups, what compacts, agents whose file is gone, and
            # what only an earlier version of the file has.
            place = places.get(row.agent_id)
            place = _place_at(row, steps) if place is None else place
            cost = _by_cause(row, 0, pricer) if is_own else StepCost(agents=row.usd_pico or 0)
            costs.add(place, cost, _is_least(row))
    return tuple(costs.steps())


class _Costs:
    """Lays what was spent on the steps that it was spent for."""

    def __init__(self, steps: list[SessionStep], responses: Mapping[int, str]) -> None:
        self._steps = steps
        self._responses = responses
        self._costs = [StepCost()] * len(steps)
        self._least = [False] * len(steps)
        self._lines = [step.line for step in steps]
        self._by_response: dict[str, list[int]] = {}
        for place, step in enumerate(steps):
            if step.response:
                self._by_response.setdefault(step.response, []).append(place)

    def spend(self, row: UsageRow, cost: StepCost) -> None:
        """Share a response among its calls, or lay it on the last thing it said."""
        places = self._by_response.get(self._responses.get(row.line_id, ""))
        if places is None:  # nothing of it is shown: it led to what came before
            places = [max(bisect_right(self._lines, row.line_id) - 1, 0)]
        calls = [place for place in places if self._steps[place].kind in ("call", "agent")]
        shared = calls or places[-1:]
        for n, place in enumerate(shared):
            # The first takes the remainder, so that nothing is lost.
            part = (one // len(shared) + (one % len(shared) if n == 0 else 0) for one in cost)
            self.add(place, StepCost(*part), _is_least(row))

    def add(self, place: int, cost: StepCost, is_least: bool) -> None:
        """Add to what a step cost."""
        self._costs[place] = StepCost(*map(sum, zip(self._costs[place], cost, strict=True)))
        self._least[place] = self._least[place] or is_least

    def steps(self) -> Iterator[SessionStep]:
        """The steps with their costs."""
        for step, cost, is_least in zip(self._steps, self._costs, self._least, strict=True):
            yield step._replace(cost=cost, is_least=is_least)


def _by_cause(row: UsageRow, lost: int, pricer: Pricer) -> StepCost:
    if row.usd_pico is None:
        return StepCost()
    parts = pricer.parts(row)
    rewrite = min(pricer.rewrite_price(row, lost), parts.write)
    return StepCost(
        read=parts.read,
        write=parts.write - rewrite,
        input=parts.input,
        output=parts.output,
        rewrite=rewrite,
        searches=parts.searches,
    )


def _is_least(row: UsageRow) -> bool:
    return not row.is_finished or row.usd_pico is None


def _line_of(row: UsageRow) -> int:
    return row.line_id


class _Transcript:
    """Reads the steps of one transcript, without what they cost."""

    def __init__(self, whole: Whole, owner: str) -> None:
        self._runs = whole.runs
        self._fold = whole.folds[owner]
        self._started = whole.agents_by_chunk(owner)
        # The agent that is shown in the place of the call that started it.
        self._agent_of: dict[str, str] = {}
        for id in (id for ids in self._started.values() for id in ids):
            self._agent_of.setdefault(whole.runs[id][0].parent_task_id or "", id)

    def steps(self) -> Iterator[SessionStep]:
        """Every chunk's steps in their order."""
        spans = self._fold.chunks.spans
        for number, span in enumerate(spans):
            turn = self._fold.turns.turn_of(span.first.line)
            if span.type == "ai":
                yield from (one._replace(chunk=number, turn=turn) for one in self._answer(span))
            else:
                kind: StepKind = "compaction" if span.type == "compact" else "prompt"
                answer = spans[number + 1] if number + 1 < len(spans) else span
                end = answer.start if answer.type == "ai" else span.start
                yield SessionStep(span.id, kind, number, turn, span.first.line, span.start, end)

    def _answer(self, span: Span) -> Iterator[SessionStep]:
        rough = list(rough_steps(span))
        for step, end in zip(rough, _ends(rough), strict=True):
            message = step.message
            if message is not None and _is_shown(step, end):
                made = SessionStep(
                    id=step.id,
                    kind=_KINDS.get(step.type, "notice"),
                    line=message.line,
                    start=step.start,
                    end=end,
                    name=step.piece.name if step.piece else "",
                    failed=step.type == "notice",
                    response=_response_of(message),
                )
                yield from (made,) if made.kind != "call" else self._call(made, message)
        for id in self._started.get(span.id, ()):
            agent, facts = self._runs[id]
            if not agent.parent_task_id:
                line = span.messages[-1].line
                yield SessionStep(id, "agent", line=line, start=facts.start, end=facts.end)

    def _call(self, step: SessionStep, message: Message) -> Iterator[SessionStep]:
        call = self._fold.tools.calls[step.id]
        if call.message is not message:
            return  # written again: the first time is when it began
        failed = call.state(may_run=False) in _FAILED
        step = step._replace(end=call.end or step.end, failed=failed)
        agent = self._agent_of.get(step.id)
        yield step._replace(id=agent, kind="agent") if agent and not failed else step


def _ends(rough: list[Rough]) -> Iterator[int]:
    """A step lasts until the model wrote the next one; before what else comes nothing ran."""
    after = 0
    for step in rough:
        while after < len(rough) and rough[after].start - step.start < SIBLINGS_MS:
            after += 1
        later = rough[after] if after < len(rough) else step
        is_made = later.message is not None and later.message.type == "assistant"
        yield max(later.start, step.start) if is_made else step.start


def _is_shown(step: Rough, end: int) -> bool:
    """Whether the page has it as a step; machine notes are shown beside steps."""
    if step.type == "thinking":
        tokens = step.piece.tokens if step.piece else 0
        return bool(tokens) or end - step.start >= LONG_THOUGHT_MS
    is_note = step.type in ("notice", "hook")
    is_error = step.piece is not None and step.piece.is_error
    return step.type in _KINDS or (is_note and is_error)


def _responses(spans: Iterable[Span]) -> dict[int, str]:
    """Line -> the response that it is of."""
    messages = (message for span in spans if span.type == "ai" for message in span.messages)
    return {message.line: _response_of(message) for message in messages}


def _response_of(message: Message) -> str:
    if message.type != "assistant":
        return ""
    return message.message_id or f"line {message.line}"


def _agent_places(whole: Whole, owner: str, steps: list[SessionStep]) -> dict[str, int | None]:
    """Agent below the transcript -> the place of the step that led to it, where that is known."""
    of_step = {step.id: place for place, step in enumerate(steps)}
    of_chunk: dict[int, int] = {}
    for place, step in enumerate(steps):
        of_chunk.setdefault(step.chunk, place)
    numbers = {span.id: n for n, span in enumerate(whole.folds[owner].chunks.spans)}
    found: dict[str, int | None] = {}
    for chunk, ids in whole.agents_by_chunk(owner).items():
        for id in ids:
            task = whole.runs[id][0].parent_task_id or ""
            found[id] = of_step.get(id, of_step.get(task, of_chunk.get(numbers[chunk])))
    above = {agent.id: agent.parent_agent_id or "" for agent in whole.below(owner)}
    for id in above:
        chain, at = list[str](), id
        while at in above and at not in found:
            found[at] = None
            chain.append(at)
            at = above[at]
        found |= dict.fromkeys(chain, found.get(at))
    return found


def _place_at(row: UsageRow, steps: list[SessionStep]) -> int:
    """The call that may have started it, else the step before; of what compacts, the compaction."""
    at = row.timestamp or 0
    is_compacting = row.agent_id.startswith(COMPACTING)
    before = called = 0
    for place, step in enumerate(steps):
        if step.start is None:
            continue
        if step.start > at:
            if is_compacting and step.kind == "compaction":
                return place
            if not is_compacting:
                break
            continue
        before = place
        if step.name in SPAWNERS and (step.end or 0) >= at:
            called = place
    return called or before
