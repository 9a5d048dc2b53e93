from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.show.made import texts
from tests.show.tools.test_values import JSON
from unspool.show.tools import bash, edit, fallback, registry
from unspool.show.tools.details import (
    Detail,
    DetailBuilder,
    DiffDetail,
    ImageDetail,
    MarkdownDetail,
    OutputDetail,
    PairsDetail,
    QuestionDetail,
)
from unspool.show.tools.values import Fields

NAMES = st.sampled_from([*registry.TOOLS, "mcp__a__b", "Unheard"])
# The fields the views ask for, with anything at all in them.
WORDS = """command file_path old_string new_string edits content offset limit pattern todos status
questions question options label answers plan url code bytes results description name prompt taskId
numFiles numMatches structuredPatch lines file stdout tasks task result text type""".split()
INPUTS = st.dictionaries(st.sampled_from(WORDS), JSON, max_size=6)


@given(NAMES, INPUTS, JSON | INPUTS, st.booleans())
def test_no_input_and_no_result_break_a_view(
    name: str, input: dict[str, Any], result: Any, failed: bool
) -> None:
    view = registry.tool_view(name)

    assert "\n" not in view.summary(input, result) + view.facts(input, result)
    for line in view.preview(input, result, failed=failed):
        assert all("\n" not in text and "\x1b" not in text for _, text in line)


def test_a_tool_has_its_own_view_or_the_fallback() -> None:
    assert registry.tool_view("Bash") is bash
    assert registry.tool_view("mcp__a__b") is fallback
    assert registry.tool_view("Unheard") is fallback


def test_a_tool_is_called_as_a_person_calls_it() -> None:
    assert registry.label("Bash") == "Bash"
    assert registry.label("mcp__a__b") == "a · b"
    assert registry.label("\x1b[31mRead") == "Read"


class Broken:
    """A view that trips over everything."""

    def summary(self, input: Fields, result: object) -> str:
        raise KeyError("oh")

    def facts(self, input: Fields, result: object) -> str:
        raise RecursionError

    def preview(self, input: Fields, result: object, *, failed: bool) -> Any:
        raise ZeroDivisionError

    def details(self, input: Fields, result: object, build: DetailBuilder) -> Any:
        raise TypeError


def test_a_broken_view_gives_way_to_the_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.TOOLS, "Odd", Broken())

    assert registry.summary("Odd", {"a": "b"}, None) == "b"
    assert registry.facts("Odd", {}, None) == ""
    assert texts(registry.preview("Odd", {}, "said")) == ["said"]


def test_of_a_failure_what_was_said_about_it_is_shown() -> None:
    input = {"old_string": "a", "new_string": "b"}
    said = "<tool_use_error>String not found</tool_use_error>"

    assert texts(registry.preview("Edit", input, said, failed=True)) == ["String not found"]
    assert registry.facts("Edit", input, said, failed=True) == ""


def test_a_failed_command_still_tells_how_it_ended() -> None:
    assert registry.facts("Bash", {}, "Exit code 2\n", failed=True) == "exit 2"


WINDOW = DetailBuilder()


def details(name: str, result: Any = None, *, failed: bool = False, **input: Any) -> list[Detail]:
    return registry.details(name, input, result, WINDOW, failed=failed)


def heads(found: list[Detail]) -> list[str]:
    return [one.head for one in found if isinstance(one, OutputDetail)]


def test_bash_keeps_its_two_streams_apart() -> None:
    found = details("Bash", {"stdout": "out", "stderr": "err"}, command="make")

    assert heads(found) == ["out", "err"]


def test_an_edit_is_a_diff() -> None:
    (made,) = details("Edit", file_path="/a.py", old_string="a", new_string="b")

    assert isinstance(made, DiffDetail)


def test_an_unknown_tool_shows_its_arguments_and_its_answer() -> None:
    found = details("Telescope", "stars", zoom=7)

    assert found[0] == PairsDetail((("zoom", "7"),))
    assert heads(found) == ["stars"]


def test_a_failed_edit_says_why_and_what_was_tried() -> None:
    error = "<tool_use_error>no match</tool_use_error>"
    found = details("Edit", error, failed=True, old_string="a", new_string="b")

    assert heads(found) == ["no match"]
    assert isinstance(found[-1], DiffDetail)


def test_a_failed_command_says_what_it_printed() -> None:
    assert heads(details("Bash", "Exit code 1\nboom", failed=True)) == ["Exit code 1\nboom"]


@pytest.mark.parametrize("name", [*registry.TOOLS, "mcp__x__y", ""])
@pytest.mark.parametrize("result", [None, "", 7, [], [None], {}, {"content": [3]}, "x" * 9])
def test_no_view_trips_over_what_it_is_given(name: str, result: Any) -> None:
    for input in ({}, {"command": 3, "questions": [{}], "todos": [{}], "edits": 1, "plan": []}):
        assert isinstance(registry.details(name, input, result, WINDOW), list)


def test_a_view_that_breaks_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.TOOLS, "Bash", Broken())

    assert heads(details("Bash", "still here")) == ["still here"]


def test_an_image_that_was_read_is_a_picture() -> None:
    assert details("Read", [{"type": "image"}], file_path="a.png") == [ImageDetail(0)]


@pytest.mark.parametrize("name", [*registry.TOOLS, "mcp__x__y", "Unheard"])
@pytest.mark.parametrize("failed", [False, True])
def test_images_in_the_result_of_any_tool_are_shown_beside_its_text(
    name: str, failed: bool
) -> None:
    result = [{"type": "image"}, {"type": "text", "text": "some words"}, {"type": "document"}]
    made = details(name, result, failed=failed)
    has_text = failed or registry.tool_view(name) is not edit  # a diff says what was done
    words = [one.text for one in made if isinstance(one, MarkdownDetail)]

    assert made[-2:] == [ImageDetail(0, "image"), ImageDetail(1, "document")]
    assert [*heads(made), *words] == ["some words"] * has_text


def test_a_plan_is_prose() -> None:
    assert details("ExitPlanMode", plan="# Plan") == [MarkdownDetail("# Plan")]


def test_the_chosen_answer_is_marked() -> None:
    options = [{"label": "Redis"}, {"label": "Memory"}]
    asked = [{"question": "Where?", "options": options}]
    (made,) = details("AskUserQuestion", {"answers": {"Where?": "Redis"}}, questions=asked)

    assert isinstance(made, QuestionDetail)
    assert [choice.is_chosen for choice in made.choices] == [True, False]
