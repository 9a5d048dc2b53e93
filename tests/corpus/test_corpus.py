"""Transcripts that others published: all of every one of them is read, and told the same twice."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from jsonschema import Draft202012Validator
from msgspec.json import encode

from tests.conftest import REPOSITORY
from tests.engine.roots import NOW, PRICES, append
from unspool.decode.lines import decode, salvage_parts
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.model.blocks import ToolResult, ToolUse
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


def entries(path: Path) -> Iterator[Entry]:
    return (entry for line in lines(path) for entry in decode(line))


def blocks(path: Path) -> Iterator[object]:
    for entry in entries(path):
        body = entry.message if isinstance(entry, User | Assistant) else None
        yield from body.content if body and isinstance(body.content, list) else ()


def root_of(path: Path, corpus: Path) -> str:
    return path.relative_to(corpus).parts[0]


def test_every_byte_of_every_line_is_in_one_part_of_it(files: list[Path]) -> None:
    for path in files:
        for line in lines(path):
            found = salvage_parts(line)
            ends = [0, *(part.end for part in found)]

            assert [part.start for part in found] == ends[:-1]
            assert ends[-1] == (len(line) if line.strip() else 0)


def test_every_line_is_an_entry_or_bad_or_blank(files: list[Path]) -> None:
    for path in files:
        held = [decode(line) for line in lines(path)]
        bad = sum(type(entry) is Unreadable for found in held for entry in found)
        found = opened(path).fold.diagnostics

        assert (found.lines, found.bad_lines) == (len(held), bad)
        assert found.entries == sum(map(len, held)) - bad


def test_every_transcript_has_a_document_and_every_line_a_row(files: list[Path]) -> None:
    for path in files:
        session = opened(path)

        assert session.document().diagnostics.entries > 0
        assert len(list(session.lines())) == sum(bool(line.strip()) for line in lines(path))


def test_calls_and_results_of_one_root_find_each_other(files: list[Path], corpus: Path) -> None:
    calls, results, linked = set(), set(), set()
    for path in files:
        root = root_of(path, corpus)
        for block in blocks(path):
            if isinstance(block, ToolUse):
                calls.add((root, block.id))
            elif isinstance(block, ToolResult):
                results.add((root, block.tool_use_id))
        executed = opened(path).document(bodies=False).tool_executions
        linked |= {(root, one.tool_use_id) for one in executed if one.result_line is not None}

    both = calls & results
    assert len(both) > 5_000
    assert len(both & linked) / len(both) >= 0.99


def test_every_agent_hangs_from_a_call_where_its_session_makes_any(files: list[Path]) -> None:
    """The others are answers to warm-ups whose prompt was never written."""
    proofs: Counter[str] = Counter()
    for path in files:
        session = opened(path)
        if not path.name.startswith("agent-") and session.fold.facts.facts().calls:
            called = [agent for agent in session.agents if not agent.id.startswith(UNCALLED)]
            proofs.update(agent.proof for agent in called)

    assert proofs["none"] == 0
    assert proofs.total() >= 10


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

        assert encode(grown.document()) == encode(opened(copy).document())
        shutil.rmtree(copy.parent)


def test_what_show_prints_keeps_its_published_shape(
    chosen: list[Path], schema: Draft202012Validator
) -> None:
    for path in chosen:
        printed = json.loads(b"".join(document(opened(path).document())))

        assert [error.message for error in schema.iter_errors(printed)] == []
