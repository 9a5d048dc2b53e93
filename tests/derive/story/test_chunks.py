"""Messages become chunks in file order; noise splits nothing."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import messages_of
from unspool.demo import Transcript
from unspool.derive.story.chunks import ChunkFold, Span, spans
from unspool.model.message import Message

OUT = "<local-command-stdout>inner</local-command-stdout>"
ACTIONS: list[Callable[[Transcript], Transcript]] = [
    lambda made: made.user("go"),
    lambda made: made.says("so"),
    lambda made: made.calls("Bash", command="ls"),
    lambda made: made.returns("a"),
    lambda made: made.user(OUT),
    lambda made: made.user("again", uuid="again"),
    lambda made: made.user("side", isSidechain=True),
    lambda made: made.attachment("hook_success", toolUseID="t1"),
    lambda made: made.attachment("file", content="x"),
    lambda made: made.reminder("x"),
    lambda made: made.interrupted(),
    lambda made: made.compacts(),
    lambda made: made.says("late", timestamp=None),
]


def chunks(transcript: Transcript) -> list[Span]:
    return spans(messages_of(transcript))


def types(transcript: Transcript) -> list[str]:
    return [span.type for span in chunks(transcript)]


def shape(found: Iterable[Span]) -> list[object]:
    return [
        (span.id, span.type, [m.line for m in span.messages], span.compaction, span.start, span.end)
        for span in found
    ]


# devtools 42
def test_no_messages_make_no_chunks() -> None:
    assert chunks(Transcript()) == []


# devtools 44
def test_two_answers_in_a_row_are_one_chunk() -> None:
    (span,) = chunks(Transcript().says("a").says("b"))

    assert (span.type, len(span.messages)) == ("ai", 2)


# devtools 45
def test_a_prompt_parts_two_answers() -> None:
    assert types(Transcript().says("a").user("go").says("b")) == ["ai", "user", "ai"]


# devtools 46
def test_the_output_of_a_command_is_a_chunk_of_its_own() -> None:
    answer, output = chunks(Transcript().says("a").user(OUT))

    assert (answer.type, output.type, output.first.head) == ("ai", "system", "inner")


# devtools 47
def test_noise_between_answers_parts_nothing() -> None:
    made = Transcript().says("a").reminder("x").system("turn_duration").entry("mode", mode="x")

    assert types(made.says("b")) == ["ai"]


# devtools 48
def test_a_compaction_ends_the_answer_before_it() -> None:
    made = chunks(Transcript().user("go").says("a").compacts("manual", pre=9, post=1).says("b"))

    assert [span.type for span in made] == ["user", "ai", "compact", "ai"]
    assert [span.compaction for span in made] == [None, None, ("manual", 9, 1), None]


def test_a_second_compaction_has_its_own_marks() -> None:
    made = chunks(Transcript().compacts(pre=9, post=1).user("sum", isCompactSummary=True))

    assert [span.compaction for span in made] == [("auto", 9, 1), None]


# devtools 49
def test_ids_are_made_of_the_kind_and_the_uuid() -> None:
    made = Transcript().user("go").says("a").says("b").user(OUT).compacts()

    assert [span.id for span in chunks(made)] == ["user-u1", "ai-u2", "system-u4", "compact-u6"]


# devtools 49
def test_ids_are_the_same_when_read_again() -> None:
    data = Transcript().user("go").says("a").user(OUT).compacts().says("b").bytes()

    assert shape(spans(messages_of(data))) == shape(spans(messages_of(data)))


def test_chunks_of_one_uuid_are_still_told_apart() -> None:
    made = Transcript().user("go", uuid="u").says("a").user("go", uuid="u").user("go", uuid="u")

    assert [span.id for span in chunks(made)] == ["user-u", "ai-u1", "user-u~2", "user-u~3"]


# devtools 50
def test_a_prompt_takes_no_time() -> None:
    (span,) = chunks(Transcript().user("go"))

    assert span.start == span.end == span.first.at


# devtools 50
def test_an_answer_begins_with_its_first_line_and_ends_with_its_latest() -> None:
    made = Transcript().at("2026-01-01T00:00:05Z").says("a").at("2026-01-01T00:00:09Z").says("b")
    (span,) = chunks(made.at("2026-01-01T00:00:01Z").says("c"))

    assert (span.start, span.end) == (span.messages[0].at, span.messages[1].at)


# devtools 17
@pytest.mark.parametrize("time", [None, "never"])
def test_an_answer_whose_first_line_has_no_time_begins_with_the_next(time: str | None) -> None:
    (span,) = chunks(Transcript().says("a", timestamp=time).says("b"))

    assert span.start == span.end == span.messages[1].at


# devtools 17
def test_a_chunk_without_any_time_has_none() -> None:
    (span,) = chunks(Transcript().says("a", timestamp=None))

    assert (span.start, span.end) == (None, None)


def test_hooks_and_injected_things_join_the_answer_they_surround() -> None:
    made = Transcript().user("go").attachment("file").says("a").attachment("hook_success")

    assert [[m.uuid for m in span.messages] for span in chunks(made)] == [
        ["u1"],
        ["u2", "u3", "u4"],
    ]


def test_what_came_before_an_answer_does_not_name_it() -> None:
    (span,) = chunks(Transcript().attachment("file").says("a"))

    assert (span.id, span.first.uuid) == ("ai-u2", "u2")


def test_hooks_without_an_answer_open_no_chunk() -> None:
    assert types(Transcript().attachment("hook_success").user("go")) == ["user"]


def test_injected_text_alone_is_no_answer() -> None:
    made = Transcript().user("go").user("Caveat: injected", isMeta=True)

    assert types(made) == ["user"]
    assert types(made.user("go on")) == ["user", "user"]


def test_injected_text_joins_the_answer_that_follows() -> None:
    made = Transcript().user("go").user("Base directory for this skill: /s", isMeta=True).says("a")

    _, answer = chunks(made)
    assert [message.uuid for message in answer.messages] == ["u2", "u3"]
    assert answer.id == "ai-u3"


# devtools 31
def test_an_interruption_after_a_prompt_is_an_answer_cut_short() -> None:
    assert types(Transcript().user("go").interrupted()) == ["user", "ai"]


@given(st.lists(st.sampled_from(ACTIONS), max_size=25))
def test_the_pieces_do_not_matter(actions: list[Callable[[Transcript], Transcript]]) -> None:
    """However far the file had grown when it was read, it reads as if it had been whole."""
    made, fold, seen = Transcript(), ChunkFold(), list[Message]()
    for act in actions:
        act(made)
    for message in messages_of(made):
        fold.feed(message)
        seen.append(message)
        assert shape(fold.spans) == shape(spans(seen))


@given(st.lists(st.sampled_from(ACTIONS), max_size=25))
def test_every_message_that_speaks_is_in_one_chunk(
    actions: list[Callable[[Transcript], Transcript]],
) -> None:
    made = Transcript()
    for act in actions:
        act(made)
    lines = [message.line for span in chunks(made) for message in span.messages]
    silent = ("meta", "skill")
    spoken = [m.line for m in messages_of(made) if m.category != "noise" and m.voice not in silent]

    assert len(lines) == len(set(lines))
    assert set(spoken) <= set(lines)
