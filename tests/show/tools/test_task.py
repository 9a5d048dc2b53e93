from tests.show.made import texts
from unspool.show.tools import task
from unspool.show.tools.details import DetailBuilder, MarkdownDetail, PairsDetail


def test_an_agent_is_told_by_its_task() -> None:
    input = {"description": "Find callers", "prompt": "Please …", "subagent_type": "Explore"}

    assert task.summary(input, None) == "Find callers"
    assert task.facts(input, None) == "Explore"


def test_a_message_says_who_it_is_for() -> None:
    assert task.facts({"recipient": "reviewer", "content": "Done"}, None) == "to reviewer"
    assert task.facts({}, None) == ""


def test_an_answer_shows_its_beginning() -> None:
    answer = [{"type": "text", "text": "\n".join("abcdefgh")}]

    assert texts(task.preview({}, answer, failed=False)) == ["a", "b", "c", "d", "… 4 more lines"]


def test_who_what_and_answer_stand_in_that_order() -> None:
    input = {"subagent_type": "Explore", "prompt": "Look"}

    assert task.details(input, "Found", DetailBuilder()) == [
        PairsDetail((("subagent type", "Explore"),)),
        MarkdownDetail("Look", "prompt"),
        MarkdownDetail("Found", "answer"),
    ]
