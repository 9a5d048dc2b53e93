import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.redact.secrets import TOKENS, broken, escaped, is_out, planted
from unspool.redact import redact
from unspool.redact.find import PlainView, find_secrets, has_escapes

PIECES = ["a", "bc", "%3D", "%41", "\x1b[31m", "\\u001b[0m", "%", " ", "\\u005f", "\\\\u002D"]
BACK = "\\"
pieces = st.lists(st.sampled_from(PIECES))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x1b[1;31mb\x1b[0m\x1b[Kc", "abc"),
        ("a\\u001b[31mb", "ab"),
        ("a\\\\x1b[31mb", "ab"),
        ("key%3Dvalue%20x", "key=value x"),
        ("100% of %d", "100% of %d"),
        ("ghp\\u005fx\\\\u002Dy", "ghp_x-y"),
        ("\\u003cb\\u003e \\u00e9 \\u0009", "<b> \\u00e9 \\u0009"),
        (f"a{BACK * 64}x1b[0mb", "ab"),
        (f"a{BACK * 65}x1b[0mb", f"a{BACK}b"),
        ("ax1b[0mb", "ax1b[0mb"),
        (f"a\x1b[{'1' * 16}mb", "ab"),
        (f"a\x1b[{'1' * 17}mb", f"a\x1b[{'1' * 17}mb"),
        (f"a{BACK * 64}u005fb", "a_b"),
        (f"a{BACK * 65}u005fb", f"a{BACK}_b"),
        ("au005fb", "au005fb"),
    ],
)
def test_a_reader_sees_through_colours_and_percents(text: str, seen: str) -> None:
    assert PlainView(text).text == seen


@given(pieces)
def test_every_letter_is_found_again(parts: list[str]) -> None:
    text = "".join(parts)
    view = PlainView(text)

    for at, letter in enumerate(view.text):
        start, end = view.span(at, at + 1)
        number = f"{ord(letter):02X}"
        written = text[start:end].lstrip("\\")
        assert written in (letter, f"%{number}", f"u00{number}", f"u00{number.lower()}")


@pytest.mark.parametrize(
    "text", ["a\x1b[0m", "a%20b", "\\u001b[0m", "a\\u005fb", f"{BACK}e[{'1' * 16}m"]
)
def test_a_text_with_signs_is_known(text: str) -> None:
    assert has_escapes(text)


@pytest.mark.parametrize(
    "text", ["plain", "100 %", "a[0]", "C:\\dir[0]", "\\u00e9", f"{BACK}e[{'1' * 17}m"]
)
def test_a_text_without_signs_is_known(text: str) -> None:
    assert not has_escapes(text)


PLANTED = planted(150)
CHANCE = random.Random(11)

PARTS = r"""password token = : " \ sk- ghp_ a1b2c3d4 eyJ . @ :// u:p Key %3D Bearer -----END"""
parts = st.sampled_from(
    [*PARTS.split(), " ", "à", "\x85", "\n", "\x1b[0m", "-----BEGIN PRIVATE KEY-----"]
)
texts = st.lists(parts, max_size=30).map("".join) | st.text()


def test_there_are_as_many_secrets_as_are_promised() -> None:
    assert len({one.secret for one in PLANTED}) == 150


def test_no_planted_secret_is_left_in_plain_text() -> None:
    assert [one.name for one in PLANTED if is_out(one, redact(one.text))] == []


def test_no_planted_secret_is_left_in_a_string_inside_a_string() -> None:
    assert [one.name for one in PLANTED if is_out(one, redact(escaped(one)))] == []


def test_no_planted_secret_is_left_where_it_was_broken() -> None:
    made = [(one, broken(one, CHANCE)) for one in PLANTED]

    assert [(one.name, text) for one, text in made if is_out(one, redact(text))] == []


def test_what_was_redacted_once_stays_as_it_is() -> None:
    made = (form for one in PLANTED for form in (one.text, escaped(one), broken(one, CHANCE)))
    once = [redact(text) for text in made]

    assert [redact(text) for text in once] == once


@given(texts)
def test_places_are_in_order_and_inside_the_text(text: str) -> None:
    found = find_secrets(text)
    edges = [edge for one in found for edge in (one.start, one.end)]

    assert edges == sorted(edges)
    assert all(0 <= one.start < one.end <= len(text) for one in found)


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("sign", ["_", "-", "."])
def test_no_token_is_left_whose_prefix_is_escaped(depth: int, sign: str) -> None:
    names = {name for name, *_ in TOKENS}
    escape = "\\" * depth + f"u{ord(sign):04x}"
    tokens = [one for one in PLANTED if one.name in names]
    made = [(one, redact(one.text.replace(sign, escape))) for one in tokens]

    assert [one.name for one, text in made if is_out(one, text.replace(escape, sign))] == []


def test_what_stands_beside_an_escape_stays() -> None:
    token = next(one.secret for one in PLANTED if one.name == "github").replace("_", "\\u005f")
    text = f'{{"a": "\\u003c{token}\\u003e", "b": "c"}}'

    assert redact(text) == '{"a": "\\u003c[redacted: github token]\\u003e", "b": "c"}'


def test_a_token_beside_its_name_is_called_by_its_maker() -> None:
    token = next(one.secret for one in PLANTED if one.name == "github")

    assert [one.kind for one in find_secrets(f"GITHUB_TOKEN={token}")] == ["github token"]


@pytest.mark.parametrize(
    "text",
    [
        "The password is checked, the token is renewed, and the key turns.",
        '"integrity": "sha512-AbC1234567890+/==", "resolved": "https://example.org/x-1.0.tgz"',
        '{"sessionId":"3f2b8c1e-9d4a-4c6b-8e7f-0a1b2c3d4e5f","requestId":"req_011CQ2mzHS8GDwC7"}',
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main)",
        "/home/someone/projects/token-service/src/password_reset_2.py:120: def token(self):",
        "input_tokens=1200, output_tokens=80, cache_read_input_tokens: 90000",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "uuid.UUID('12345678123456781234567812345678')",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) is text


@pytest.mark.parametrize(("text", "found"), [("ab://:c@", True), ("a://:c@", False)])
def test_a_text_with_a_secret_has_eight_letters_at_least(text: str, found: bool) -> None:
    assert bool(find_secrets(text)) is found
