import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.source.jsontext import drop, extend, parse

Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=4,
)
Styles = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"indent": 0}, {"separators": (",", ":")}]
)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "// why\n{}", "{'a': 1}", '{"a": 1,}', "[NaN]", "[-Infinity]", "[" * 99_999),
        *('"a\nb"', '"\t"', '{"\0": 1}'),  # no control characters in strings
    ],
)
def test_what_no_json_reader_takes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


def test_a_number_is_what_was_written() -> None:
    assert parse("1.0") != parse("1")
    assert parse("1e999") != parse("1e9999")
    assert parse("9" * 5_000) != parse("9" * 4_999 + "8")
    assert parse("0.1") != parse("0.10")
    assert parse("1") != parse('"1"')


@given(st.dictionaries(st.text(max_size=5), Json), Styles, Json)
def test_a_member_put_in_changes_no_other(tree: dict[str, Any], style: Any, value: Any) -> None:
    tree.pop("new", None)
    text = json.dumps(tree, **style)
    made = extend(text, (), {"new": value})

    assert list(json.loads(made).items()) == [*tree.items(), ("new", value)]
    assert drop(made, ("new",)) == text


@given(st.lists(Json), Styles, Json)
def test_an_item_put_in_is_the_last(tree: list[Any], style: Any, value: Any) -> None:
    made = extend(json.dumps({"in": tree}, **style), ("in",), [value])

    assert json.loads(made) == {"in": [*tree, value]}
    assert json.loads(drop(made, ("in", len(tree)))) == {"in": tree}


@given(st.lists(Json, min_size=1), Styles, st.data())
def test_an_item_taken_out_is_the_only_one(tree: list[Any], style: Any, data: Any) -> None:
    at = data.draw(st.integers(0, len(tree) - 1))

    assert json.loads(drop(json.dumps({"in": tree}, **style), ("in", at))) == {
        "in": tree[:at] + tree[at + 1 :]
    }


def test_new_things_are_indented_like_the_old_ones() -> None:
    text = '{\r\n\t"a": [\r\n\t\t1\r\n\t],\r\n\r\n\t"b": {}\r\n}\r\n'

    assert extend(text, ("a",), [[2]]) == text.replace(
        "\t\t1\r\n", "\t\t1,\r\n\t\t[\r\n\t\t\t2\r\n\t\t]\r\n"
    )
    assert extend(text, (), {"c": 3}) == text.replace("{}", '{},\r\n\t"c": 3')
    assert extend(text, ("b",), {"d": 4}) == text.replace("{}", '{\r\n\t\t"d": 4\r\n\t}')


def test_what_is_on_one_line_stays_on_one_line() -> None:
    assert extend('{"a":[1]}', ("a",), [{"b": 2}]) == '{"a":[1, {"b": 2}]}'
    assert extend('{"a":{}}', ("a",), {"b": 2}) == '{"a":{"b": 2}}'
    assert extend('{\n  "a": [1]\n}', ("a",), [{"b": 2}]) == '{\n  "a": [1, {"b": 2}]\n}'


def test_an_empty_object_is_opened() -> None:
    assert extend("{ }\n", (), {"a": 1}) == '{\n  "a": 1\n}\n'


@pytest.mark.parametrize(("at", "left"), [(0, "[2 ,\n3]"), (1, "[1 ,\n3]"), (2, "[1 , 2]")])
def test_an_item_takes_one_comma_with_it(at: int, left: str) -> None:
    assert drop('{"in":[1 , 2 ,\n3]}', ("in", at)) == f'{{"in":{left}}}'


def test_of_two_members_of_a_name_the_last_one_counts() -> None:
    text = '{"a": [1], "a": [2]}'

    assert extend(text, ("a",), [3]) == '{"a": [1], "a": [2, 3]}'
    assert drop(text, ("a",)) == '{"a": [1]}'


def test_signs_of_json_in_a_string_are_text() -> None:
    text = '{"}],": "\\"],{", "b": ["]"]}'

    assert extend(text, ("b",), [1]) == '{"}],": "\\"],{", "b": ["]", 1]}'
