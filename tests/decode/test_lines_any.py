"""Whatever a line holds: no exception, and every byte is in one of its parts."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decode.damage import lines
from tests.examples import examples
from unspool.decode.lines import decode, salvage_parts
from unspool.derive.reading.messages import read
from unspool.model.transcript import Unknown, Unreadable

KEYS = st.sampled_from(["type", "uuid", "message", "content", "usage", "text", "data", "a"])
NAMES = st.sampled_from(["user", "assistant", "system", "attachment", "progress", "text", "new"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | NAMES
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A real-looking line with a few stretches replaced."""
    line = bytearray(draw(st.sampled_from(lines())))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 30))] = draw(st.binary(max_size=8))
    return bytes(line)


def holds(line: bytes) -> None:
    found = decode(line)
    cut = salvage_parts(line)

    assert found == tuple(part.entry for part in cut)
    assert b"".join(line[part.start : part.end] for part in cut) == (line if found else b"")
    for part in cut:
        read(part.entry, 1)
        if isinstance(part.entry, Unknown | Unreadable):
            assert part.entry.raw in line[part.start : part.end]


def as_line(value: Any) -> bytes:
    return json.dumps(value).encode()


@given(st.binary())
@settings(max_examples=examples(300))
def test_any_bytes_are_read(line: bytes) -> None:
    holds(line)


@given(VALUES.map(as_line))
@settings(max_examples=examples(300))
def test_any_json_is_read(line: bytes) -> None:
    holds(line)


@given(mutated())
@settings(max_examples=examples(400))
def test_any_damage_to_a_real_line_is_read(line: bytes) -> None:
    holds(line)


@pytest.mark.slow
@given(st.binary(max_size=400) | VALUES.map(as_line) | mutated())
@settings(max_examples=examples(10_000))
def test_ten_thousand_lines_are_read(line: bytes) -> None:
    holds(line)
