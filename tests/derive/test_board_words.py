"""A call, a question, a notification in one line."""

import pytest
from msgspec import Raw
from msgspec.json import encode

from tests.derive.hooked import hook
from unspool.derive.board_words import asks_for, call_line, said, summary, waits_for


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
