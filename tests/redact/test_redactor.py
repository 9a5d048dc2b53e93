import json
import re
from ast import literal_eval
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from tests.redact.secrets import escaped, is_out, planted
from tests.redact.test_find import texts
from unspool.model.api import RemovedSecrets
from unspool.redact import Redactor, redact
from unspool.redact.redactor import AuditingRedactor

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


@pytest.mark.parametrize(
    ("end", "shown"),
    [
        (4, "some"),
        (11, "some words "),
        (12, "some words [redacted: github token]"),
        (51, "some words [redacted: github token]"),
        (52, "some words [redacted: github token] "),
        (99, "some words [redacted: github token] and more"),
    ],
)
def test_the_beginning_of_a_text_has_a_secret_as_a_whole_or_not_at_all(
    end: int, shown: str
) -> None:
    assert len(TOKEN) == 40
    assert Redactor().head(f"some words {TOKEN} and more", end) == shown


KEY = next(one for one in PLANTED if one.name == "RSA key block")
HEADERS = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,2AF25325A9B318F344B8391AFD767D6D", ""]


def key_lines(sign: str, *, headers: bool = False, cut: bool = False) -> list[str]:
    """A file with a key, line by line, each with what a listing or a diff puts before it."""
    first, begin, *body, end, last = KEY.text.split("\n")
    lines = [
        first,
        begin,
        *(HEADERS if headers else []),
        *body,
        "Ag==",
        end,
        last,
        "some words",
        "x",
    ]
    return [sign + line for line in lines if not cut or line not in ("Ag==", end)]


SIGNS = pytest.mark.parametrize("sign", ["", "+", "-", " ", "    12→", "    12\t"])


@SIGNS
@pytest.mark.parametrize("headers", [False, True])
@pytest.mark.parametrize("cut", [False, True])
def test_a_key_goes_on_in_the_next_strings_of_a_list(sign: str, headers: bool, cut: bool) -> None:
    lines = key_lines(sign, headers=headers, cut=cut)
    value = {"structuredPatch": [{"lines": lines}], "other": "A1b2" * 10}

    clean = json.loads(Redactor().json(json.dumps(value).encode()))

    shown = clean["structuredPatch"][0]["lines"]
    assert not is_out(KEY, json.dumps(clean))
    assert (len(shown), shown[0], shown[-3:]) == (len(lines), lines[0], lines[-3:])
    assert clean["other"] == value["other"]


@SIGNS
@pytest.mark.parametrize("kind", [list, tuple])
def test_nor_is_it_left_in_a_list_of_values(sign: str, kind: type) -> None:
    lines = kind(key_lines(sign))

    clean = Redactor().value(lines)

    assert not is_out(KEY, "".join(clean))
    assert (type(clean), len(clean), clean[-3:]) == (kind, len(lines), lines[-3:])


def test_nor_in_a_list_inside_a_string() -> None:
    text = json.dumps({"lines": key_lines("+", headers=True)})

    assert not is_out(KEY, Redactor().json(json.dumps([text]).encode()).decode())
    assert not is_out(KEY, redact(text))


def test_a_diff_of_a_key_keeps_its_signs_and_counts_as_one() -> None:
    redactor = Redactor()
    clean = redactor.value(key_lines("-"))

    assert {line[0] for line in clean} == {"-"}
    assert clean[1:-3] == ["-[redacted: private key]"] * 15
    assert redactor.report == {"private key": 1}


@pytest.mark.parametrize(
    "after", [["-----END PRIVATE KEY-----", "x"], ["note: x", "y"], ["short", "y"]]
)
def test_strings_after_the_first_line_of_a_key_that_are_none_of_it_stay(after: list[str]) -> None:
    clean = Redactor().value(["-----BEGIN PRIVATE KEY-----", *after])

    assert clean == ["[redacted: private key]", *after]


def test_a_key_does_not_go_on_in_a_value_of_another_name() -> None:
    lines = KEY.text.split("\n")
    value = {"a": "\n".join(lines[:4]), "b": lines[5]}

    assert Redactor().value(value)["b"] == lines[5]


DOCUMENT = Path(__file__).parents[2] / "docs" / "redaction.md"
EXAMPLE = re.compile(r"^(?P<text>.*?\S) +→ (?P<clean>.+)$", re.MULTILINE)
CALL = re.compile(r"^redact\((?P<text>.+)\) +# (?P<clean>.+)$", re.MULTILINE)


def examples() -> list[tuple[str, str]]:
    said = DOCUMENT.read_text("utf-8")
    calls = [(literal_eval(one["text"]), literal_eval(one["clean"])) for one in CALL.finditer(said)]
    shown = [(one["text"], one["clean"]) for one in EXAMPLE.finditer(said)]
    return calls + [(text, text if clean == "stays" else clean) for text, clean in shown]


@pytest.mark.parametrize(("text", "clean"), examples())
def test_what_the_document_shows_is_so(text: str, clean: str) -> None:
    assert redact(text) == clean


def test_the_document_shows_what_is_taken_out_and_what_stays() -> None:
    made = [text == clean for text, clean in examples()]

    assert (made.count(False) >= 15, made.count(True) >= 10) == (True, True)


ONE, TWO = (one.text for one in planted(2))


def test_what_is_taken_out_is_noted_by_place_and_kind() -> None:
    auditing = AuditingRedactor()
    auditing.at("step 1").text(f"{ONE} {ONE}")
    auditing.at("step 2").value({"said": ONE})
    kind = next(iter(auditing.report))

    assert auditing.removed == (
        RemovedSecrets("step 1", kind, 2),
        RemovedSecrets("step 2", kind, 1),
    )


def test_a_place_without_secrets_is_not_noted() -> None:
    auditing = AuditingRedactor()
    auditing.at("step 1").text("nothing to see")

    assert auditing.removed == ()


def test_places_and_kinds_sum_to_the_report() -> None:
    auditing = AuditingRedactor()
    for number, text in enumerate((ONE, TWO, f"{ONE}\n{TWO}")):
        auditing.at(str(number)).text(text)

    assert sum(auditing.report.values()) == sum(one.count for one in auditing.removed) == 4


BACK = "\\"
KEY_ID = "/AKIA" + "1234567890ABCDEF"  # it would be redacted, were this no picture


# The form of a picture, how many letters it has, and whether it is one.
@pytest.mark.parametrize(
    ("form", "length", "is_picture"),
    [
        ('{"data":"{}"}', 200, True),
        ('{"data":"{}"}', 199, False),
        (f'{{"data{BACK * 64}":{BACK * 64}"{{}}"}}', 200, True),
        (f'{{"data{BACK * 65}":"{{}}"}}', 200, False),
        (f'{{"data":{BACK * 65}"{{}}"}}', 200, False),
    ],
)
def test_a_picture_is_a_long_value_of_its_field(form: str, length: int, is_picture: bool) -> None:
    letters = "Q" * (length - len(KEY_ID)) + KEY_ID
    data = form.replace("{}", f"iVBORw0KGgo{letters}").encode()

    assert (Redactor().json(data) == data) is is_picture
