import pytest

from tests.derive.alerts.executions import rule
from unspool.derive.alerts.words import LONGEST, alert, brief, dollars, given, json, said


def test_a_message_is_cut_at_five_hundred_characters() -> None:
    found = alert(rule(when="error"), "x" * 501, session="s", about="t", at=None)

    assert (len(found.message), found.message[-1]) == (500, "…")


def test_a_message_that_fits_is_whole() -> None:
    assert brief("x" * LONGEST) == "x" * LONGEST


def test_a_message_is_one_line() -> None:
    assert brief(" a\n\n b\tc ") == "a b c"


def test_the_key_names_rule_session_and_what_it_is_about() -> None:
    found = alert(rule(when="error", name="oops"), "m", session="s1", about="t1", at=1)

    assert found.key == "oops:s1:t1"


def test_money_is_told_to_the_cent() -> None:
    assert dollars(1_234_567_890_000_000) == "$1,234.57"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"plain"', "plain"),
        (b'[{"type":"text","text":"a"},{"type":"image"},{"text":"b"},7]', "a\nb"),
        (b"null", ""),
        (b"{}", ""),
        (b"not json", "not json"),
        (b"\xff", "\ufffd"),
    ],
)
def test_a_result_says_its_text(raw: bytes, text: str) -> None:
    assert said(raw) == text


@pytest.mark.parametrize("raw", [b"null", b"[]", b"7", b"{", b"\xff", b"[" * 5_000])
def test_an_input_that_is_no_object_gives_nothing(raw: bytes) -> None:
    assert given(raw) == {}


def test_a_value_that_is_no_text_is_written_out() -> None:
    assert json([1, {"a": None}]) == '[1,{"a":null}]'
