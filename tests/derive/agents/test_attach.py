"""Which chunk shows an agent."""

from tests.derive.agents.session import agent, facts_of
from tests.derive.reads import messages_of
from unspool.demo import Transcript
from unspool.derive.agents.attach import attach
from unspool.derive.agents.links import link
from unspool.derive.story.chunks import spans
from unspool.model.message import LinkFacts


def attached(main: Transcript, *agents: Transcript | LinkFacts) -> dict[str, list[str]]:
    files = [one if isinstance(one, LinkFacts) else facts_of(one) for one in agents]
    return attach(spans(messages_of(main)), link(facts_of(main), files), files)


def two_answers() -> Transcript:
    """Two prompts, each answered with a call: lines at 0 to 5 seconds, ai-u2 and ai-u5."""
    made = Transcript().user("one").calls("Agent", id="t1").returns("", result={"agentId": "a1"})
    return made.user("two").calls("Agent", id="t2").returns("", result={"agentId": "a2"})


# devtools 77
def test_an_agent_is_shown_where_it_was_called_whenever_it_began() -> None:
    assert attached(two_answers(), agent("a2"), agent("a1", at="00:00:04.500")) == {
        "ai-u2": ["a1"],
        "ai-u5": ["a2"],
    }


# devtools 77
def test_an_agent_without_a_call_is_shown_where_it_began() -> None:
    assert attached(two_answers(), agent("a9", at="00:00:04.500")) == {"ai-u5": ["a9"]}


# devtools 77
def test_an_agent_called_elsewhere_is_not_attached_by_time() -> None:
    main = two_answers().user(
        "<task-notification><task-id>a9</task-id><tool-use-id>elsewhere</tool-use-id>"
        "</task-notification>"
    )

    assert attached(main, agent("a9", at="00:00:04.500")) == {}


def test_a_boundary_that_two_chunks_share_attaches_once() -> None:
    main = Transcript().user("one").says("a").at("2026-01-01T00:00:01.000Z").user("two")
    main.at("2026-01-01T00:00:01.000Z").says("b")

    assert attached(main, agent("a1", at="00:00:01.000")) == {"ai-u2": ["a1"]}


def test_a_prompt_attracts_nobody() -> None:
    assert attached(two_answers(), agent("a9", at="00:00:03.000")) == {}


def test_an_agent_that_began_after_the_last_answer_is_attached_nowhere() -> None:
    assert attached(two_answers(), agent("a9", at="00:09:00.000")) == {}


def test_an_agent_without_a_call_or_a_time_is_attached_nowhere() -> None:
    timeless = Transcript(agent="a9", uuid_prefix="a9-").user("go", timestamp="never")

    assert attached(two_answers(), timeless) == {}


def test_a_chunk_without_a_time_attracts_nobody() -> None:
    main = Transcript().user("one").says("a", timestamp="never")

    assert attached(main, agent("a1", at="00:00:01.000")) == {}


def test_agents_of_one_chunk_come_in_the_order_they_began() -> None:
    main = Transcript().user("go").calls("Agent", id="t1").calls("Agent", id="t2")
    main.returns("", call="t1", result={"agentId": "a1"})
    main.returns("", call="t2", result={"agentId": "a2"})

    assert attached(main, agent("a1", at="00:03:00.000"), agent("a2")) == {"ai-u2": ["a2", "a1"]}


def test_a_file_that_is_no_agent_is_attached_nowhere() -> None:
    assert attached(two_answers(), agent("a9", "Warmup", at="00:00:04.500")) == {}


def nested() -> tuple[Transcript, list[LinkFacts]]:
    """A main conversation, the agent it called, and the agent that one called."""
    main = Transcript().user("one").calls("Agent", id="t1").returns("", result={"agentId": "a1"})
    outer = agent("a1", at="00:00:01.500").calls("Agent", id="n1")
    outer.returns("", result={"agentId": "a2"})
    return main, [facts_of(outer), facts_of(agent("a2", at="00:00:01.900"))]


def test_a_nested_agent_is_not_shown_in_the_main_conversation() -> None:
    main, files = nested()

    assert attached(main, *files) == {"ai-u2": ["a1"]}


def test_a_nested_agent_is_shown_in_the_transcript_that_called_it() -> None:
    main, files = nested()
    own = agent("a1", at="00:00:01.500").calls("Agent", id="n1")
    links = link(facts_of(main), files)

    assert attach(spans(messages_of(own)), links, files, of="a1") == {"ai-a1-u2": ["a2"]}


def test_an_agent_of_the_main_conversation_is_not_shown_in_another_by_time() -> None:
    own = agent("a1").says("more")
    files = [facts_of(agent("a9", at="00:01:01.500"))]
    links = link(facts_of(Transcript().user("go")), files)

    assert attach(spans(messages_of(own)), links, files, of="a1") == {}
