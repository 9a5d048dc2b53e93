import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from tests.derive.context.contexts import Disk, context_of, phases_of
from tests.derive.reads import messages_of
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive.context.attribution import ContextFold, consumed_tokens, context, fit, phases
from unspool.derive.story.chunks import spans
from unspool.model.document import Categories, Compaction, Context
from unspool.model.steps import ContextPoint

FULL = {"input_tokens": 3, "cache_read_input_tokens": 90_000, "cache_creation_input_tokens": 7}


def column(made: Context, category: str) -> list[int]:
    """What each turn added to a category."""
    return [getattr(turn.new, category) for turn in made.turns]


def points_of(made: Transcript) -> list[ContextPoint]:
    fold = ContextFold(None)
    fold.update(spans(messages_of(made)))
    return fold.points


def test_each_response_is_a_point_with_what_came_before_it() -> None:
    made = Transcript().user("x" * 40)
    made.answers([text_block("y" * 80), tool_block("Bash", {"command": "ls"})], usage=FULL)
    made.returns("z" * 400).says("done", usage=FULL)

    first, second = points_of(made)

    assert (first.turn, second.turn, first.phase) == (1, 1, 1)
    assert first.sizes == astuple(Categories(user_messages=10))
    assert Categories(*second.sizes).tool_outputs >= 100
    assert first.measured == second.measured == 90_010


def test_output_that_is_stored_nowhere_is_hidden() -> None:
    made = Transcript().user("go").says("y" * 80, usage={**FULL, "output_tokens": 5_020})
    made.user("on").says("so", usage=FULL).compacts().user("and").says("so", usage=FULL)

    assert [one.hidden for one in points_of(made)] == [0, 5_000, 0]


# devtools 81
@pytest.mark.parametrize(("length", "tokens"), [(1, 1), (5, 2), (12, 3), (1000, 250)])
def test_a_prompt_is_estimated_at_a_quarter_of_its_length(length: int, tokens: int) -> None:
    made = context_of(Transcript().user("x" * length).says("ok"))

    assert column(made, "user_messages") == [tokens]


# devtools 81
@pytest.mark.parametrize(("content", "tokens"), [("", 0), ([], 1)])
def test_an_empty_result_weighs_nothing_but_its_brackets(content: object, tokens: int) -> None:
    made = context_of(Transcript().calls("Bash", command="ls").returns(content))

    assert column(made, "tool_outputs") == [5 + tokens]


# devtools 82
def test_global_files_come_once_a_phase() -> None:
    made = Transcript().user("a").says("b").user("c").says("d").compacts().user("e").says("f")

    assert column(context_of(made, Disk(globals={"user": 400})), "claude_md") == [100, 0, 100]


# devtools 84
def test_a_mention_counts_once_a_phase() -> None:
    made = Transcript().user("@src/a.ts and @src/a.ts").says("b").user("@src/a.ts").says("c")
    made.compacts().user("@src/a.ts").says("d")

    weighed = context_of(made, Disk(mentions={"src/a.ts": 40}))

    assert column(weighed, "mentioned_files") == [10, 0, 10]


# devtools 84
@pytest.mark.parametrize(("weight", "counted"), [(25_000, 25_000), (25_001, 0)])
def test_a_mentioned_file_counts_up_to_the_limit(weight: int, counted: int) -> None:
    made = Transcript().user("@src/a.ts").says("b")

    weighed = context_of(made, Disk(mentions={"src/a.ts": weight * 4}))

    assert column(weighed, "mentioned_files") == [counted]


# devtools 85
def test_a_mentioned_file_in_the_root_counts_and_an_address_does_not() -> None:
    made = Transcript().user("see @README.md or ask me@foo.com").says("b")

    weighed = context_of(made, Disk(mentions={"README.md": 40, "foo.com": 4000}))

    assert column(weighed, "mentioned_files") == [10]


def test_a_read_brings_the_directory_files_above_it() -> None:
    made = Transcript().calls("Read", file_path="/repo/src/a.ts").returns("x")
    near = {"/repo/src/a.ts": {"/repo/src/CLAUDE.md": 40}}

    assert column(context_of(made, Disk(directories=near)), "claude_md") == [10]


# devtools 90
def test_both_of_two_consecutive_prompts_are_attributed() -> None:
    made = Transcript().user("x" * 40).user("x" * 80).says("b")

    assert column(context_of(made), "user_messages") == [30]


def test_a_prompt_before_a_compaction_belongs_to_the_answer_after_it() -> None:
    made = Transcript().says("a").user("x" * 40).compacts().says("b")

    assert column(context_of(made), "user_messages") == [0, 10]


def test_a_local_commands_output_is_attributed_to_nothing() -> None:
    made = Transcript().user("<local-command-stdout>long</local-command-stdout>").says("x" * 4)

    assert context_of(made).turns[0].new == Categories(thinking_text=1)


def test_a_recorded_file_stands_for_the_disk_in_its_phase() -> None:
    made = Transcript().user("@a.md").attachment("file", content="x" * 40).says("b")
    made.compacts().user("@a.md").says("c")
    recorded = context_of(made).turns[0].new.mentioned_files

    weighed = context_of(made, Disk(globals={"user": 4}, mentions={"a.md": 4000}))

    assert column(weighed, "mentioned_files") == [recorded, 1000]
    assert column(weighed, "claude_md") == [1, 1]


def test_without_sizes_files_are_unknown_and_weigh_nothing() -> None:
    made = context_of(Transcript().user("@README.md").says("b"))

    assert not made.files_known
    assert column(made, "mentioned_files") == column(made, "claude_md") == [0]


def test_totals_grow_until_a_compaction() -> None:
    made = Transcript().user("a").says("x" * 400, usage=FULL).user("b").says("x" * 40, usage=FULL)
    made.compacts().says("x" * 4, usage=FULL)

    assert [turn.total.thinking_text for turn in context_of(made).turns] == [100, 110, 1]


def test_each_ai_chunk_is_a_turn() -> None:
    made = context_of(Transcript().user("a").says("b").calls("Bash").user("c").says("d"))

    assert [(turn.turn, turn.chunk_id) for turn in made.turns] == [(1, "ai-u2"), (2, "ai-u5")]


def test_the_measured_context_is_that_of_the_last_request() -> None:
    made = Transcript().calls("Bash", {"command": "ls"}, usage={"input_tokens": 5})
    made.returns("x").says("ok", usage=FULL).synthetic("API Error", error="overloaded")

    assert context_of(made).turns[0].measured == 90_010


def test_an_agents_own_file_is_measured_like_any_other() -> None:
    made = messages_of(Transcript(agent="a1").user("x" * 40).says("b", usage=FULL))
    (turn,) = context(spans(made), None).turns

    assert (turn.measured, turn.new.user_messages) == (90_010, 10)


# devtools 92
def test_estimates_above_the_measured_context_are_scaled_and_kept_raw() -> None:
    made = Transcript().user("x" * 400).says("x" * 1200, usage={"input_tokens": 200})
    (turn,) = context_of(made).turns

    assert turn.total == Categories(thinking_text=150, user_messages=50)
    assert turn.raw_total == Categories(thinking_text=300, user_messages=100)
    assert turn.untracked == 0


def test_what_no_category_explains_is_untracked() -> None:
    (turn,) = context_of(Transcript().user("x" * 40).says("x" * 40, usage=FULL)).turns

    assert turn.untracked == 90_010 - 20


def test_a_turn_that_was_not_measured_keeps_its_estimate() -> None:
    (turn,) = context_of(Transcript().user("x" * 40).says("b", usage=False)).turns

    assert (turn.measured, turn.untracked, turn.total) == (0, 0, turn.raw_total)


# devtools 92
@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), max_size=6))
def test_the_categories_and_the_rest_sum_to_what_was_measured(sizes: list[tuple[int, int]]) -> None:
    made = Transcript()
    for length, prompt in sizes:
        made.user("x" * (length + 1)).says("y" * length, usage={"input_tokens": prompt})

    for turn in context_of(made).turns:
        assert sum(astuple(turn.total)) + turn.untracked == turn.measured or not turn.measured


def test_the_context_of_an_empty_session_is_empty() -> None:
    assert context([], None) == Context()


def test_phases_and_consumption_come_with_the_turns() -> None:
    made = context_of(Transcript().says("a", usage=FULL).compacts().says("b", usage=FULL))

    assert [phase.number for phase in made.phases] == [1, 2]
    assert made.consumed == 90_010


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
    (phase,) = phases(phases_of(made))

    assert (phase.number, phase.first_chunk, phase.last_chunk) == (1, "ai-u2", "ai-u4")
    assert phase.compaction is None


def test_a_phase_that_nobody_answered_in_is_not_listed_but_counted() -> None:
    made = Transcript().says("a").compacts().user("b").compacts().says("c")

    assert [phase.number for phase in phases(phases_of(made))] == [1, 3]


def test_a_session_without_an_answer_has_no_phase() -> None:
    assert phases(phases_of(Transcript().user("a"))) == ()


def test_the_peak_is_the_largest_request_of_the_phase() -> None:
    made = answers(answers(Transcript(), 10, 70, 30).compacts(), 5)

    assert [phase.peak_tokens for phase in phases(phases_of(made))] == [70, 5]


# devtools 89
def test_the_delta_is_first_response_after_less_last_before_outputs_included() -> None:
    made = Transcript().says("a", usage=measured(150_000, 10)).compacts("manual", pre=7, post=3)
    made.says("b", usage=measured(20_000, 5))

    assert phases(phases_of(made))[0].compaction == Compaction("manual", 7, 3, -130_005)


@pytest.mark.parametrize("outputs", [[1, 30], [30, 1]])
def test_the_delta_takes_a_responses_fullest_line(outputs: list[int]) -> None:
    made = Transcript().says("a", usage=measured(100, 1)).compacts()
    blocks = [text_block("b"), text_block("c")]
    made.answers(blocks, usage=measured(20), outputs=outputs)

    assert [p.compaction.delta for p in phases(phases_of(made)) if p.compaction] == [-51]


def test_a_compaction_without_a_response_after_it_has_no_delta() -> None:
    made = Transcript().says("a").compacts("auto", pre=7, post=3)

    assert phases(phases_of(made))[0].compaction == Compaction("auto", 7, 3, None)


def test_the_delta_looks_past_a_phase_without_responses() -> None:
    made = answers(answers(Transcript(), 100).compacts().compacts(), 30)

    assert [p.compaction.delta for p in phases(phases_of(made)) if p.compaction] == [-70]


def test_a_summary_without_its_boundary_still_ends_a_phase() -> None:
    made = answers(Transcript(), 100).user("summary", isCompactSummary=True)

    assert phases(phases_of(made))[0].compaction == Compaction("", None, None, None)


def test_lines_without_any_id_are_responses_of_their_own() -> None:
    absent = Transcript.ABSENT
    made = Transcript().says("a", usage=measured(9), id=absent, request=absent)
    made.says("b", usage=measured(4), id=absent, request=absent)

    assert [tokens.prompt for tokens in phases_of(made)[0].responses.values()] == [9, 4]


def test_a_synthetic_line_measures_nothing() -> None:
    made = answers(Transcript(), 9).synthetic("stopped", usage=measured(5))

    assert consumed_tokens(phases_of(made)) == 9


# devtools 106
def test_consumption_counts_what_each_compaction_kept_once() -> None:
    made = answers(Transcript(), 40_000, 100_000).compacts()
    made = answers(answers(made, 20_000, 80_000).compacts(), 30_000, 50_000)

    assert consumed_tokens(phases_of(made)) == 180_000


# devtools 106
def test_consumption_up_to_a_trailing_compaction_is_what_stood_before_it() -> None:
    assert consumed_tokens(phases_of(answers(Transcript(), 100_000).compacts())) == 100_000


def test_output_is_not_consumed_context() -> None:
    assert consumed_tokens(phases_of(Transcript().says("a", usage=measured(10, 500)))) == 10


def test_a_context_that_shrank_within_a_phase_gives_nothing_back() -> None:
    made = answers(answers(Transcript(), 100).compacts(), 60, 20)

    assert consumed_tokens(phases_of(made)) == 100


def test_a_session_that_measured_nothing_consumed_nothing() -> None:
    assert consumed_tokens(phases_of(Transcript().user("a").says("b", usage=False))) == 0


COUNTS = st.lists(st.integers(0, 10**7), min_size=7, max_size=7)


def test_estimates_below_the_measured_context_stay_as_they_are() -> None:
    raw = Categories(claude_md=10, skills=20)

    assert fit(raw, 30) == raw


def test_estimates_above_the_measured_context_shrink_in_proportion() -> None:
    raw = Categories(claude_md=100, tool_outputs=300)

    assert fit(raw, 100) == Categories(claude_md=25, tool_outputs=75)


def test_tokens_lost_by_rounding_go_to_the_largest_remainders() -> None:
    raw = Categories(claude_md=5, tool_outputs=4, skills=1)

    assert fit(raw, 7) == Categories(claude_md=3, tool_outputs=3, skills=1)


@given(COUNTS, st.integers(1, 10**7))
def test_fitted_estimates_never_exceed_what_was_measured(counts: list[int], limit: int) -> None:
    scaled = astuple(fit(Categories(*counts), limit))

    assert sum(scaled) == min(sum(counts), limit)
    assert all(0 <= now <= before for now, before in zip(scaled, counts, strict=True))
