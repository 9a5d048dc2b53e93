"""However a transcript grows, its context is the one that is counted from its start."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.derive.context.contexts import Disk
from tests.derive.reads import messages_of
from tests.examples import examples
from unspool.demo import Transcript
from unspool.derive.context.attribution import ContextFold, context
from unspool.derive.story.chunks import ChunkFold, spans

A, B = "/repo/a/CLAUDE.md", "/repo/b/CLAUDE.md"
DISK = Disk(
    globals={"user": 400, "project": 80},
    directories={"/repo/a/x": {A: 40}, "/repo/b/x": {A: 40, B: 60}, A: {A: 40}},
    mentions={"a.md": 44, A: 40},
)
Step = Callable[[Transcript], object]
FULL = {"input_tokens": 30, "cache_read_input_tokens": 9_000, "output_tokens": 7}
STEPS: list[Step] = [
    lambda made: made.user("go on"),
    lambda made: made.user(f"see @a.md and @{A}"),
    lambda made: made.says("x" * 40),
    lambda made: made.says("x" * 40, usage=FULL),
    lambda made: made.says("again", id="same", request="same"),
    lambda made: made.calls("Read", file_path="/repo/a/x"),
    lambda made: made.calls("Read", file_path="/repo/b/x"),
    lambda made: made.calls("TaskCreate", subject="x", id="t1"),
    lambda made: made.returns("x" * 80, call="t1"),
    lambda made: made.attachment("nested_memory", path=A, content={"path": A, "content": "x"}),
    lambda made: made.attachment("nested_memory", path=B, content={"path": B, "content": "x"}),
    lambda made: made.attachment("instructions", content="x" * 20),
    lambda made: made.attachment("file", filename="a.md", content="x" * 20),
    lambda made: made.compacts(),
]


@settings(max_examples=examples(200))
@given(
    st.lists(st.sampled_from(STEPS), max_size=25),
    st.lists(st.integers(1, 5), min_size=25, max_size=25),
    st.sampled_from([None, DISK]),
)
def test_a_context_that_grew_is_the_one_counted_at_once(
    steps: list[Step], counts: list[int], disk: Disk | None
) -> None:
    made, chunks, fold = Transcript(), ChunkFold(), ContextFold(disk)
    for step in steps:
        step(made)
    messages = messages_of(made)
    for count in counts:
        for message in messages[:count]:
            chunks.feed(message)
        del messages[:count]
        fold.update(chunks.spans)

        assert fold.context == context(chunks.spans, disk)


@pytest.mark.parametrize("late", ["nested_memory", "instructions"])
def test_what_is_recorded_later_stands_for_the_disk_from_the_start_of_its_phase(late: str) -> None:
    made = Transcript().user("go").calls("Read", file_path="/repo/a/x").user("on").says("b")
    found = {"path": A, "content": "x"} if late == "nested_memory" else "x" * 20
    rest = Transcript(uuid_prefix="z").attachment(late, path=A, content=found).says("c")
    chunks, fold = ChunkFold(), ContextFold(DISK)
    before = []
    for message in [*messages_of(made), *messages_of(rest)]:
        chunks.feed(message)
        fold.update(chunks.spans)
        before.append([turn.new.claude_md for turn in fold.context.turns][:1])

    assert before[-3] == [130]
    assert before[-1] == ([120] if late == "nested_memory" else [0])


def test_a_file_recorded_twice_changes_no_later_phase() -> None:
    memory = {"path": A, "content": "x"}
    made = Transcript().user("go").attachment("nested_memory", path=A, content=memory).says("a")
    made.user("on").attachment("nested_memory", path=A, content=memory).says("b")
    made.compacts().calls("Read", file_path="/repo/a/x")
    found = context(spans(messages_of(made)), DISK)

    assert [turn.new.claude_md for turn in found.turns][2:] == [130]


def test_a_global_file_that_changed_is_counted_again() -> None:
    disk, chunks = Disk(globals={"user": 400}), ChunkFold()
    fold = ContextFold(disk)
    for message in messages_of(Transcript().user("go").says("a").user("on").says("b")):
        chunks.feed(message)
        fold.update(chunks.spans)
    disk.globals["user"] = 800
    fold.update(chunks.spans)

    assert [turn.new.claude_md for turn in fold.context.turns] == [200, 0]
