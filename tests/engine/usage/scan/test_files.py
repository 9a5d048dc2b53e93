"""Fast scan and whole index agree on every line: keys, ranks, claims, owners, tokens, prices."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.demo.generator.made import PRICES as BUNDLED
from tests.engine.indexing.roots import NOW, age, root_of
from tests.engine.usage.scan.scans import files_of, indexed, root_with, rows_of, scanned
from tests.examples import examples
from unspool.demo import Transcript, generate, text_block
from unspool.derive.usage.responses import is_used
from unspool.engine.usage.scan import files as module
from unspool.engine.usage.scan.files import Windows, scan
from unspool.errors import UnspoolError
from unspool.source.claude_code import QUIET_MS
from unspool.source.roots import find_roots
from unspool.source.safe_open import OpenFile

ABSENT = Transcript.ABSENT


def talk() -> Transcript:
    """Answers of many kinds: streamed, repeated, of agents, without ids, after tool output."""
    made = Transcript(model="claude-sonnet-4-5").user('{"type":"assistant"}')
    made.answers([text_block("a"), text_block("b")], outputs=[1, 260], stops=[None, "end_turn"])
    made.calls("Bash", command="cat log").returns('{"type":"assistant","usage":{}}')
    made.says("c", id="msg_1", request="req_1", usage={"output_tokens": 7})
    made.says("d", isSidechain=True, agentId="a1", model="claude-opus-4-1")
    made.says("e", id=ABSENT).says("f", id=ABSENT, request=ABSENT)
    return made.says("g", forkedFrom={"sessionId": "s0", "messageUuid": "u9"})


LINES = talk().bytes().splitlines(keepends=True)


def agree(path: Path, *files: bytes | Transcript) -> None:
    root = root_with(path, *files)

    assert scanned(root) == indexed(root)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_they_agree_on_generated_roots(seed: int, tmp_path: Path) -> None:
    generate(tmp_path / "root", mb=1, seed=seed, prices=BUNDLED)
    root = root_of(tmp_path / "root")
    found = scanned(root)

    assert len(found) > 300
    assert found == indexed(root)


def test_they_agree_on_what_others_published(corpus: Path) -> None:
    for path in sorted(path for path in corpus.iterdir() if path.is_dir()):
        (root,) = find_roots([path], {}, path)
        assert scanned(root) == indexed(root), path.name


def test_they_agree_on_answers_of_many_kinds(tmp_path: Path) -> None:
    agree(tmp_path, talk())

    assert len([one for one in scanned(root_of(tmp_path)).values() if is_used(one.row)]) == 6


def test_they_agree_on_agents_that_ran(tmp_path: Path) -> None:
    """Of some a result tells, of some progress, and some have lines of their own."""
    made = Transcript("s1").user("go").calls("Agent", {"prompt": "look"}, id="t1")
    made.returns("seen", call="t1", result={"agentId": "a1", "status": "completed"})
    for agent in ("a2", "a2", "a3"):
        made.progress("agent_progress", call="t1", agentId=agent, message={"type": "user"})
    made.says("seen", isSidechain=True, agentId="a4")
    own = Transcript("s1", agent="a3").user("look").calls("Agent", {}, id="t2")
    own.returns("seen", call="t2", result={"agentId": "a5", "status": "async_launched"})
    for one in (made, own):
        age(one.save(tmp_path))
    root = root_of(tmp_path)

    assert scanned(root) == indexed(root)
    found = {key: is_used(one.row) for key, one in scanned(root).items() if key[:2] == "a:"}
    assert found == {"a:a1": True, "a:a2": True, "a:a3": False, "a:a4": False, "a:a5": True}


def search(**fields: Any) -> list[bytes]:
    """A prompt, a web search, and its result, which says how many there were."""
    made = Transcript().user("Look it up").calls("WebSearch", {"query": "it"}, id="t1", **fields)
    return made.returns("Found", call="t1", result=SEARCHED).bytes().splitlines(keepends=True)


SEARCHED = {"query": "it", "results": [], "durationSeconds": 1.5, "searchCount": 3}
PROMPT, CALL, RESULT = search()


@pytest.mark.parametrize(
    "call",
    [CALL, search(usage=False)[1], b'{"cut' + CALL, CALL + b"\0\0", CALL.replace(b"}", b" }")],
    ids=["whole", "without usage", "after a torn line", "before zeros", "with spaces"],
)
def test_they_agree_on_a_search_whatever_its_call_looks_like(call: bytes, tmp_path: Path) -> None:
    agree(tmp_path, PROMPT + call + RESULT)

    assert "w:t1" in scanned(root_of(tmp_path))


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """The lines with stretches replaced, lines repeated, swapped, cut and glued."""
    lines = draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=6))
    data = bytearray(b"".join(lines))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 30))] = draw(st.binary(max_size=8))
    return bytes(data)


@given(data=mutated())
@settings(max_examples=examples(150))
def test_they_agree_whatever_happens_to_a_line(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agree(tmp_path_factory.mktemp("root"), data)


@pytest.mark.slow
@given(data=mutated())
@settings(max_examples=examples(5_000))
def test_they_agree_five_thousand_times(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agree(tmp_path_factory.mktemp("root"), data)


@st.composite
def with_inline_agents(draw: st.DrawFn) -> bytes:
    """Lines of agents without files: some hang from each other, some begin one, some are odd."""
    made = Transcript(model="claude-sonnet-4-5")
    uuids = st.sampled_from(["u1", "u2", "u3", "u4", None])
    for n in range(draw(st.integers(1, 10))):
        fields = {
            "isSidechain": draw(st.sampled_from([True, True, False])),
            "uuid": draw(st.sampled_from([f"v{n}", f"v{n}", "u1", "u2", "u3", None])),
            "parentUuid": draw(st.one_of(uuids, st.just(f"v{n - 1}"))),
            "agentId": draw(st.sampled_from([ABSENT, ABSENT, "a1", "no/id"])),
        }
        if draw(st.booleans()):
            made.user(f"{n}", **fields)
        else:
            id = draw(st.sampled_from(["msg_1", "msg_2", f"msg_{n}"]))
            made.says(f"{n}", id=id, request="req_1", usage={"output_tokens": n}, **fields)
    data = made.bytes()
    if draw(st.booleans()):
        data = data.replace(b'"isSidechain":true', b'"isSidechain": true')
    return data if draw(st.booleans()) else data.replace(b"}\n", b"}", 1)


@given(data=with_inline_agents())
@settings(max_examples=examples(200))
def test_they_agree_on_agents_without_files(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agree(tmp_path_factory.mktemp("root"), data)


def test_a_file_with_inline_agents_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Transcript().user("go", isSidechain=True)
    root = root_with(tmp_path, made.says("done", isSidechain=True).says("so it is"))
    monkeypatch.setattr(module, "_read_whole", None)

    found = [row.agent_id != "" for row in rows_of(root) if is_used(row)]
    assert sorted(found) == [False, True]


@st.composite
def streamed(draw: st.DrawFn) -> bytes:
    """Lines of a few responses in any order: any may have most output, and times run backwards."""
    made = Transcript(model="claude-sonnet-4-5")
    for n in range(draw(st.integers(1, 9))):
        fields = {"sessionId": draw(st.sampled_from(["s1", "s1", "s2"]))}
        made.says(
            f"{n}",
            id=draw(st.sampled_from(["msg_1", "msg_2", "msg_3"])),
            request="req_1",
            usage={"output_tokens": draw(st.integers(0, 3)), "input_tokens": 7},
            stop=draw(st.sampled_from([None, "end_turn"])),
            timestamp=f"2026-02-0{draw(st.integers(1, 2))}T23:59:59.{draw(st.integers(0, 2)):03}Z",
            **fields,
        )
        if draw(st.booleans()):
            made.user("in between")
    return made.bytes()


@given(one=streamed(), other=streamed())
@settings(max_examples=examples(200))
def test_they_agree_on_lines_of_responses_in_any_order(
    one: bytes, other: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agree(tmp_path_factory.mktemp("root"), one, other)


FIELDS: dict[str, list[Any]] = {
    "timestamp": [None, "", "0000-00-00T00:00:00.000Z", "2026-02-03T10:00:00Z", 5, "2026-W06-2"],
    "isSidechain": [None, "true", 1, True],
    "agentId": [None, "", "a9", 4],
    "requestId": [None, "", "req_x"],
    "uuid": [None, "", "u7"],
    "forkedFrom": [None, {}, {"messageUuid": "u1"}, "u1"],
    "type": ["user", "progress", "Assistant", None],
}
USAGE: dict[str, list[Any]] = {
    "input_tokens": [None, -1, 10**9 + 1, 3.0, "7"],
    "output_tokens": [None, 0, 10**12, "9", True],
    "cache_creation": [None, {}, {"ephemeral_1h_input_tokens": 5}, [], {"x": None}],
    "server_tool_use": [None, {"web_search_requests": 3}, {"web_search_requests": None}],
    "speed": [None, "fast", 3],
    "inference_geo": [None, "us", []],
}


@given(
    fields=st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in FIELDS.items()}),
    usage=st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in USAGE.items()}),
    gone=st.sets(st.sampled_from(["id", "model", "usage", "stop_reason", "output_tokens"])),
    spaced=st.booleans(),
)
@settings(max_examples=examples(200))
def test_they_agree_on_odd_fields(
    fields: dict[str, Any],
    usage: dict[str, Any],
    gone: set[str],
    spaced: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    line = json.loads(LINES[2])
    line |= fields
    line["message"]["usage"] |= usage
    for name in gone:
        line["message"].pop(name, None)
        line["message"].get("usage", {}).pop(name, None)
    data = json.dumps(line, separators=None if spaced else (",", ":")).encode()
    agree(tmp_path_factory.mktemp("root"), b"".join([*LINES[:2], data, b"\n", *LINES[2:]]))


UNFINISHED = Transcript().says("a").says("b").bytes().rstrip(b"\n")


@pytest.mark.parametrize("data", [UNFINISHED, UNFINISHED.splitlines()[1], talk().bytes()[:-1]])
def test_an_unfinished_last_line_that_is_whole_counts_when_nobody_writes(
    data: bytes, tmp_path: Path
) -> None:
    root = root_with(tmp_path, data)
    (file,) = files_of(root)
    written = file.mtime_ns // 1_000_000
    before, after = written + QUIET_MS - 1, written + QUIET_MS

    assert scanned(root, before) == indexed(root, before)
    assert scanned(root, after) == indexed(root, after) != scanned(root, before)


def test_until_then_the_file_is_to_be_looked_at_again(tmp_path: Path) -> None:
    root = root_with(tmp_path, UNFINISHED)
    (file,) = files_of(root)
    times = [scan(file, file.mtime_ns // 1_000_000 + later).mtime_ns for later in (1, QUIET_MS)]

    assert times == [0, file.mtime_ns]


@pytest.mark.parametrize("cut", [40, 1])
def test_an_unfinished_last_line_that_is_cut_waits(cut: int, tmp_path: Path) -> None:
    root = root_with(tmp_path, UNFINISHED[:-cut])

    assert [row.message_key for row in rows_of(root)] == ["m:msg_1"]
    assert scanned(root) == indexed(root)


def test_a_file_that_is_gone_is_told_apart_from_an_empty_one(tmp_path: Path) -> None:
    root = root_with(tmp_path, b"")
    (file,) = files_of(root)
    Path(file.path).unlink()

    with pytest.raises(UnspoolError):
        scan(file, NOW)


def test_a_name_that_is_no_text_makes_a_line_that_the_index_cannot_read(tmp_path: Path) -> None:
    """What a scan skips it must not take for whole."""
    line = Transcript().says("a").bytes().replace(b'"model":', b'"\x80model":')
    line = line.replace(b'[{"type":"text"', b'[{" type":"text"')

    agree(tmp_path, line)
    assert scanned(root_of(tmp_path)) == {}


def test_a_line_that_damage_glued_to_another_counts_with_it(tmp_path: Path) -> None:
    one, two = Transcript().says("a").says("b").bytes().splitlines()

    agree(tmp_path, one + two + b"\n")
    assert len(scanned(root_of(tmp_path))) == 2


def test_order_and_copies_of_files_do_not_matter(tmp_path: Path) -> None:
    lines = list(LINES)
    random.Random(3).shuffle(lines)

    agree(tmp_path, b"".join(LINES), b"".join(lines), b"".join(lines[::2]))


def test_they_agree_on_agents_inside_the_main_file(tmp_path: Path) -> None:
    """Whose an answer is that names no agent, only the lines before it tell."""
    side: dict[str, Any] = {"isSidechain": True}
    made = Transcript(model="claude-sonnet-4-5").user("go").user("look", parentUuid=None, **side)
    made.says("a", **side).says("b", agentId="../x", **side).says("c")
    root = root_with(tmp_path, made)
    agents = {one.row.agent_id for one in scanned(root).values()}

    agree(tmp_path, made)
    assert len(agents) == 3
    assert {"", "inline-u2"} < agents


def windows(path: Path, data: bytes, **sizes: int) -> list[tuple[int, bytes]]:
    path.write_bytes(data)
    with OpenFile(path) as file:
        return [(base, piece[:stop]) for base, piece, stop in Windows(file, NOW, **sizes)]


@given(data=st.text("ab\n", max_size=60).map(str.encode), size=st.integers(1, 20))
def test_windows_hold_every_line_once(
    data: bytes, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = windows(tmp_path_factory.getbasetemp() / "file", data, window=size)

    assert b"".join(piece for _, piece in found) == data[: data.rfind(b"\n") + 1]
    assert all(data[at : at + len(piece)] == piece for at, piece in found)
    assert all(piece.endswith(b"\n") for _, piece in found)


def test_a_line_longer_than_a_window_comes_whole(tmp_path: Path) -> None:
    long = b"x" * 50 + b"\n"

    assert windows(tmp_path / "file", b"a\n" + long + b"b\n", window=8) == [
        (0, b"a\n"),
        (2, long),
        (53, b"b\n"),
    ]


@pytest.mark.parametrize("ending", [b"\n", b"\nb\n", b""])
def test_a_line_longer_than_a_line_may_be_is_left_out(tmp_path: Path, ending: bytes) -> None:
    found = windows(tmp_path / "file", b"a\n" + b"x" * 50 + ending, window=8, longest=40)

    assert [piece for _, piece in found] == [b"a\n"] + [b"b\n"] * (b"b" in ending)


def test_a_line_as_long_as_a_line_may_be_is_kept(tmp_path: Path) -> None:
    line = b"x" * 40 + b"\n"

    assert windows(tmp_path / "file", line, longest=40) == [(0, line)]


def test_a_file_that_shrank_meanwhile_ends_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\n" * 25)
    with OpenFile(path) as file:
        found = Windows(file, NOW)
        path.write_bytes(b"one\n")
        assert [*found] == [(0, b"one\n", 4)]
