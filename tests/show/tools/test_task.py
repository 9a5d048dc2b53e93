from tests.show.made import texts
from unspool.show.tools import task


def test_an_agent_is_told_by_its_task() -> None:
    input = {"description": "Find callers", "prompt": "Please …", "subagent_type": "Explore"}

    assert task.summary(input, None) == "Find callers"
    assert task.facts(input, None) == "Explore"


def test_a_message_says_who_it_is_for() -> None:
    assert task.facts({"recipient": "reviewer", "content": "Done"}, None) == "to reviewer"
    assert task.facts({}, None) == ""


def test_an_answer_shows_its_beginning() -> None:
    answer = [{"type": "text", "text": "\n".join("abcdefgh")}]

    assert texts(task.body({}, answer, failed=False)) == ["a", "b", "c", "d", "… 4 more lines"]
