from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.show.made import texts
from unspool.show.tools import values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.binary())
def test_bytes_that_are_no_json_are_nothing(data: bytes) -> None:
    assert values.read(b"\xff" + data) is None


def test_json_too_deep_to_follow_is_nothing() -> None:
    assert values.read(b"[" * 100_000) is None


@given(JSON)
def test_any_result_has_a_text(result: Any) -> None:
    assert isinstance(values.result_text(result), str)


@given(JSON)
def test_any_value_fits_on_part_of_a_line(value: Any) -> None:
    assert len(values.short(value)) <= 200
    assert "\n" not in values.short(value)


def test_blocks_give_their_texts_in_order() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}, 7]

    assert values.result_text(content) == "a\n[image]\nb"


def test_an_object_gives_the_text_it_holds() -> None:
    assert values.result_text({"content": [{"type": "text", "text": "a"}]}) == "a"
    assert values.result_text({"result": "b"}) == "b"


def test_the_first_field_with_something_in_it_counts() -> None:
    assert values.text({"a": " ", "b": 7, "c": "yes"}, "a", "b", "c", "d") == "yes"


def test_true_is_no_number() -> None:
    assert values.number({"n": True}, "n") is None
    assert values.number({"n": 3}, "n") == 3


def test_only_objects_are_rows() -> None:
    assert values.rows({"todos": [{"a": 1}, "b", None]}, "todos") == [{"a": 1}]
    assert values.rows({"todos": "many"}, "todos") == []


def test_a_list_has_no_fields() -> None:
    assert values.fields([1]) == {}


def test_a_message_goes_without_its_tags() -> None:
    assert values.without_tags("<tool_use_error>No</tool_use_error>") == "No"


def test_a_block_of_text_is_folded_and_safe() -> None:
    shown = values.excerpt("\x1b[31ma\nb\nc\nd\ne", 1, 1)

    assert texts(shown) == ["a", "… 3 more lines", "e"]


def test_json_is_indented_up_to_a_length() -> None:
    assert values.pretty_json({"a": [1, "é"]}, 100) == '{\n  "a": [\n    1,\n    "é"\n  ]\n}'
    assert values.pretty_json([1, 2, 3], 6) == "[\n  1,"


def test_json_that_would_be_mostly_indentation_costs_no_more_than_what_is_shown() -> None:
    deep: Any = [1] * 100_000
    for _ in range(200):
        deep = [deep]

    assert len(values.pretty_json(deep, 50_000)) == 50_000
