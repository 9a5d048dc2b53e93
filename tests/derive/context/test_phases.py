import pytest

from tests.derive.context.contexts import stretches_of
from unspool.demo import Transcript, text_block
from unspool.derive.context.phases import consumed, phases
from unspool.model.document import Compaction


def measured(prompt: int, output: int = 0) -> dict[str, int]:
    return {
        "input_tokens": 0,
        "output_tokens": output,
        "cache_read_input_tokens": prompt,
        "cache_creation_input_tokens": 0,
    }


def answers(made: Transcript, *prompts: int) -> Transcript:
    """One response per prompt size."""
    for prompt in prompts:
        made.says("ok", usage=measured(prompt))
    return made


def test_a_session_without_compaction_is_one_phase() -> None:
    made = Transcript().user("a").says("b").user("c").says("d")
    (phase,) = phases(stretches_of(made))

    assert (phase.number, phase.first_chunk, phase.last_chunk) == (1, "ai-u2", "ai-u4")
    assert phase.compaction is None


def test_a_phase_that_nobody_answered_in_is_not_listed_but_counted() -> None:
    made = Transcript().says("a").compacts().user("b").compacts().says("c")

    assert [phase.number for phase in phases(stretches_of(made))] == [1, 3]


def test_a_session_without_an_answer_has_no_phase() -> None:
    assert phases(stretches_of(Transcript().user("a"))) == ()


def test_the_peak_is_the_largest_request_of_the_phase() -> None:
    made = answers(answers(Transcript(), 10, 70, 30).compacts(), 5)

    assert [phase.peak_tokens for phase in phases(stretches_of(made))] == [70, 5]


# devtools 89
def test_the_delta_is_first_response_after_less_last_before_outputs_included() -> None:
    made = Transcript().says("a", usage=measured(150_000, 10)).compacts("manual", pre=7, post=3)
    made.says("b", usage=measured(20_000, 5))

    assert phases(stretches_of(made))[0].compaction == Compaction("manual", 7, 3, -130_005)


@pytest.mark.parametrize("outputs", [[1, 30], [30, 1]])
def test_the_delta_takes_a_responses_fullest_line(outputs: list[int]) -> None:
    made = Transcript().says("a", usage=measured(100, 1)).compacts()
    blocks = [text_block("b"), text_block("c")]
    made.answers(blocks, usage=measured(20), outputs=outputs)

    assert [p.compaction.delta for p in phases(stretches_of(made)) if p.compaction] == [-51]


def test_a_compaction_without_a_response_after_it_has_no_delta() -> None:
    made = Transcript().says("a").compacts("auto", pre=7, post=3)

    assert phases(stretches_of(made))[0].compaction == Compaction("auto", 7, 3, None)


def test_the_delta_looks_past_a_phase_without_responses() -> None:
    made = answers(answers(Transcript(), 100).compacts().compacts(), 30)

    assert [p.compaction.delta for p in phases(stretches_of(made)) if p.compaction] == [-70]


def test_a_summary_without_its_boundary_still_ends_a_phase() -> None:
    made = answers(Transcript(), 100).user("summary", isCompactSummary=True)

    assert phases(stretches_of(made))[0].compaction == Compaction("", None, None, None)


def test_lines_without_any_id_are_responses_of_their_own() -> None:
    absent = Transcript.ABSENT
    made = Transcript().says("a", usage=measured(9), id=absent, request=absent)
    made.says("b", usage=measured(4), id=absent, request=absent)

    assert [tokens.prompt for tokens in stretches_of(made)[0].responses] == [9, 4]


def test_a_synthetic_line_measures_nothing() -> None:
    made = answers(Transcript(), 9).synthetic("stopped", usage=measured(5))

    assert consumed(stretches_of(made)) == 9


# devtools 106
def test_consumption_counts_what_each_compaction_kept_once() -> None:
    made = answers(Transcript(), 40_000, 100_000).compacts()
    made = answers(answers(made, 20_000, 80_000).compacts(), 30_000, 50_000)

    assert consumed(stretches_of(made)) == 180_000


# devtools 106
def test_consumption_up_to_a_trailing_compaction_is_what_stood_before_it() -> None:
    assert consumed(stretches_of(answers(Transcript(), 100_000).compacts())) == 100_000


def test_output_is_not_consumed_context() -> None:
    assert consumed(stretches_of(Transcript().says("a", usage=measured(10, 500)))) == 10


def test_a_context_that_shrank_within_a_phase_gives_nothing_back() -> None:
    made = answers(answers(Transcript(), 100).compacts(), 60, 20)

    assert consumed(stretches_of(made)) == 100


def test_a_session_that_measured_nothing_consumed_nothing() -> None:
    assert consumed(stretches_of(Transcript().user("a").says("b", usage=False))) == 0
