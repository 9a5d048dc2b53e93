from unspool.show.viewers import task
from unspool.show.viewers.pieces import Amount, Pairs, Words


def test_who_what_and_answer_stand_in_that_order() -> None:
    input = {"subagent_type": "Explore", "prompt": "Look"}

    assert task.pieces(input, "Found", Amount()) == [
        Pairs((("subagent type", "Explore"),)),
        Words("Look", "asked"),
        Words("Found", "answered"),
    ]
