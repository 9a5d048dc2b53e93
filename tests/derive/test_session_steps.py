"""Steps of a session: every microdollar lies on one of them."""

import pytest

from tests.derive.wholes import PRICES, whole_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.session_steps import session_steps
from unspool.derive.usage.prices import Pricer
from unspool.derive.whole import MAIN, Whole
from unspool.model.steps import SessionStep

PRICER = Pricer(PRICES.table)


def steps_of(whole: Whole, owner: str = MAIN) -> tuple[SessionStep, ...]:
    return session_steps(whole, owner, PRICER)


def used(read: int = 0, write: int = 0, output: int = 100) -> dict[str, int]:
    return {
        "input_tokens": 10,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }


def test_every_step_the_page_shows_has_its_place() -> None:
    made = (
        Transcript()
        .user("go")
        .answers(
            [thinking_block("hm"), text_block("so"), tool_block("Bash", {"command": "ls"}, "c1")]
        )
    )
    made.returns("no", call="c1", failed=True).says("done").compacts()

    found = [(step.kind, step.name, step.failed) for step in steps_of(whole_of(made))]

    assert found == [
        ("prompt", "", False),
        ("thinking", "", False),
        ("text", "", False),
        ("call", "Bash", True),
        ("text", "", False),
        ("compaction", "", False),
    ]


def test_calls_of_one_response_share_it_and_nothing_is_lost() -> None:
    calls = [tool_block("Read", {"file_path": name}, name) for name in "abc"]
    whole = whole_of(Transcript().user("go").answers([text_block("so"), *calls], usage=used(1_001)))

    _, said, *made = steps_of(whole)

    assert said.pico == 0
    assert sum(step.pico for step in made) == whole.usage(MAIN).pico
    assert max(step.pico for step in made) - min(step.pico for step in made) < len(made) * 5


def test_a_response_without_a_call_lies_on_what_it_said() -> None:
    whole = whole_of(Transcript().user("go").answers([thinking_block("hm"), text_block("so")]))

    assert [bool(step.pico) for step in steps_of(whole)] == [False, False, True]


def test_a_response_of_which_nothing_is_shown_lies_on_the_step_before() -> None:
    whole = whole_of(Transcript().user("go").thinks("", usage=used(500)))

    (prompt,) = steps_of(whole)

    assert prompt.pico == whole.usage(MAIN).pico > 0


@pytest.mark.parametrize(("agent", "kind"), [("x1", "prompt"), ("acompact-1", "compaction")])
def test_an_agent_that_nobody_started_lies_on_the_step_before_or_its_compaction(
    agent: str, kind: str
) -> None:
    main = Transcript().user("go").says("a")
    other = Transcript(agent=agent, uuid_prefix="x", start=main.clock.tick())
    other.user("look").says("seen", usage=used(9_000))
    main.user("on").says("b").compacts().says("c")
    (charged,) = [step for step in steps_of(whole_of(main, other)) if step.cost.agents]

    assert charged.kind == kind


def test_what_the_cache_lost_is_a_cause_of_its_own() -> None:
    made = Transcript().user("go").says("a", usage=used(write=50_000))
    made.user("on").says("b", usage=used(read=50_000, write=2_000))
    made.user("later").says("c", usage=used(write=53_000))

    rewrites = [step.cost.rewrite for step in steps_of(whole_of(made))]

    assert [bool(one) for one in rewrites] == [False, False, False, False, False, True]
    rates = PRICER.row("claude-sonnet-4-6", None)
    assert rates is not None
    assert rewrites[-1] == 52_000 * (rates.rates.write_5m - rates.rates.read)


def test_an_agent_counts_where_it_was_started_however_deep() -> None:
    main = Transcript().user("go").calls("Task", {"prompt": "look"}, id="t1")
    main.returns("ok", call="t1", result={"agentId": "a1"}).says("done")
    first = Transcript(agent="a1", uuid_prefix="x").user("look")
    first.calls("Task", {"prompt": "deeper"}, id="t2").returns("ok", result={"agentId": "a2"})
    second = Transcript(agent="a2", uuid_prefix="y").user("deeper").says("found", usage=used(9_000))
    whole = whole_of(main, first, second)

    started = steps_of(whole)[1]
    inside = steps_of(whole, "a1")[1]

    assert (started.kind, started.id, inside.id) == ("agent", "a1", "a2")
    assert started.cost.agents == whole.usage("a1").pico + whole.usage("a2").pico
    assert inside.cost.agents == whole.usage("a2").pico
    assert sum(step.pico for step in steps_of(whole)) == whole.usage(MAIN).pico + (
        started.cost.agents
    )


def test_a_cost_that_may_be_more_says_so() -> None:
    whole = whole_of(Transcript().user("go").says("so", stop=None).says("on"))

    assert [step.is_least for step in steps_of(whole)] == [False, True, False]


def test_only_responses_of_the_time_that_is_asked_for_count() -> None:
    made = Transcript().user("go").says("a", usage=used(write=50_000))
    made.user("on").says("b", usage=used(write=51_000))
    whole = whole_of(made)
    last = max(row.timestamp or 0 for row in whole.join.usage.owned())

    costs = [step.cost for step in session_steps(whole, MAIN, PRICER, lambda at: at == last)]

    assert [bool(sum(cost)) for cost in costs] == [False, False, False, True]
    assert costs[-1].rewrite > 0
