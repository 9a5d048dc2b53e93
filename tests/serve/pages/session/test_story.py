import pytest

from tests.show.everything import AGENT, INNER, SESSION
from unspool.errors import NotFound
from unspool.serve.pages.session import story
from unspool.serve.pages.session.opened import Read
from unspool.serve.pages.session.story import Asked
from unspool.show.views.shell import Shell


@pytest.mark.parametrize("at", [AGENT, INNER, "toolu_bad", "toolu_now"])
def test_what_was_asked_for_is_marked(read: Read, at: str) -> None:
    assert story.told(read, Asked(at=at)).at == at


def test_the_call_that_started_an_agent_is_shown_by_the_agent(read: Read) -> None:
    assert story.told(read, Asked(at="toolu_find")).at == AGENT


def test_a_step_that_is_not_shown_leads_to_the_one_before_it(read: Read) -> None:
    silent = next(
        step
        for chunk in read.session.document().chunks
        if chunk.steps
        for step in chunk.steps
        if step.type == "interruption" and step.id.endswith("-interruption-0")
    )
    found = story.told(read, Asked(at=silent.id))

    assert found.at


def test_a_chunk_can_be_asked_for(read: Read) -> None:
    chunk = read.session.fold.chunks.spans[-1].id

    assert story.told(read, Asked(at=chunk)).at == chunk


def test_a_step_on_a_branch_opens_the_branch(read: Read) -> None:
    left = next(one.id for one in read.session.document().chunks if one.branch)

    assert story.told(read, Asked(at=left)).branch == 1


def test_a_window_begins_with_the_prompt_of_what_was_asked_for(read: Read) -> None:
    found = story.told(read, Asked(at="toolu_bad"))

    assert found.passages[0].block.kind == "speech"


def test_nothing_is_at_what_nobody_knows(read: Read) -> None:
    with pytest.raises(NotFound):
        story.told(read, Asked(at="nobody"))


def test_an_empty_search_finds_nothing(read: Read) -> None:
    assert story.search(read, "  ") == ((), None)


def test_a_search_is_of_this_session_alone(read: Read) -> None:
    lines, _ = story.search(read, "memory")

    assert {line.session_id for line in lines} <= {SESSION}


def test_a_page_knows_where_its_reader_is(read: Read) -> None:
    page = story.page(read, Shell(title=""), Asked(at="toolu_bad"))

    assert page.place == {"at": "toolu_bad"}
    assert page.spot.at == "toolu_bad"
