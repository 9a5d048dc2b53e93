"""What a fold remembers over a restart."""

import random
from itertools import pairwise
from zlib import compress, decompress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.msgpack import encode

from tests.decode.damage import damaged, lines
from tests.derive.wholes import fold_of
from unspool.decode.lines import decode
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive import fold_state
from unspool.derive.fold_state import FoldState, pack, unpack
from unspool.derive.transcript import Line, Record, TranscriptFold, Views
from unspool.model.transcript import ConversationLine


def talk() -> list[bytes]:
    made = Transcript().user("go").calls("Task", {"prompt": "look", "description": "d"}, id="t0")
    made.user("look", parentUuid=None, isSidechain=True)
    made.calls("Bash", {"command": "ls"}, id="t1", isSidechain=True).returns("x", isSidechain=True)
    made.says("found", isSidechain=True, agentId="b2").returns("done", call="t0").says("ok")
    made.calls("TaskCreate", {"subject": "one"}, id="t2").returns("ok", call="t2")
    made.calls("Write", {"file_path": "/a", "content": "x" * 5_000}, id="t3").compacts()
    made.answers([[text_block("a")], [text_block("a"), tool_block("Bash", {"command": "q"}, "t7")]])
    made.entry("summary", summary="T", leafUuid="u1").entry("ai-title", aiTitle="name")
    made.entry("cost-state", totalCostUSD=1.5).entry("novelty")
    return [*made.bytes().splitlines(), *lines()]


LINES = talk()


def fed(fold: TranscriptFold, given: list[bytes]) -> list[Record]:
    fold.start.feed_lines(0, b"".join(line + b"\n" for line in given))
    decoded: list[Line] = [(0, len(line), decode(line)) for line in given]
    return fold.feed(decoded).records


def uuids(records: list[Record]) -> list[tuple[str, str]]:
    """As the index has them."""
    messages = [record.message for record in records if record.message is not None]
    return [(one.uuid, one.agent_id if one.is_sidechain else "") for one in messages if one.uuid]


def shown(fold: TranscriptFold) -> object:
    """All that such a fold can be asked."""
    every = {"": fold, **fold.inline}
    return [
        (
            one.known(),
            one.facts.facts(),
            one.status.state,
            one.status.running(),
            one.status.waits_for(),
            (one.messages, one.compactions, one.context, one.lines, one.bad_lines),
        )
        for one in every.values()
    ]


@given(st.randoms(use_true_random=False), st.lists(st.integers(1, 60), max_size=4))
def test_going_on_from_a_state_is_as_good_as_never_having_stopped(
    chance: random.Random, cuts: list[int]
) -> None:
    given = [
        damaged(chance)[0] if chance.random() < 0.1 else chance.choice(LINES) for _ in range(60)
    ]
    whole, fold = TranscriptFold("s1", views=Views.NONE), TranscriptFold("s1", views=Views.NONE)
    records: list[Record] = []
    for start, end in pairwise([0, *sorted(cuts), 60]):
        stored = unpack(pack(fold.state()))
        assert stored is not None
        fold = TranscriptFold("s1", views=Views.NONE)
        fold.resume(stored, uuids(records))
        found = fed(fold, given[start:end])
        records += found
        for line in given[start:end]:
            whole.start.feed(0, line)
        expected = whole.feed([(0, len(line), decode(line)) for line in given[start:end]])

        assert found == expected.records
        assert shown(fold) == shown(whole)


def test_a_state_keeps_little_of_what_tools_were_given() -> None:
    long = "x" * 100_000
    questions = [{"question": f"Which? {long}", "options": [long]}, {"question": "And?"}]
    for name, fields in (
        ("Write", {"file_path": "/a.py", "content": long}),
        ("Bash", {"command": f"echo {long}"}),
        ("ExitPlanMode", {"plan": long}),
        ("AskUserQuestion", {"questions": questions}),
    ):
        fold = fold_of(Transcript().user("go").calls(name, fields))
        packed = pack(fold.state())
        again, state = TranscriptFold("s1"), unpack(packed)
        assert state is not None
        again.resume(state, ())

        assert len(decompress(packed)) < 8_000
        assert again.status.running() == fold.status.running()
        assert again.status.waits_for() == fold.status.waits_for()
        assert again.status.state == fold.status.state


def test_a_state_that_grows_too_large_is_not_worth_keeping() -> None:
    made = Transcript().user("go")
    for n in range(3_000):
        made.calls("Edit", file_path=f"/{n}/{'x' * 200}")

    assert pack(fold_of(made).state()) == b""


def test_a_state_of_another_version_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(fold_of(Transcript().user("go")).state())
    assert unpack(packed)
    fold_state._layout.cache_clear()
    monkeypatch.setattr(fold_state, "_BEHAVIOUR", 0)

    assert unpack(packed) is None
    monkeypatch.undo()
    fold_state._layout.cache_clear()


def test_a_state_from_before_they_were_compressed_is_none() -> None:
    packed = pack(fold_of(Transcript().user("go")).state())

    assert unpack(packed)
    assert unpack(decompress(packed)) is None


@given(st.binary(max_size=40))
def test_no_bytes_make_reading_a_state_raise(data: bytes) -> None:
    for encoded in (data, encode([b"", data])):
        assert unpack(encoded) is None
        assert unpack(compress(encoded)) is None


def test_every_struct_of_a_state_is_part_of_its_version() -> None:
    found: dict[str, str] = {}
    fold_state._collect(FoldState, found)
    names = {name.rpartition(".")[2] for name in found}

    assert {"SessionFactsFold", "MetadataFold", "TodoFold", "FactsFold", "StatusFold"} <= names
    assert {"OpenCall", "Piece", "Spawn", "AgentReport", "Counters", "TodoItem"} <= names
    assert ConversationLine.__name__ not in names
