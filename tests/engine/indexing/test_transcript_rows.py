import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.msgpack import decode, encode

from tests.decode.damage import damaged, lines
from tests.decode.test_lines_any import VALUES, as_line, mutated
from tests.engine.indexing.roots import batch_of
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive.row_facts import stored_facts
from unspool.derive.usage.responses import is_used
from unspool.engine.indexing.rows import RowBatch
from unspool.engine.indexing.transcript_rows import TranscriptRows
from unspool.model.files import Root, TranscriptFile
from unspool.model.message import LinkFacts
from unspool.model.query import SessionListing
from unspool.model.rows import Batch, SourceRow
from unspool.model.sidecars import AgentMeta

ROOT = Root(1, "/r", "", "/r/projects")
PLACE = TranscriptFile(ROOT, "/r/projects/p/s1.jsonl", "", "main", "p", "s1", None, 0, 0, 0)
SOURCE = SourceRow(
    source_id=7, root="/r", path="s1.jsonl", kind="main", project_id="p", session_id="s1"
)


def fed(*given: bytes) -> RowBatch:
    fold, rows = TranscriptRows(PLACE, 7), RowBatch()
    fold.feed(placed(given), rows)
    return rows


def placed(given: Sequence[bytes]) -> list[tuple[int, bytes]]:
    ends = accumulate((len(line) + 1 for line in given), initial=0)
    return list(zip(ends, given, strict=False))


def said(transcript: Transcript) -> RowBatch:
    return fed(*transcript.bytes().splitlines())


def test_every_line_has_its_place() -> None:
    data = Transcript().user("hello").says("hi").entry("mode", mode="plan").bytes()
    rows = fed(*data.splitlines())

    assert [data[line.offset : line.offset + line.length] for line in rows.lines] == (
        data.splitlines()
    )
    assert [line.line_number for line in rows.lines] == [1, 2, 3]


def test_a_blank_line_is_counted_and_has_no_row() -> None:
    rows = fed(b"", b" ", Transcript().user("hello").bytes().strip())

    assert [line.line_number for line in rows.lines] == [3]


def test_records_glued_into_one_line_are_lines_of_their_own() -> None:
    first, second = Transcript().user("one").says("two").bytes().splitlines()
    rows = fed(first + second)

    assert [(line.offset, line.type) for line in rows.lines] == [
        (0, "user"),
        (len(first), "assistant"),
    ]


def test_glued_records_without_any_name_are_two_responses() -> None:
    absent = Transcript.ABSENT
    made = Transcript().says("a", id=absent, request=absent, uuid=absent)
    (line,) = made.bytes().splitlines()

    assert len({row.message_key for row in fed(line + line).usage}) == 2


def test_what_cannot_be_read_is_kept_as_bad_with_its_reason() -> None:
    (bad,) = fed(b'{"type":"user","mess').bad

    assert (bad.offset, bad.length, bad.reason) == (0, 20, "cut record")


def test_a_line_that_was_not_read_is_counted() -> None:
    fold, rows = TranscriptRows(PLACE, 7), RowBatch()
    fold.feed_bad(5, 99, "too long", rows)

    assert (fold.lines, rows.bad[0].length) == (1, 99)


def test_an_unknown_type_is_a_line_and_an_oddity() -> None:
    rows = fed(b'{"type":"from-the-future"}')

    assert [line.type for line in rows.lines] == ["from-the-future"]
    assert [(odd.what, odd.name) for odd in rows.oddities] == [("type", "from-the-future")]


def test_an_unknown_block_is_an_oddity_of_the_version_that_wrote_it() -> None:
    rows = said(Transcript().answers([{"type": "hologram"}]))

    assert [(odd.version, odd.what, odd.name) for odd in rows.oddities] == [
        ("2.1.270", "block", "hologram")
    ]


def test_a_call_and_its_result_are_told_apart_by_their_lines() -> None:
    rows = said(Transcript().user("go").calls("Bash", command="ls").returns("a", failed=True))
    _, call, result = (line.line_id for line in rows.lines)

    assert [(row.tool_use_id, row.name, row.line_id) for row in rows.calls] == [
        ("toolu_1", "Bash", call)
    ]
    assert [(row.line_id, row.state, row.is_error) for row in rows.results] == [
        (result, "error", True)
    ]


def test_a_call_repeated_in_a_growing_snapshot_is_one_call() -> None:
    block = tool_block("Bash", {"command": "ls"}, "t1")
    rows = said(Transcript().answers([[text_block("a")], [text_block("a"), block], [block]]))

    assert len(rows.calls) == 1


def test_a_file_that_an_edit_names_was_touched() -> None:
    made = Transcript().calls("Edit", file_path="/a.py").calls("Read", file_path="/b.py")

    assert [(row.path, row.tool) for row in said(made).files] == [("/a.py", "Edit")]


def test_ids_follow_time_and_lines_without_one_their_neighbour() -> None:
    ids = [
        line.line_id for line in said(Transcript().user("a").entry("mode").wait(1).says("b")).lines
    ]

    assert ids[0] >> 22 == ids[1] >> 22 < ids[2] >> 22


def test_lines_know_their_turn() -> None:
    rows = said(Transcript().user("a").says("b").user("c").says("d"))

    assert [line.turn for line in rows.lines] == [1, 1, 2, 2]


def test_a_line_of_an_agent_in_a_main_file_names_it() -> None:
    (line,) = said(Transcript().says("a", isSidechain=True, agentId="a1")).lines

    assert line.agent_id == "a1"


def test_lines_of_an_agent_in_a_main_file_that_name_none_are_named_after_the_first() -> None:
    made = Transcript().user("go").user("look", parentUuid=None, isSidechain=True)
    made.calls("Bash", {"command": "ls"}, id="t1", isSidechain=True).says("done")
    rows = said(made)

    assert [line.agent_id for line in rows.lines] == ["", "inline-u2", "inline-u2", ""]
    assert [line.turn for line in rows.lines] == [1, 1, 1, 1]
    assert [call.agent_id for call in rows.calls] == ["inline-u2"]
    assert [used.agent_id for used in rows.usage if is_used(used)] == ["inline-u2", ""]


def test_a_main_file_tells_of_its_session(tmp_path: Path) -> None:
    made = Transcript(cwd="/repo").user("fix the lamp").says("done").compacts()
    (session,) = batch_of(tmp_path, made).sessions

    assert (session.goal, session.recent_output, session.cwd) == ("fix the lamp", "done", "/repo")
    assert (session.compactions, session.project_id) == (1, "-repo")


def test_an_open_call_is_what_a_session_waits_for(tmp_path: Path) -> None:
    made = Transcript().user("go").calls("Bash", command="ls")
    (session,) = batch_of(tmp_path, made).sessions

    state = stored_facts(SessionListing(**structs.asdict(session))).state

    assert (state.state, state.pending and state.pending.summary) == ("waiting_for_approval", "ls")
    assert state.open_calls == ("toolu_1",)


def test_an_agents_file_speaks_for_its_session_where_nobody_else_does(tmp_path: Path) -> None:
    batch = batch_of(tmp_path, Transcript("s1", agent="a1").user("look").says("seen"))
    (row,) = batch.sessions

    assert (row.session_id, row.title, row.origin) == ("s1", "look", "agents")
    assert row.transcript_path.endswith("/projects/-repo/s1.jsonl")


def test_facts_carry_the_sidecar(tmp_path: Path) -> None:
    made = Transcript(agent="a1").user("look").meta(agentType="scout", toolUseId="t1")
    facts = decode(batch_of(tmp_path, made).facts, type=LinkFacts)

    assert facts.meta == AgentMeta(agent_type="scout", tool_use_id="t1")


def test_facts_say_what_kind_of_file_they_are_of(tmp_path: Path) -> None:
    main = Transcript().user("go").calls("Task", prompt="look")
    agent = Transcript(agent="a1").user("look").says("seen")
    kinds = [
        decode(batch_of(tmp_path / name, made).facts, type=LinkFacts).kind
        for name, made in (("main", main), ("agent", agent))
    ]

    assert kinds == ["main", "subagent"]


def test_a_file_that_says_nothing_of_agents_has_no_facts(tmp_path: Path) -> None:
    quiet = batch_of(tmp_path / "quiet", Transcript().user("go").says("done"))
    busy = batch_of(tmp_path / "busy", Transcript().user("go").calls("Task", prompt="look"))

    assert (quiet.facts, busy.facts != b"") == (b"", True)


@given(st.randoms(use_true_random=False), st.integers(1, 9))
def test_any_line_gives_rows_that_can_be_sent_and_read_again(
    chance: random.Random, count: int
) -> None:
    batch = fed(*(damaged(chance)[0] for _ in range(count))).batch(SOURCE, 0)

    assert decode(encode(batch), type=Batch) == batch


@given(st.lists(mutated() | st.binary(max_size=80) | VALUES.map(as_line), max_size=6))
def test_whatever_stands_in_a_line_it_is_a_row_or_a_bad_one(given: list[bytes]) -> None:
    rows = fed(*(line.replace(b"\n", b" ") for line in given))
    told = {line.line_number for line in rows.lines} | {bad.line_number for bad in rows.bad}

    assert told == {n for n, line in enumerate(given, 1) if line.strip(b" \t\r\n\v\f\xef\xbb\xbf")}
    assert encode(rows.batch(SOURCE, 0))


@given(st.lists(st.sampled_from(lines()), max_size=12), st.integers(0, 12))
def test_where_the_lines_are_cut_does_not_matter(given: list[bytes], cut: int) -> None:
    fold, rows = TranscriptRows(PLACE, 7), [RowBatch(), RowBatch()]
    fold.feed(placed(given)[:cut], rows[0])
    fold.feed(placed(given)[cut:], rows[1])
    whole = fed(*given)

    assert {name: getattr(rows[0], name) + getattr(rows[1], name) for name in vars(whole)} == (
        vars(whole)
    )


def test_a_line_that_is_no_message_keeps_its_ids() -> None:
    line = b'{"type":"progress","uuid":"u2","parentUuid":"u1","data":{"type":"hook_progress"}}'
    (row,) = fed(line).lines

    assert (row.type, row.uuid, row.parent_uuid) == ("progress", "u2", "u1")


def test_a_message_has_its_own_id_and_that_of_its_parent() -> None:
    rows = said(Transcript().user("hello").says("hi").user("aside", parentUuid="u1"))

    assert [(row.uuid, row.parent_uuid) for row in rows.lines] == [
        ("u1", ""),
        ("u2", "u1"),
        ("u3", "u1"),
    ]


def test_only_a_main_file_says_what_its_session_has_in_common_with_others() -> None:
    line = Transcript().user("hello", slug="calm-river").bytes().strip()
    agents = structs.replace(PLACE, kind="subagent", agent_id="a1")
    main, agent = TranscriptRows(PLACE, 7), TranscriptRows(agents, 7)
    for fold in (main, agent):
        fold.feed([(0, line)], RowBatch())

    assert main.ties()
    assert agent.ties() == ()
