from __future__ import annotations

from typing import Any

import pytest

from tests.demo.generator.made import Begin, finished, responses
from unspool.demo.generator.truth import TokenUsage
from unspool.demo.lines import text_block, thinking_block


def blocks() -> list[Any]:
    return [thinking_block("t"), text_block("a")]


def outputs(lines: list[Any]) -> list[list[int]]:
    found = responses(lines).values()
    return [[message["usage"]["output_tokens"] for message in each] for each in found]


def test_early_ages_write_a_small_output_first(begin: Begin) -> None:
    builder = begin("2.1")
    builder.main.answer(blocks(), usage=TokenUsage(output=500))
    first, last = outputs(finished(builder))[0]

    assert first < 10
    assert last == 500


def test_later_ages_write_the_final_output_on_each_line(begin: Begin) -> None:
    builder = begin("2.1.1xx")
    builder.main.answer(blocks(), usage=TokenUsage(output=500))

    assert outputs(finished(builder)) == [[500, 500]]


def test_a_response_is_counted_once_with_its_largest_output(begin: Begin) -> None:
    builder = begin()
    builder.main.answer(blocks(), usage=TokenUsage(input=4, output=500), outputs=[1, 260])
    finished(builder)

    assert (builder.truth.main.messages, builder.truth.main.output) == (1, 260)
    assert builder.truth.main.input == 4


def test_an_agent_of_the_newest_age_never_says_how_it_ended(begin: Begin) -> None:
    builder = begin()
    agent = builder.speaker("a1", builder.main.writer.clock.next, builder.model, depth=1)
    agent.answer(blocks(), usage=TokenUsage(output=500))
    builder.leave(agent)

    assert builder.truth.subagents.unfinished == 1
    assert builder.truth.subagents.output <= 15


@pytest.mark.parametrize(
    ("era", "kind"), [("1.0", "unsplit"), ("2.0", "write_5m"), ("2.1.270", "write_1h")]
)
def test_each_age_splits_its_cache_writes_its_own_way(begin: Begin, era: str, kind: str) -> None:
    assert getattr(begin(era).main.meter(), kind) > 0


def test_the_context_grows_by_what_is_written(begin: Begin) -> None:
    main = begin().main
    first, second = main.meter(), main.meter()

    assert second.read == first.read + first.written


@pytest.mark.parametrize("state", ["ok", "error", "rejected", "interrupted"])
def test_a_result_settles_its_calls_state(begin: Begin, state: str) -> None:
    builder = begin()
    call = builder.call("Bash")
    builder.main.ask(call)
    asked = dict(builder.main.states)
    builder.main.result(call, state)

    assert (asked, builder.main.states) == ({call.id: "no_result"}, {call.id: state})


def test_old_lines_carry_their_cost(begin: Begin) -> None:
    builder = begin("1.0")
    builder.main.say("a")
    line = finished(builder)[0]

    assert round(line["costUSD"] * 1e12) == builder.truth.main.pico


def test_new_lines_number_their_blocks_and_prompts(begin: Begin) -> None:
    builder = begin()
    builder.main.prompt("hi")
    builder.main.answer(blocks())
    prompt, *answer = finished(builder)

    assert [line["apiBlockIndex"] for line in answer] == [0, 1]
    assert "promptId" in prompt


def test_a_compaction_empties_the_context_and_is_counted(begin: Begin) -> None:
    builder = begin()
    builder.main.context = 140_000
    builder.main.compact()
    boundary = finished(builder)[0]

    assert boundary["compactMetadata"]["preTokens"] == 140_000
    assert (builder.main.context < 20_000, builder.truth.compactions) == (True, 1)
