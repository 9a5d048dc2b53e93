"""A call, a question, a notification in one line."""

import pytest
from msgspec import Raw
from msgspec.json import encode

from tests.derive.hooked import hook
from unspool.derive.board_words import (
    asked_text,
    asks_for,
    call_line,
    event_text,
    pane_name,
    said,
    shortened,
    summary,
    waits_for,
)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": "make  test\n"}, "make test"),
        ({"pattern": "x*", "path": "/repo"}, "/repo"),
        ({"prompt": " "}, ""),
        ({"command": 7}, ""),
        ([], ""),
        ({"command": "x" * 900}, "x" * 200),
    ],
)
def test_a_summary_is_the_field_that_tells_most(given: object, told: str) -> None:
    assert summary(Raw(encode(given))) == told


@pytest.mark.parametrize("hostile", [b"", b"{", b'{"command":"\xff"}', b"[" * 5_000])
def test_an_input_that_cannot_be_read_has_no_summary(hostile: bytes) -> None:
    assert summary(Raw(hostile)) == ""


def test_a_call_is_its_tool_and_its_summary() -> None:
    assert call_line("Bash", b'{"command": "make"}') == "Bash make"
    assert call_line("TodoWrite", b"{}") == "TodoWrite"


def test_a_question_is_asked_in_its_own_words() -> None:
    one = encode({"questions": [{"question": "Which\ncolour?"}]})
    two = encode({"questions": [{"question": "Which?"}, {"question": "Why?"}]})

    assert waits_for("AskUserQuestion", one) == "Which colour?"
    assert waits_for("AskUserQuestion", two) == "Which? (+1)"


def test_a_plan_is_shown_by_its_beginning() -> None:
    assert waits_for("ExitPlanMode", encode({"plan": "# Do it\n\nFirst"})) == "# Do it First"


@pytest.mark.parametrize("odd", [b"{}", b"[]", b'{"questions": [7]}', b'{"questions": {}}', b"{"])
def test_a_question_without_words_is_its_tool(odd: bytes) -> None:
    assert waits_for("AskUserQuestion", odd) == "AskUserQuestion"


def test_a_request_asks_for_its_call() -> None:
    asked = hook("PermissionRequest", 1, tool_name="Bash", tool_input={"command": "rm x"})

    assert asks_for(asked) == "Bash rm x"


def test_a_notification_asks_by_its_message() -> None:
    told = hook("Notification", 1, message="Claude needs your\npermission")

    assert asks_for(told) == "Claude needs your permission"


@pytest.mark.parametrize("odd", [b"", b"7", b"null", b'"\xff"', b"[" * 5_000])
def test_what_is_no_text_says_nothing(odd: bytes) -> None:
    assert said(odd) == ""


def test_all_of_a_command_is_asked_as_it_was_written() -> None:
    command = "make \\\n  release" + " x" * 900

    assert asked_text("Bash", encode({"command": command})) == command
    asked = hook("PermissionRequest", 1, tool_name="Bash", tool_input={"command": command})
    assert event_text(asked) == command


def test_of_several_questions_the_first_is_asked() -> None:
    given = encode({"questions": [{"question": "Which\ncolour?"}, {"question": "Why?"}]})

    assert asked_text("AskUserQuestion", given) == "Which\ncolour?"


@pytest.mark.parametrize(("length", "is_known"), [(249, True), (250, False), (5_000, False)])
def test_what_may_have_been_cut_is_not_given_as_the_whole(length: int, is_known: bool) -> None:
    text = "x" * length
    given = shortened(encode({"command": text}))

    assert asked_text("Bash", given, is_cut=True) == (text if is_known else "")


def test_a_text_that_is_too_long_to_copy_is_left_out() -> None:
    assert asked_text("Bash", encode({"command": "x" * 20_001})) == ""


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("api:2", "api:2"),
        ({"session": "api", "window": 2, "pane": "%4"}, "api:2:%4"),
        ({"socket": "/tmp/x"}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_a_pane_is_named_only_where_the_entry_names_it(value: object, name: str) -> None:
    assert pane_name(encode(value)) == name
