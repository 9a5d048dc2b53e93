from typing import Any

import pytest

from unspool.show.viewers import registry
from unspool.show.viewers.pieces import Amount, Diff, Output, Pairs, Picture, Piece, Question, Words

WINDOW = Amount()


def pieces(name: str, result: Any = None, *, failed: bool = False, **input: Any) -> list[Piece]:
    return registry.pieces(name, input, result, WINDOW, failed=failed)


def heads(found: list[Piece]) -> list[str]:
    return [piece.head for piece in found if isinstance(piece, Output)]


def test_bash_keeps_its_two_streams_apart() -> None:
    found = pieces("Bash", {"stdout": "out", "stderr": "err"}, command="make")

    assert heads(found) == ["out", "err"]


def test_an_edit_is_a_diff() -> None:
    (made,) = pieces("Edit", file_path="/a.py", old_string="a", new_string="b")

    assert isinstance(made, Diff)


def test_an_unknown_tool_shows_its_arguments_and_its_answer() -> None:
    found = pieces("Telescope", "stars", zoom=7)

    assert found[0] == Pairs((("zoom", "7"),))
    assert heads(found) == ["stars"]


def test_a_failed_edit_says_why_and_what_was_tried() -> None:
    error = "<tool_use_error>no match</tool_use_error>"
    found = pieces("Edit", error, failed=True, old_string="a", new_string="b")

    assert heads(found) == ["no match"]
    assert isinstance(found[-1], Diff)


def test_a_failed_command_says_what_it_printed() -> None:
    assert heads(pieces("Bash", "Exit code 1\nboom", failed=True)) == ["Exit code 1\nboom"]


@pytest.mark.parametrize("name", [*registry.VIEWERS, "mcp__x__y", ""])
@pytest.mark.parametrize("result", [None, "", 7, [], [None], {}, {"content": [3]}, "x" * 9])
def test_no_viewer_trips_over_what_it_is_given(name: str, result: Any) -> None:
    for input in ({}, {"command": 3, "questions": [{}], "todos": [{}], "edits": 1, "plan": []}):
        assert isinstance(registry.pieces(name, input, result, WINDOW), list)


def test_a_viewer_that_breaks_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.VIEWERS, "Bash", object())

    assert heads(pieces("Bash", "still here")) == ["still here"]


def test_an_image_that_was_read_is_a_picture() -> None:
    assert pieces("Read", [{"type": "image"}], file_path="a.png") == [Picture(0)]


def test_a_plan_is_prose() -> None:
    assert pieces("ExitPlanMode", plan="# Plan") == [Words("# Plan")]


def test_the_chosen_answer_is_marked() -> None:
    options = [{"label": "Redis"}, {"label": "Memory"}]
    asked = [{"question": "Where?", "options": options}]
    (made,) = pieces("AskUserQuestion", {"answers": {"Where?": "Redis"}}, questions=asked)

    assert isinstance(made, Question)
    assert [choice.is_chosen for choice in made.choices] == [True, False]
