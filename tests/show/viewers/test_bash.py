from unspool.show.viewers import bash
from unspool.show.viewers.pieces import Amount, Output, Pairs


def test_a_command_of_several_lines_is_shown_in_full() -> None:
    (command,) = bash.pieces({"command": "cd x\nmake"}, None, Amount())

    assert isinstance(command, Output)
    assert (command.label, command.head) == ("command", "cd x\nmake")


def test_what_it_is_for_is_told() -> None:
    assert bash.pieces({"command": "x", "description": "Try"}, "", Amount()) == [
        Pairs((("for", "Try"),))
    ]


def test_a_result_without_streams_is_what_was_printed() -> None:
    (made,) = bash.pieces({"command": "x"}, "<stdout>hi</stdout>", Amount())

    assert isinstance(made, Output)
    assert made.head == "hi"
