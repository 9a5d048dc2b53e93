"""What a live board keeps of one transcript."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import entries_of
from unspool.demo import Transcript, tool_block
from unspool.derive.board import BoardFold
from unspool.derive.usage.lines import FileUsage
from unspool.model.document import ToolExecution


def fold(made: Transcript, told: list[ToolExecution] | None = None) -> BoardFold:
    tell = None if told is None else told.append
    found = BoardFold(FileUsage("s1"), "s1", made.agent or "", tell=tell)
    for entries in entries_of(made):
        found.feed(entries)
    return found


def asked() -> Transcript:
    return Transcript().user("go")


def test_calls_without_a_result_run_oldest_first() -> None:
    blocks = [tool_block("Bash", {"command": c}, c) for c in ("a", "b", "c")]
    made = fold(asked().answers([blocks]).returns("ok", call="b"))

    assert made.running() == ["Bash a", "Bash c"]
    assert made.waits_for() == "Bash c"


def test_the_calls_of_agents_can_be_left_out() -> None:
    blocks = [tool_block("Task", {"description": "d", "prompt": "p"}, "t1"), "x"]
    made = fold(asked().answers([*blocks, tool_block("Bash", {"command": "a"}, "t2")]))

    assert made.running(agents=False) == ["Bash a"]


def test_a_new_prompt_gives_up_what_was_open() -> None:
    made = fold(asked().calls("Bash", command="a").user("never mind"))

    assert (made.running(), made.waits_for(), made.status.state.pending) == ([], "", None)


def test_the_pending_call_says_what_it_was_given_and_since_when() -> None:
    pending = fold(asked().calls("Bash", command="make", id="t1")).status.state.pending

    assert pending is not None
    assert (pending.tool_use_id, pending.name, pending.summary) == ("t1", "Bash", "make")
    assert pending.since == "2026-01-01T00:00:01.000Z"


def test_a_call_inside_an_agent_is_no_call_of_the_main_thread() -> None:
    made = fold(asked().calls("Bash", {"command": "a"}, isSidechain=True, agentId="a1"))

    assert (made.running(), made.context) == ([], 0)


def test_a_line_written_twice_counts_once() -> None:
    made = asked().says("x")
    twice = fold(Transcript().raw(made.bytes()).raw(made.bytes()))

    assert (twice.messages, twice.known().goal) == (2, "go")


def test_every_call_and_every_end_is_told() -> None:
    told: list[ToolExecution] = []
    fold(asked().calls("Bash", command="a", id="t1").returns("no", failed=True), told)

    assert [(one.tool_use_id, one.state, bytes(one.input)) for one in told] == [
        ("t1", "running", b'{"command":"a"}'),
        ("t1", "error", b'{"command":"a"}'),
    ]


@given(st.lists(st.integers(0, 30), max_size=4))
def test_the_pieces_do_not_matter(cuts: list[int]) -> None:
    made = asked().calls("Bash", command="a").returns("ok").says("x").calls("Read", file_path="f")
    lines = entries_of(made)
    edges = [0, *sorted(cut for cut in cuts if cut <= len(lines)), len(lines)]
    found = BoardFold(FileUsage("s1"), "s1")
    for start, end in pairwise(edges):
        for entries in lines[start:end]:
            found.feed(entries)
        found.known()

    assert (found.known(), found.running()) == (fold(made).known(), fold(made).running())
