from hypothesis import given
from hypothesis import strategies as st

from tests.derive.wholes import fold_of
from unspool.decode.lines import decode
from unspool.demo import Transcript, text_block
from unspool.derive.transcript import TranscriptFold, Views, batched
from unspool.model.transcript import Oversize


def test_a_line_is_found_again_by_its_number() -> None:
    made = Transcript().user("one").user("two")
    fold, data = fold_of(made), made.bytes()
    offset, length = fold.place(2)

    assert fold.lines == 2
    assert data[offset : offset + length] == data.splitlines()[1]


def test_every_line_is_counted_for_what_it_is() -> None:
    made = Transcript().user("go").raw(b"").raw(b"// note").entry("novelty").entry("mode")
    found = fold_of(made).diagnostics

    assert (found.lines, found.entries, found.bad_lines) == (5, 3, 1)
    assert found.unknown_types == {"novelty": 1}


def test_a_line_beside_the_conversation_is_told_to_status_and_links() -> None:
    talk = Transcript().user("go").says("bye")
    queued = (
        "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>"
    )
    before = fold_of(talk)
    ended = fold_of(talk.entry("ended-by-model"))
    told = fold_of(talk.entry("queue-operation", operation="enqueue", content=queued))

    assert (before.status.state.state, ended.status.state.state) == ("waiting_for_input", "ended")
    assert (dict(ended.facts.facts().finished), "a1" in told.facts.facts().finished) == ({}, True)


def test_records_saved_from_a_damaged_line_are_counted() -> None:
    one, two = Transcript().user("one").user("two").bytes().splitlines()
    found = fold_of(one[:40] + two + b"\n").diagnostics

    assert (found.lines, found.entries, found.bad_lines, found.salvaged) == (1, 1, 1, 1)


def test_a_line_too_long_is_counted_and_nothing_else() -> None:
    fold = TranscriptFold("s1")
    fold.feed([(0, 99, (Oversize(99),))])

    assert (fold.diagnostics.oversize, fold.diagnostics.entries) == (1, 0)


def test_a_line_of_another_session_is_foreign() -> None:
    assert fold_of(Transcript().user("go").user("x", sessionId="s9")).diagnostics.foreign == 1


def test_lines_of_the_conversation_without_a_uuid_are_counted() -> None:
    none = Transcript.ABSENT
    made = Transcript().user("go").user("lost", uuid=none).says("lost too", uuid=none)
    made.system("informational", uuid=none).attachment("file")
    made.raw(b'{"type":"progress","data":{"type":"bash_progress"}}')
    made.raw(b'{"type":"attachment","attachment":{"type":"file"}}').entry("mode", mode="normal")
    made.user("beside", isSidechain=True, agentId="a1").user(
        "lost there", uuid=none, isSidechain=True, agentId="a1"
    )
    found = fold_of(made).diagnostics

    assert (found.without_uuid, found.entries, found.lines) == (5, 10, 10)
    assert fold_of(Transcript().user("go").says("done")).diagnostics.without_uuid == 0


def test_a_line_written_twice_is_told_once() -> None:
    line = Transcript().user("go").bytes()

    assert len(fold_of(line * 2).chunks.spans) == 1
    assert fold_of(line * 2).messages == 1


def test_a_response_written_twice_is_charged_once() -> None:
    line = Transcript().says("words").bytes()
    (found,) = fold_of(line * 2).usage.rows.values()

    assert found.tokens.output == 5


def test_an_attachment_is_no_message_of_the_conversation() -> None:
    assert fold_of(Transcript().user("go").attachment("file", filename="x")).messages == 1


def test_old_progress_carries_the_thread_on() -> None:
    made = Transcript().user("go").calls("Bash", command="x").progress("bash_progress").returns("y")
    made.says("one")

    assert fold_of(made).threads.threads().branches == 0


def test_a_longer_session_weighs_more() -> None:
    short, long = Transcript().user("a"), Transcript().user("a").user("b")

    assert fold_of(long).weight > fold_of(short).weight > fold_of(b"").weight == 0


SCRIPT = (
    Transcript()
    .user("go")
    .answers([text_block("a"), text_block("b")], outputs=[1, 9])
    .calls("Bash", command="x")
    .returns("ok")
    .raw(b"{broken")
    .compacts()
    .user("on")
    .says("done")
    .progress("bash_progress")
    .entry("ai-title", aiTitle="title")
    .bytes()
)


@given(st.lists(st.binary(max_size=40) | st.sampled_from(SCRIPT.splitlines()), max_size=12))
def test_no_bytes_make_a_fold_raise(lines: list[bytes]) -> None:
    fold = fold_of(b"".join(line.replace(b"\n", b"") + b"\n" for line in lines))

    assert fold.lines == len(lines)
    assert fold.known()


def told(fold: TranscriptFold) -> object:
    """All that a fold was told, whichever of its folds heard it."""
    spans = [(span.id, span.messages) for span in fold.chunks.spans]
    facts, threads = fold.facts.facts(), fold.threads.threads()
    status, calls = fold.status.state, list(fold.tools.calls)
    usage = fold.usage.rows
    return fold.diagnostics, fold.known(), spans, facts, threads, status, calls, usage


@given(
    st.lists(st.sampled_from(SCRIPT.splitlines()), max_size=150),
    st.sampled_from(["NONE", "USAGE", "STORY", "PAGE"]),
)
def test_what_is_switched_off_changes_nothing_else(lines: list[bytes], name: str) -> None:
    every, some = TranscriptFold("s1"), TranscriptFold("s1", views=Views[name])
    decoded = [(n * 10, 9, decode(line)) for n, line in enumerate(lines)]
    found = [(every.feed(some_lines), some.feed(some_lines)) for some_lines in batched(decoded)]

    assert all(one == other for one, other in found)
    assert (some.known(), some.facts.facts()) == (every.known(), every.facts.facts())
    assert (some.status.state, some.diagnostics) == (every.status.state, every.diagnostics)
    assert some.context == every.context
    assert bool(some.usage.rows) == (bool(every.usage.rows) and name in ("USAGE", "PAGE"))
    assert bool(some.chunks.spans) == (bool(every.chunks.spans) and name in ("STORY", "PAGE"))


@given(st.lists(st.sampled_from(SCRIPT.splitlines()), max_size=99), st.lists(st.integers(1, 64)))
def test_deltas_have_a_record_for_each_entry_in_order(lines: list[bytes], cuts: list[int]) -> None:
    fold, decoded = TranscriptFold("s1", views=Views.NONE), [(0, 9, decode(line)) for line in lines]
    whole = [fold.feed([line]) for line in decoded]
    pieces, other = [], TranscriptFold("s1", views=Views.NONE)
    while decoded:
        many = cuts.pop() if cuts else 64
        pieces.append(other.feed(decoded[:many]))
        decoded = decoded[many:]

    assert [one for delta in whole for one in delta.records] == [
        one for delta in pieces for one in delta.records
    ]
    assert [record.entry for delta in whole for record in delta.records] == [
        entry for delta in whole for _, _, entries in delta.lines for entry in entries
    ]


def test_lines_know_their_turn_also_those_written_before() -> None:
    made = Transcript().user("a").says("b").user("c").says("d")
    again = made.bytes().splitlines()[0]
    lines = [(0, 0, decode(line)) for line in [*made.bytes().splitlines(), again]]
    records = TranscriptFold("s1", views=Views.NONE).feed(lines).records

    assert [record.turn for record in records] == [1, 1, 2, 2, 2]
    assert [record.fresh is None for record in records] == [False] * 4 + [True]


@given(st.lists(st.sampled_from(SCRIPT.splitlines()), max_size=150))
def test_lines_fed_together_say_what_they_say_one_by_one(lines: list[bytes]) -> None:
    one_by_one, together = TranscriptFold("s1"), TranscriptFold("s1")
    decoded = [(n * 10, 9, decode(line)) for n, line in enumerate(lines)]
    together.feed_all(decoded)
    for line in decoded:
        one_by_one.feed([line])

    assert told(together) == told(one_by_one)
