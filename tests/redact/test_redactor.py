import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from tests.redact.secrets import escaped, is_out, planted
from tests.redact.test_find import texts
from unspool.redact import Redactor, redact

PLANTED = planted(60)
TOKEN = PLANTED[0].secret

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


class Call(Struct, frozen=True, rename="camel"):
    tool_use_id: str
    input: Raw
    tokens: int = 0
    notes: tuple[str, ...] = ()


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return len(value), [shape(one) for one in value.values()]
    return [shape(one) for one in value] if isinstance(value, list) else type(value)


def test_a_mark_says_what_stood_there() -> None:
    assert redact(f"use {TOKEN} now") == "use [redacted: github token] now"


def test_a_clean_text_is_the_very_same() -> None:
    text = "nothing to hide here"

    assert redact(text) is text


def test_the_report_counts_each_kind() -> None:
    redactor = Redactor()
    redactor.text(f"{TOKEN} {TOKEN}")
    redactor.value({"password": "hunter2x"})

    assert redactor.report == {"github token": 2, "password": 1}


def test_a_clean_struct_is_the_very_same() -> None:
    call = Call("toolu_1", Raw(b'{"command":"ls"}'))

    assert Redactor().value(call) is call


def test_a_struct_keeps_its_shape_its_ids_and_its_numbers() -> None:
    call = Call("toolu_1", Raw(json.dumps({"command": f"echo {TOKEN}"}).encode()), 7, (TOKEN, "b"))

    clean = Redactor().value(call)

    assert (clean.tool_use_id, clean.tokens) == ("toolu_1", 7)
    assert clean.notes == ("[redacted: github token]", "b")
    assert msgspec.json.decode(clean.input) == {"command": "echo [redacted: github token]"}


def test_a_list_keeps_what_it_is_a_list_of() -> None:
    made = Redactor().value([Call("toolu_1", Raw(b"1"), notes=(TOKEN,)), "x", 3, None])

    assert isinstance(made[0], Call)
    assert made[1:] == ["x", 3, None]


def test_no_planted_secret_is_left_in_json() -> None:
    redactor = Redactor()
    made = [(one, redactor.json(escaped(one).encode()).decode()) for one in PLANTED]

    assert [one.name for one, text in made if is_out(one, text)] == []


@given(values)
def test_json_stays_json_of_the_same_shape(value: Any) -> None:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")

    clean = Redactor().json(data).decode("utf-8", "surrogatepass")

    assert shape(json.loads(clean)) == shape(value)


def test_letters_of_all_languages_stay() -> None:
    data = json.dumps({"a": f"héllo 漢字 😀 {TOKEN}"}, ensure_ascii=False).encode()

    assert json.loads(Redactor().json(data)) == {"a": "héllo 漢字 😀 [redacted: github token]"}


def test_an_image_is_passed_by_and_what_follows_is_not() -> None:
    image = "iVBORw0KGgo" + "sk-A1B2c3" * 40
    data = json.dumps({"data": image.replace("-", "/"), "text": TOKEN}).encode()

    clean = json.loads(Redactor().json(data))

    assert clean == {"data": image.replace("-", "/"), "text": "[redacted: github token]"}


def test_a_secret_ends_where_its_string_does() -> None:
    dashes, run = "-" * 5, "A1b2" * 20
    value = [f"{dashes}BEGIN PRIVATE KEY{dashes}\n{run}", f'"{run}"\n{dashes}END PRIVATE KEY']

    clean = json.loads(Redactor().json(json.dumps(value).encode()))

    assert clean == ["[redacted: private key]", value[1]]


def test_a_key_that_was_cut_short_does_not_hide_what_stands_in_the_next_strings() -> None:
    key = next(one for one in PLANTED if one.name.endswith("key block"))
    said = [key.text[:400], f"words {TOKEN}", key.text, "x"]
    clean = Redactor().json(json.dumps(said).encode()).decode()

    assert not is_out(key, clean)
    assert TOKEN not in clean
    assert json.loads(clean)[-1] == "x"


def test_quotes_inside_a_string_do_not_end_it() -> None:
    dashes, run = "-" * 5, "A1b2" * 20
    block = f'{dashes}BEGIN PRIVATE KEY{dashes}" "{run}" "{run}" "{dashes}END PRIVATE KEY{dashes}'

    clean = json.loads(Redactor().json(json.dumps([block, "x"]).encode()))

    assert clean == ["[redacted: private key]", "x"]


def test_a_part_ends_before_a_secret_that_goes_on() -> None:
    text = f"some words {TOKEN} and more"

    assert Redactor().part(text, 0, 20) == ("some words ", 11)


def test_a_part_that_begins_in_a_secret_shows_none_of_it() -> None:
    text = f"some words {TOKEN} and more"

    assert Redactor().part(text, 20, len(text))[0] == "[redacted: github token] and more"
