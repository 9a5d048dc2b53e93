import json
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from unspool.show import safe

# Letters a terminal acts on turn up far too seldom in text that is merely random.
HOSTILE = st.text(
    st.one_of(
        st.sampled_from("\x1b\x9b\x9d\x07[];m?0Ac\\\u202e\u2066\r\n\t\ud800"), st.characters()
    )
)
TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(HOSTILE)
@example("\x1b\x1b[0m[31m")
@example("\x1b]0;title\x07")
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    shown = safe.line(text)

    assert not [
        letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")
    ]


@given(HOSTILE)
def test_nothing_that_turns_the_direction_of_reading_is_left(text: str) -> None:
    shown = safe.line(text)

    assert not TURNING & {unicodedata.bidirectional(letter) for letter in shown}
    assert not set("\u200e\u200f\u061c") & set(shown)


@given(HOSTILE)
def test_what_is_safe_stays_as_it_is(text: str) -> None:
    shown = safe.line(text)

    assert safe.line(shown) == shown


@given(st.text(st.characters(categories=("L", "N", "P", "S", "M")) | st.just(" ")))
def test_ordinary_writing_is_not_touched(text: str) -> None:
    assert safe.line(text) == text


def test_a_colour_goes_and_its_words_stay() -> None:
    assert safe.line("\x1b[1;31mred\x1b[0m alert") == "red alert"


def test_a_window_title_goes_with_its_words() -> None:
    assert safe.line("a\x1b]0;you were hacked\x07b") == "ab"


def test_an_escape_that_is_no_sequence_is_made_visible() -> None:
    assert safe.line("a\x1b") == "a␛"


def test_a_turn_of_direction_is_made_visible() -> None:
    assert safe.line("abc\u202edef") == "abc‹202E›def"


def test_hidden_tag_letters_are_made_visible() -> None:
    assert safe.line("hi\U000e0041") == "hi‹E0041›"


def test_a_family_keeps_its_joiners() -> None:
    assert safe.line("👩\u200d👧\t") == "👩\u200d👧 "


def test_half_a_surrogate_pair_can_be_printed() -> None:
    assert safe.line("x\ud800").encode() == "x\ufffd".encode()


def test_every_kind_of_line_end_ends_a_line() -> None:
    assert safe.lines("a\nb\r\nc\rd\u2028e") == ["a", "b", "c", "d", "e"]


def test_an_empty_text_has_no_lines() -> None:
    assert safe.lines("") == []
    assert safe.lines("\n\na\n\n") == ["a"]


def test_json_for_a_terminal_has_the_same_value_and_nothing_that_acts() -> None:
    value = {"a\x7f": ["\x9b31m", "\u202e", "\U000e0041", "\ud800", "é漢👩", "\x1b"]}
    written = safe.json_text(json.dumps(value, ensure_ascii=False, indent=1))

    assert json.loads(written) == value
    assert not set(written) & set("\x7f\x9b\u202e\U000e0041\ud800\x1b")
    assert "é漢👩" in written


def test_broken_bytes_of_json_cannot_act_either() -> None:
    assert safe.json_bytes(b'"\xc2\x9b \x9b"') == b'"\\u009b \\udc9b"'


def test_a_brief_text_is_one_line_of_at_most_so_many_letters() -> None:
    assert safe.brief("one\n\n  two\tthree" + "x" * 900, 12) == "one two thre"
