from tests.derive.wholes import PRICES, fold_of, responses, whole_of
from unspool.demo import Transcript
from unspool.derive.whole import MAIN, AgentPart, Ownership, SessionJoin, Whole

MODEL = {"model": "claude-sonnet-4-6", "usage": {"input_tokens": 1_000, "output_tokens": 100}}
MAIN_TALK = Transcript().user("go").calls("Agent", description="see", prompt="look", id="call1")


def agent(id: str, *, says: str = "seen", message: str | None = None) -> Transcript:
    made = Transcript(agent=id, uuid_prefix=f"{id}-")
    return made.user("look").says(says, id=message or f"msg-{id}", request=f"req-{id}", **MODEL)


def test_each_transcript_is_charged_for_its_own() -> None:
    whole = whole_of(MAIN_TALK, agent("a1"), agent("a2"))

    assert whole.metrics("a1").cost_usd == whole.metrics("a2").cost_usd == 0.0045
    assert whole.metrics(MAIN).input_tokens == 10


def test_a_response_in_two_files_is_charged_to_the_one_above() -> None:
    main = Transcript().user("go").says("words", id="shared", **MODEL)
    whole = whole_of(main, agent("a1", message="shared"))

    assert [found.message_key for found in responses(whole.join.usage, MAIN)] == ["m:shared"]
    assert responses(whole.join.usage, "a1") == []


def test_the_order_of_the_files_moves_no_charge() -> None:
    agents = [agent(id, message="shared") for id in ("a1", "a2", "a3")]
    owners = [
        [id for id in ("a1", "a2", "a3") if responses(whole_of(MAIN_TALK, *given).join.usage, id)]
        for given in (agents, agents[::-1])
    ]

    assert owners[0] == owners[1]
    assert len(owners[0]) == 1


def test_a_hidden_agents_responses_are_below_the_session() -> None:
    warmup = Transcript(agent="w1", uuid_prefix="w-").user("Warmup").says("x", id="m9", **MODEL)
    whole = whole_of(MAIN_TALK, warmup)

    assert whole.agents == ()
    assert whole.usage_below(MAIN).metrics().input_tokens == 1_000


def test_a_nested_agent_is_below_the_one_that_called_it() -> None:
    caller = agent("a1").calls("Agent", description="dig", prompt="deeper", id="call2")
    nested = Transcript(agent="b1", uuid_prefix="b-").user("deeper").says("dug", id="m9", **MODEL)
    whole = whole_of(MAIN_TALK, caller, nested)

    assert [found.id for found in whole.below("a1")] == ["b1"]
    assert whole.usage_below("a1").metrics().input_tokens == 1_000
    assert whole.below("b1") == []


def test_a_chunk_is_charged_for_the_responses_on_its_lines() -> None:
    whole = whole_of(Transcript().user("go").says("a", **MODEL).user("on").says("b", **MODEL))
    spans = whole.folds[MAIN].chunks.spans

    used = [whole.chunk(MAIN, span).used.metrics().input_tokens for span in spans]
    assert used == [0, 1_000, 0, 1_000]


def test_an_agent_at_work_is_shown_at_work() -> None:
    part = AgentPart(fold_of(agent("a1")), is_ongoing=True)

    whole = Whole(fold_of(MAIN_TALK), [part], SessionJoin(PRICES), Ownership(is_exact=True))

    assert whole.agents[0].is_ongoing


def test_a_transcript_without_times_took_no_time() -> None:
    whole = whole_of(Transcript().user("go", timestamp=Transcript.ABSENT))

    assert whole.duration(MAIN) == 0
