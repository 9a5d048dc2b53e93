import pytest

from tests.redact.secrets import planted
from unspool.redact.credentials import RULES
from unspool.redact.rules import RuleSet

KEY = next(one.text for one in planted(60) if one.name == "RSA key block")


CREDENTIALS = RuleSet(RULES)


def shown(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sorted(CREDENTIALS.spans(text))]


@pytest.mark.parametrize("gap", ["\n", "\\n", "\\\\n", "\r\n", "\n   12→"])
def test_a_private_key_goes_from_its_first_line_to_its_last(gap: str) -> None:
    text = KEY.replace("\n", gap)
    found = shown(text)

    assert [(one[:10], one[-8:]) for one in found] == [("-----BEGIN", "KEY-----")]


def test_a_private_key_without_an_end_goes_as_far_as_its_lines() -> None:
    lines = KEY.split("\n")[1:6]
    found = shown("\n".join([*lines, "and here is some prose about it."]))

    assert found[0].split("\n")[:5] == lines
    assert "prose" not in found[0]


def test_what_stands_between_two_constants_of_a_program_stays() -> None:
    dashes = "-" * 5
    text = f"FIRST = '{dashes}BEGIN PRIVATE KEY{dashes}'\ndef f(): ...\nLAST = '{dashes}END '"

    assert "def f()" not in "".join(shown(text))


def test_a_public_key_stays() -> None:
    assert not shown(KEY.replace("PRIVATE", "PUBLIC"))


@pytest.mark.parametrize("scheme", ["postgres", "mongodb+srv", "https", "amqp"])
def test_the_password_of_an_address_is_found(scheme: str) -> None:
    assert shown(f"{scheme}://app:hunter2@db.example.org/x") == ["hunter2"]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org:8080/@someone",
        "see https://example.org:8080\nor write to a@example.org",
        "postgres://app:$PASSWORD@db",
        "postgres://app:****@db",
        "git@example.org:team/project.git",
        "@decorator: a thing",
    ],
)
def test_an_address_without_a_password_stays(text: str) -> None:
    assert not shown(text)


def test_a_bearer_alone_is_found() -> None:
    assert shown("send Bearer a1b2c3d4e5f6g7h8i9 along") == ["a1b2c3d4e5f6g7h8i9"]


def test_a_bearer_of_bad_news_stays() -> None:
    assert not shown("Bearer of bad news, and Basic English; Basic understanding")


def test_the_last_part_of_a_hook_is_found() -> None:
    made = "a1B2" * 6

    assert shown(f"https://hooks.example.com/services/T0ABCDEF1/B0ABCDEF1/{made}") == [made]


def test_a_short_last_part_is_of_something_else() -> None:
    assert not shown("/services/T0ABCDEF1/B0ABCDEF1/short1234")


def test_the_signature_of_an_address_is_found() -> None:
    made = "a1B2" * 10

    assert shown(f"https://x.example.org/f?se=2026&sig={made}&sp=r") == [made]


MADE = "a1B2c3D4" * 8


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("send Bearer {} along", 16),
        ("send Basic {} along", 16),
        ("/services/T0ABCDEF1/B0ABCDEF1/{} x", 20),
        ("https://x.example.org/f?se=2026&sig={}&sp=r", 20),
        ("https://chat.example.com/api/webhooks/1234567890/{} x", 60),
    ],
)
def test_what_has_the_least_length_is_found_and_what_is_shorter_is_not(
    text: str, least: int
) -> None:
    assert shown(text.format(MADE[:least])) == [MADE[:least]]
    assert not shown(text.format(MADE[: least - 1]))


@pytest.mark.parametrize(("name", "found"), [("B" + "0" * 7, True), ("B" + "0" * 6, False)])
def test_the_name_of_a_hook_has_eight_letters_at_least(name: str, found: bool) -> None:
    assert bool(shown(f"/services/T0ABCDEF1/{name}/{MADE[:24]} x")) is found


@pytest.mark.parametrize("quotes", ['"{}"', "'{}'", r"\"{}\""])
@pytest.mark.parametrize("last", [-1, -2])
def test_lines_of_a_key_may_be_a_list_in_a_text(quotes: str, last: int) -> None:
    lines = KEY.split("\n")[1:last]
    text = "[" + ", ".join(map(quotes.format, [*lines, "and words"])) + "]"

    assert not any(line in text.replace(shown(text)[0], "") for line in lines[1:-1])
    assert "and words" not in shown(text)[0]


@pytest.mark.parametrize("end", ["", "…", '"', r"\"", r"\\\""])
def test_a_login_that_was_cut_before_its_host_is_found(end: str) -> None:
    assert shown(f"see postgres://app:hunter2{end}") == ["hunter2"]


@pytest.mark.parametrize(
    "text",
    [
        "postgres://app:hunter2 x",
        "https://localhost:8080",
        '"https://localhost:PORT"',
        "docker://node:20-alpine",
        "https://host:${PORT2}",
        "https://host:hunt2",  # five letters
    ],
)
def test_what_is_no_cut_login_stays(text: str) -> None:
    assert not shown(text)
