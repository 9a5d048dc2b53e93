"""The outline of a session: a line for each prompt, with errors and agents below it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import UNSET, Struct, structs

from unspool.model.document import Chunk, SessionDocument, Step, Subagent, ToolExecution, Turn
from unspool.show import safe
from unspool.show.html import agent_lines, passages
from unspool.show.html.components import Number, cost_number
from unspool.show.html.step_items import notice_title
from unspool.show.numbers import plural
from unspool.show.paths import split_path
from unspool.show.tools import bash, registry, values

_INSIDE: Final = 6
_MOST: Final = 250
_PROMPT: Final = 120
_WORDS: Final = {"rejected": "rejected", "interrupted": "interrupted", "error": "failed"}


class OutlineMark(Struct, frozen=True, kw_only=True):
    """One line of the outline; `at` is its step or chunk, `place` the element."""

    at: str
    place: str
    text: str
    number: str = ""
    icon: str = ""
    style: str = ""  # class names
    cost: Number = Number("")


class _Known(Struct, frozen=True):
    """Lookups shared by all chunks."""

    document: SessionDocument
    turns: Mapping[int, Turn]
    agents: Mapping[str, Subagent]
    started: Mapping[str, Sequence[str]]
    failed: Mapping[str, Sequence[ToolExecution]]
    layout: passages.Layout
    waiting: str
    names: Mapping[str, str]
    costs: Mapping[int, Number]


def outline(
    document: SessionDocument,
    failures: Mapping[str, str] | None = None,
    costs: Mapping[int, Number] | None = None,
) -> tuple[OutlineMark, ...]:
    """All marks in order; of very many the most important.

    `failures` has names of failed calls, `costs` what turns cost with their agents.
    """
    facts = _known(document, failures or {}, costs or {})
    marks: list[OutlineMark] = []
    branch = 0
    for chunk in document.chunks:
        marks += _left(chunk) if chunk.branch not in (0, branch) else []
        branch = chunk.branch
        marks += _marks(chunk, facts)
    return tuple(_worded(mark, facts) for mark in _thinned(marks))


def outline_summary(marks: Sequence[OutlineMark], turns: int) -> str:
    """The outline in one line, for its folded state."""
    counts = (
        (turns, "turn"),
        (sum(mark.icon == "fail" for mark in marks), "error"),
        (sum(mark.icon == "cut" for mark in marks), "compaction"),
    )
    return ", ".join(plural(count, word) for count, word in counts if count) or "no turns yet"


def _known(
    document: SessionDocument, names: Mapping[str, str], costs: Mapping[int, Number]
) -> _Known:
    failed: dict[str, list[ToolExecution]] = {}
    for one in document.tool_executions:
        if one.state in _WORDS:
            failed.setdefault(one.chunk_id or "", []).append(one)
    session = document.session
    waits = session.pending_tool if session.status.state == "waiting_for_approval" else None
    return _Known(
        document,
        {turn.index: turn for turn in document.turns},
        {agent.id: agent for agent in document.subagents},
        agent_lines.agent_children(document.subagents),
        failed,
        passages.full_layout(document),
        waits.tool_use_id if waits else "",
        names,
        costs,
    )


def _marks(chunk: Chunk, facts: _Known) -> Iterator[OutlineMark]:
    if chunk.id in facts.layout.opens and chunk.turn is not None:
        yield OutlineMark(at=chunk.id, place=f"turn-{chunk.turn}", number=str(chunk.turn), text="…")
    if chunk.type == "compact":
        compaction = facts.layout.cuts.get(chunk.id)
        text = f"Compacted {passages.tokens_saved(compaction)}" if compaction else "Compacted"
        yield OutlineMark(at=chunk.id, place=f"chunk-{chunk.id}", text=text.strip(), icon="cut")
    inside = list(_inside(chunk, facts))
    yield from islice(inside, _INSIDE)
    if len(inside) > _INSIDE:
        rest, first = f"{len(inside) - _INSIDE} more", inside[_INSIDE]
        yield OutlineMark(at=first.at, place=first.place, text=rest, icon="down", style="sub")
    yield from _waits(chunk, facts)


def _worded(mark: OutlineMark, facts: _Known) -> OutlineMark:
    """A turn's mark with its prompt and cost."""
    turn = facts.turns.get(int(mark.number)) if mark.number else None
    if turn is None:
        return mark
    text = safe.brief(turn.prompt, _PROMPT).replace("**", "") or mark.text
    return structs.replace(
        mark, text=text, cost=facts.costs.get(turn.index) or cost_number(turn.metrics, "this turn")
    )


def _left(chunk: Chunk) -> list[OutlineMark]:
    text = f"Branch {chunk.branch}, abandoned by a rewind"
    return [
        OutlineMark(at=chunk.id, place=f"chunk-{chunk.id}", text=text, icon="link", style="sub")
    ]


def _inside(chunk: Chunk, facts: _Known) -> Iterator[OutlineMark]:
    steps: Iterable[Step] = () if chunk.steps is UNSET else chunk.steps
    bad: list[tuple[int, OutlineMark]] = []
    for step in steps:
        if step.type == "subagent":
            yield from _agent("" if step.agent_id is UNSET else step.agent_id, facts)
        elif step.is_error and step.type in ("notice", "hook"):
            text = notice_title(step.name) or "API error"
            bad.append((step.line, _bad(step.id, text)))
    for one in facts.failed.get(chunk.id, ()):
        text = facts.names.get(one.tool_use_id) or f"{registry.verb(one.name)} {_WORDS[one.state]}"
        bad.append((one.line, _bad(one.tool_use_id, text)))
    yield from (mark for _, mark in sorted(bad, key=lambda pair: pair[0]))


def failed_calls(document: SessionDocument) -> list[str]:
    """Ids of the failed calls that the outline may name."""
    found = (one.tool_use_id for one in document.tool_executions if one.state in _WORDS)
    return list(islice(found, _MOST))


def failure_name(one: ToolExecution) -> str:
    """What failed, in a few words: "pytest exit 1", "Edit limiter.py failed"."""
    input = values.fields(values.read(one.input))
    result = None if one.result is UNSET else values.read(one.result)
    facts = registry.facts(one.name, input, result, failed=True)
    if command := values.text(input, "command", "script"):
        return f"{bash.program(command)} {facts or _WORDS[one.state]}"
    _, target = split_path(values.text(input, "file_path", "notebook_path", "path"))
    words = (registry.verb(one.name), safe.brief(target, 60), _WORDS[one.state])
    return " ".join(word for word in words if word)


def failure_exit(one: ToolExecution) -> int | None:
    """What a command exited with; None of other calls, or where nobody knows."""
    input = values.fields(values.read(one.input))
    if one.result is UNSET or not values.text(input, "command", "script"):
        return None
    return bash.exit_code(values.read(one.result))


def _bad(id: str, text: str) -> OutlineMark:
    return OutlineMark(at=id, place=f"step-{id}", text=text, icon="fail", style="sub is-fail")


def _agent(id: str, facts: _Known) -> Iterator[OutlineMark]:
    agent = facts.agents.get(id)
    if agent is None:
        return
    first = agent_lines.agent_line(agent)
    for line, style in [
        (first, "sub"),
        *((one, "sub2") for one in agent_lines.agents_below(id, facts.agents, facts.started)),
    ]:
        yield OutlineMark(
            at=line.id,
            place=f"step-{line.id}",
            text=line.title,
            icon="agent",
            style=style,
            cost=line.cost,
        )


def _waits(chunk: Chunk, facts: _Known) -> Iterator[OutlineMark]:
    waiting = facts.waiting
    if waiting and chunk is facts.document.chunks[-1]:
        place = f"step-{waiting}"
        yield OutlineMark(
            at=waiting, place=place, text="Needs approval", icon="wait", style="sub is-wait"
        )


def _thinned(marks: list[OutlineMark]) -> tuple[OutlineMark, ...]:
    """Of too many only prompts and compactions; of still too many every nth."""
    if len(marks) <= _MOST:
        return tuple(marks)
    important = [mark for mark in marks if mark.number or mark.icon in ("cut", "wait")]
    every = -(-len(important) // _MOST)
    return tuple(
        mark for at, mark in enumerate(important) if at % every == 0 or mark.icon == "wait"
    )
