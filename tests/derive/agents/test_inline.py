from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import messages_of
from unspool.demo import Transcript
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.reading.agent_ids import as_id
from unspool.model.message import Message

SIDE = {"isSidechain": True}


def agents_of(made: Transcript) -> list[str]:
    """The agent of every line."""
    found = InlineAgents()
    return [found.name(message).agent_id for message in messages_of(made)]


def side(uuid: str, parent: str = "", agent: str = "", **more: Any) -> Message:
    fields = {"line": 1, "type": "user", "category": "user", **more}
    return Message(uuid=uuid, parent_uuid=parent, agent_id=agent, **fields)


def test_a_line_is_the_agent_s_that_it_names() -> None:
    made = Transcript().user("a", agentId="x", **SIDE).user("b", agentId="y", **SIDE)

    assert agents_of(made) == ["x", "y"]


def test_lines_that_hang_together_are_one_agent_named_after_the_first() -> None:
    made = Transcript().user("a", parentUuid=None, **SIDE).says("b", **SIDE).user("c", **SIDE)

    assert agents_of(made) == ["inline-u1"] * 3


def test_chains_that_are_written_by_turns_are_told_apart() -> None:
    found = InlineAgents()
    lines = side("a1"), side("b1"), side("a2", "a1"), side("b2", "b1"), side("a3", "a2")

    assert [found.name(one).agent_id[-2:] for one in lines] == ["a1", "b1", "a1", "b1", "a1"]


def test_a_line_that_names_nobody_goes_with_the_one_it_hangs_from() -> None:
    found = InlineAgents()

    assert found.name(side("a1", agent="x")).agent_id == "x"
    assert found.name(side("a2", "a1")).agent_id == "x"


def test_a_first_line_written_again_begins_no_other_agent() -> None:
    found = InlineAgents()

    assert found.name(side("a2", "a1")) == found.name(side("a2", "a1"))


def test_an_answer_whose_parent_is_missing_goes_on_with_the_last_agent() -> None:
    found, answer = InlineAgents(), {"type": "assistant", "category": "ai"}
    found.name(side("a1"))

    assert found.name(side("a9", "lost", **answer)).agent_id == "inline-a1"
    assert found.name(side("b1", "lost")).agent_id == "inline-b1"
    assert found.name(side("c1", **answer)).agent_id == "inline-c1"


def test_an_answer_without_a_uuid_goes_with_the_lines_before_it() -> None:
    found = InlineAgents()

    assert found.name(side("", line=7)).agent_id == "inline-7.0"
    assert found.name(side("a1")).agent_id == "inline-a1"
    assert found.name(side("")).agent_id == "inline-a1"


def test_an_id_that_no_address_takes_is_replaced_by_one_that_does() -> None:
    assert as_id("a1b2") == "a1b2"
    assert as_id("") == ""
    assert as_id("../x") == as_id("../x") != as_id("../y")
    assert as_id("../x").startswith("inline-")


@given(st.text(min_size=1, max_size=200))
def test_every_agent_has_an_id_that_addresses_take(name: str) -> None:
    for one in (side(name), side("u", agent=name)):
        id = InlineAgents().name(one).agent_id

        assert id.isascii()
        assert 0 < len(id) <= 128
        assert not set(id) & set("/?#%\\ ")
