"""Transcripts that others published: all of every one of them is read, and told the same twice."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from jsonschema import Draft202012Validator
from msgspec.json import encode

from tests.conftest import REPOSITORY
from tests.engine.roots import NOW, PRICES, append
from unspool.decode.lines import decode, salvage_parts
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.model.blocks import ToolResult, ToolUse
from unspool.model.document import Diagnostics, Subagent
from unspool.model.transcript import Assistant, Entry, Unreadable, User
from unspool.show.session_json import document
from unspool.source.tail import split_lines

LONG_AFTER = 2_000_000_000_000  # nobody is at work on any of it any more
CUTS = 20
SAMPLE = 10  # every tenth file, where all of them take minutes

# Agents that Claude Code sends by itself: no call in any file speaks of them.
UNCALLED = ("aprompt_suggestion-",)


@pytest.fixture(scope="session")
def files(corpus: Path) -> list[Path]:
    return sorted(corpus.rglob("*.jsonl"))


@pytest.fixture(scope="session")
def schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads((REPOSITORY / "docs/session.schema.json").read_bytes()))


@pytest.fixture(params=[SAMPLE, pytest.param(1, marks=pytest.mark.slow)], ids=["sample", "all"])
def chosen(request: pytest.FixtureRequest, files: list[Path]) -> list[Path]:
    return files[:: request.param]


def opened(path: Path) -> SessionReader:
    return RootSessions([], PRICES, now=LONG_AFTER, budget=0).open(path)


def lines(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return [line for _, line in split_lines(data if data.endswith(b"\n") else data + b"\n")]


def blocks(entries: Iterable[Entry]) -> Iterator[object]:
    for entry in entries:
        body = entry.message if isinstance(entry, User | Assistant) else None
        yield from body.content if body and isinstance(body.content, list) else ()


class Told(NamedTuple):
    """A transcript: the entries of each line by themselves, and what a session says of them."""

    held: list[int]
    bad: int
    calls: set[str]
    results: set[str]
    diagnostics: Diagnostics
    linked: set[str]
    agents: list[Subagent]


def told(path: Path) -> Told:
    held = [decode(line) for line in lines(path)]
    every = [entry for found in held for entry in found]
    inside = list(blocks(every))
    session = opened(path)
    is_caller = not path.name.startswith("agent-") and session.fold.facts.facts().calls
    agents = list(session.agents) if is_caller else []
    executed = session.document(bodies=False).tool_executions
    return Told(
        held=[len(found) for found in held],
        bad=sum(type(entry) is Unreadable for entry in every),
        calls={block.id for block in inside if isinstance(block, ToolUse)},
        results={block.tool_use_id for block in inside if isinstance(block, ToolResult)},
        diagnostics=session.fold.diagnostics,
        linked={one.tool_use_id for one in executed if one.result_line is not None},
        agents=agents,
    )


@pytest.fixture(scope="module")
def everything(files: list[Path]) -> dict[Path, Told]:
    """Every transcript, read once."""
    return {path: told(path) for path in files}


def test_every_byte_of_every_line_is_in_one_part_of_it(files: list[Path]) -> None:
    for path in files:
        for line in lines(path):
            found = salvage_parts(line)
            ends = [0, *(part.end for part in found)]

            assert [part.start for part in found] == ends[:-1]
            assert ends[-1] == (len(line) if line.strip() else 0)


def test_every_line_is_an_entry_or_bad_or_blank(everything: dict[Path, Told]) -> None:
    for path, one in everything.items():
        found = one.diagnostics

        assert (found.lines, found.bad_lines) == (len(one.held), one.bad), path
        assert found.entries == sum(one.held) - one.bad, path


def test_every_transcript_has_a_document_and_every_line_a_row(chosen: list[Path]) -> None:
    for path in chosen:
        session = opened(path)

        assert session.document().diagnostics.entries > 0
        assert len(list(session.lines())) == sum(bool(line.strip()) for line in lines(path))


def test_calls_and_results_of_one_root_find_each_other(
    everything: dict[Path, Told], corpus: Path
) -> None:
    calls, results, linked = set(), set(), set()
    for path, one in everything.items():
        root = path.relative_to(corpus).parts[0]
        calls |= {(root, id) for id in one.calls}
        results |= {(root, id) for id in one.results}
        linked |= {(root, id) for id in one.linked}

    both = calls & results
    assert len(both) > 5_000
    assert len(both & linked) / len(both) >= 0.99


def test_every_agent_hangs_from_a_call_where_its_session_makes_any(
    everything: dict[Path, Told],
) -> None:
    """The others are answers to warm-ups whose prompt was never written."""
    proofs: Counter[str] = Counter()
    for one in everything.values():
        called = (agent for agent in one.agents if not agent.id.startswith(UNCALLED))
        proofs.update(agent.proof for agent in called)

    assert proofs["none"] == 0
    assert proofs.total() >= 10


def test_steps_add_up_to_their_session(chosen: list[Path]) -> None:
    for path in chosen:
        session = opened(path)
        total = session.document(limit=0, bodies=False).metrics.total

        spent = [step.pico for step in session.steps()]
        # Of an agent's file that holds one unfinished thought nothing is shown.
        assert not spent or sum(spent) == round((total.cost_usd or 0) * 10**12)


def growing(path: Path, data: bytes, chance: Random) -> SessionReader:
    """The session of a file that was looked at each time something was added."""
    edges = sorted(chance.randint(1, len(data)) for _ in range(CUTS))
    append(path, data[: edges[0]])
    session = RootSessions([], PRICES, now=NOW).open(path)
    for start, end in pairwise([*edges, len(data)]):
        append(path, data[start:end])
        session.refresh(NOW)
    session.refresh(LONG_AFTER)
    return session


def test_a_file_that_grew_is_told_like_one_that_was_there(
    chosen: list[Path], tmp_path: Path
) -> None:
    for number, path in enumerate(chosen):
        copy = tmp_path / str(number) / path.name
        copy.parent.mkdir()
        grown = growing(copy, path.read_bytes(), Random(path.name))

        whole = opened(copy)
        assert encode(grown.document()) == encode(whole.document())
        assert grown.steps() == whole.steps()
        assert grown.context_points() == whole.context_points()
        shutil.rmtree(copy.parent)


def test_what_show_prints_keeps_its_published_shape(
    chosen: list[Path], schema: Draft202012Validator
) -> None:
    for path in chosen:
        printed = json.loads(b"".join(document(opened(path).document())))

        assert [error.message for error in schema.iter_errors(printed)] == []
