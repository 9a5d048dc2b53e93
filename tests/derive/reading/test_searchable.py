from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.json import encode

from tests.derive.reads import entries_of, messages_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.reading.searchable import searchable, spoken_text, strings
from unspool.model.transcript import User


def found(transcript: Transcript) -> tuple[str, str]:
    """Kind and text of a transcript's last line."""
    return searchable(entries_of(transcript)[-1][0], messages_of(transcript)[-1])


def answered(*blocks: Any) -> tuple[str, str]:
    return found(Transcript().answers([list(blocks)]))


def test_a_prompt_is_found_by_its_words() -> None:
    assert found(Transcript().user("where is the lamp")) == ("prompt", "where is the lamp")


def test_a_prompt_in_blocks_is_found_whole() -> None:
    made = Transcript().user([text_block("first"), text_block("second")])

    assert found(made) == ("prompt", "first\nsecond")


def test_a_prompt_is_found_as_it_is_read() -> None:
    command = "<command-name>/review</command-name><command-args>the lamp</command-args>"
    shown = text_block("<ide_opened_file>The user opened a.py</ide_opened_file>")

    assert found(Transcript().user(command)) == ("prompt", "/review the lamp")
    assert found(Transcript().user([shown, text_block("why?")])) == ("prompt", "why?")
    assert found(Transcript().user("<user-memory-input>use uv</user-memory-input>")) == (
        "prompt",
        "# use uv",
    )


def test_the_text_of_a_line_is_the_same_without_its_message() -> None:
    lines = Transcript().user("<ci-monitor-event>failed</ci-monitor-event>").user("a < b ")
    lines.user("<command-name>/x</command-name>").user("go").compacts(summary="<b> kept as it is")

    for (entry,), message in zip(entries_of(lines), messages_of(lines), strict=True):
        if isinstance(entry, User):
            assert spoken_text(entry).strip() == searchable(entry, message)[1]


def test_an_answer_and_a_thought_are_kinds_of_their_own() -> None:
    assert answered(text_block("hi")) == ("answer", "hi")
    assert answered(thinking_block("hm")) == ("thinking", "hm")


def test_a_call_is_found_by_its_name_and_by_what_it_was_given() -> None:
    kind, text = answered(tool_block("Bash", {"command": "make lamp", "opts": ["-j", {"x": "y"}]}))

    assert (kind, text.split()) == ("tool_input", ["Bash", "make", "lamp", "-j", "y"])


def test_words_beside_a_call_are_found_too() -> None:
    kind, text = answered(text_block("let me look"), tool_block("Bash", {"command": "ls"}))

    assert (kind, "let me look" in text) == ("tool_input", True)


def test_a_result_is_found_by_what_came_back() -> None:
    made = Transcript().calls("Bash", command="ls").returns([text_block("lamp.py")])

    assert found(made)[0] == "tool_result"
    assert "lamp.py" in found(made)[1]


def test_an_image_says_nothing() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    made = Transcript().calls("Read", file_path="/a.png").returns([image, text_block("done")])

    assert "AAAA" not in found(made)[1]
    assert "done" in found(made)[1]


def test_a_summary_is_no_prompt() -> None:
    assert found(Transcript().compacts(summary="we built a lamp")) == ("summary", "we built a lamp")


def test_what_was_injected_is_not_what_a_person_said() -> None:
    assert found(Transcript().user("go").reminder("be brief"))[0] == "system"


def test_a_system_line_is_found_by_its_words() -> None:
    made = Transcript().system("informational", content="disk is nearly full")

    assert found(made) == ("system", "disk is nearly full")


def test_a_long_text_leaves_out_words_nobody_would_type() -> None:
    signature = "x" * 300
    _, text = answered(text_block(f"{'lamp ' * 25_000}{signature} end"))

    assert (signature in text, text.endswith("lamp end")) == (False, True)


def test_a_short_text_is_kept_as_it_is() -> None:
    assert answered(text_block("a" * 300))[1] == "a" * 300


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_every_string_of_a_value_is_found_in_order(value: Any) -> None:
    def walk(one: Any) -> list[str]:
        if isinstance(one, str):
            return [one]
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        return [text for part in inner for text in walk(part)]

    assert strings(Raw(encode(value))) == walk(value)


def test_a_value_that_cannot_be_read_says_nothing() -> None:
    assert strings(Raw(b"[" * 100_000)) == []
