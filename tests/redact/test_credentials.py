import json

import pytest

from tests.redact.secrets import planted
from unspool.redact import Redactor
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
BACK, TAB = "\\", "\t"
FIRST = f"-----BEGIN PRIVATE KEY-----\n{MADE}"
SECOND = "Z9y8X7w6" * 4


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("send Bearer {} along", 16),
        ("send Basic {} along", 16),
        ("/services/T0ABCDEF1/B0ABCDEF1/{} x", 20),
        ("https://x.example.org/f?se=2026&sig={}&sp=r", 20),
        ("https://chat.example.com/api/webhooks/1234567890/{} x", 60),
        ("https://app:{}…", 6),
        ("https://app:{}@host", 1),
    ],
)
def test_what_has_the_least_length_is_found_and_what_is_shorter_is_not(
    text: str, least: int
) -> None:
    assert shown(text.format(MADE[:least])) == [MADE[:least]]
    assert not shown(text.format(MADE[: least - 1]))


# Where a limit is, one character on each side of it.
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"/services/T0ABCDEF1/B{'0' * 7}/{MADE[:24]} x", True),
        (f"/services/T0ABCDEF1/B{'0' * 6}/{MADE[:24]} x", False),
        (f"/services/T0ABCDEF1/B{'0' * 12}/{MADE[:24]} x", True),
        (f"/services/T0ABCDEF1/B{'0' * 13}/{MADE[:24]} x", False),
        (f"/services/T0ABCDEF1/B{'0' * 7}/{MADE[:8]}_{MADE[:15]} x", True),
        (f"/services/T0ABCDEF1/B{'0' * 7}/{MADE[:7]}_{MADE[:16]} x", False),
        (f"/api/webhooks/{'1' * 10}/{MADE} x", True),
        (f"/api/webhooks/{'1' * 9}/{MADE} x", False),
        (f"/api/webhooks/{'1' * 20}/{MADE} x", True),
        (f"/api/webhooks/{'1' * 21}/{MADE} x", False),
        (f"https://{'a' * 128}:hunter2@host", True),
        (f"https://{'a' * 129}:hunter2@host", False),
        (f"https://{'a' * 128}:hunter2…", True),
        (f"https://{'a' * 129}:hunter2…", False),
        ("https://host:1\na@b", False),  # a port, and an address in the next line
        ("https://host:12345\na@b", False),
        ("https://host:123456\na@b", True),
        (f"https://a:{'b' * 4_091}@host", True),
        (f"https://a:{'b' * 4_092}@host", False),
        (f"https://a:ab\n{TAB * 40}c@host", True),
        (f"https://a:ab\n{TAB * 41}c@host", False),
        ("https://a:ab\n@host", False),
        (f'https://a:hunter2{BACK * 64}"', True),
        (f'https://a:hunter2{BACK * 65}"', False),
        (f"BEGIN {'A' * 40}PRIVATE KEY-----", True),
        (f"BEGIN {'A' * 41}PRIVATE KEY-----", False),
    ],
)
def test_a_limit_is_where_it_says(text: str, found: bool) -> None:
    assert bool(shown(text)) is found


# What stands between a line of a key and the next one, with {} as much as may be.
@pytest.mark.parametrize(
    ("gap", "sign", "most"),
    [
        ("\n{}", TAB, 24),
        ("\n{}t", BACK, 64),
        ("\n{}: x\n", "A", 20),
        ("\nName: {}\n", "x", 80),
        ('{}", "', BACK, 64),
        ('", {}"', BACK, 64),
        ('",{}"', " ", 80),
        ('", "{}', " ", 24),
        ('", "{}", "', BACK, 64),
    ],
)
def test_so_much_may_stand_between_two_lines_of_a_key(gap: str, sign: str, most: int) -> None:
    def is_covered(many: int) -> bool:
        gapped = gap.replace("{}", sign * many)
        return SECOND in shown(f"{FIRST}{gapped}{SECOND}")[0]

    assert [is_covered(1 if sign == BACK else most), is_covered(most)] == [True, True]
    assert not is_covered(most + 1)


@pytest.mark.parametrize(
    ("last", "covered"),
    [
        (SECOND[:16], True),
        (f"{SECOND[:16]} x", True),
        (SECOND[:15], True),
        (f"{SECOND[:15]} x", False),
        (f"{SECOND[:15]}    \n", True),
        (f"{SECOND[:15]}     \n", False),
        ("a", True),
        ("Ab: x\n", False),
        ("Abc: x\n", True),
        ("Abc: \n", False),
        (f'{SECOND}{BACK * 64}"', True),
        (f'{SECOND}{BACK * 65}"', False),
    ],
)
def test_a_line_of_a_key_has_a_least_length(last: str, covered: bool) -> None:
    assert (last.split(maxsplit=1)[0].rstrip(BACK + '"') in shown(f"{FIRST}\n{last}")[0]) is covered


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


@pytest.mark.parametrize(
    ("gap", "length", "covered"),
    [('", "', 16, True), ('", "', 15, False), (" ", 16, True), (" ", 15, True)],
)
def test_the_next_line_may_stand_in_quotes_or_after_a_blank(
    gap: str, length: int, covered: bool
) -> None:
    assert (SECOND[:length] in shown(f'{FIRST}{gap}{SECOND[:length]}"')[0]) is covered


# What stands between the first and the last line of a key, the name in the last, and how it ends.
@pytest.mark.parametrize(
    ("body", "name", "end"),
    [
        (MADE[:16], "PRIVATE KEY", "PRIVATE KEY-----"),
        (MADE[:15], "PRIVATE KEY", MADE[:15] + "\n"),
        (f"{MADE[:32]}{'! ' * 14}!", "PRIVATE KEY", "PRIVATE KEY-----"),  # half of it are lines
        (f"{MADE[:32]}{'! ' * 15}!", "PRIVATE KEY", "PRIVATE KEY-----\n"),
        (MADE, "A" * 66, "A-----"),
        (MADE, "A" * 67, "-----END "),
    ],
)
def test_a_key_ends_with_its_last_line(body: str, name: str, end: str) -> None:
    [found] = shown(f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END {name}-----")

    assert found.endswith(end)


# The strings of a list after the first line of a key, and what is shown of the last.
@pytest.mark.parametrize(
    ("strings", "last"),
    [
        ([*["Name: x"] * 8, MADE], "[redacted: private key]"),
        ([*["Name: x"] * 9, MADE], MADE),
        ([MADE, f"{'#' * 31}-----END KEY-----"], "[redacted: private key]"),
        ([MADE, f"{'#' * 32}-----END KEY-----"], f"{'#' * 32}-----END KEY-----"),
        ([MADE, f"-----END {'A' * 66}----- x"], "[redacted: private key] x"),
        ([MADE, f"-----END {'A' * 67}----- x"], "[redacted: private key]"),
        ([MADE[:16], "ab-----END KEY-----"], "[redacted: private key]"),
        ([MADE[:15], "ab-----END KEY-----"], "ab-----END KEY-----"),
    ],
)
def test_a_key_goes_on_in_the_strings_of_a_list(strings: list[str], last: str) -> None:
    data = json.dumps(["-----BEGIN PRIVATE KEY-----", *strings]).encode()

    assert json.loads(Redactor().json(data))[-1] == last


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("https://app:{}…", MADE * 100),
        ("https://x.example.org/f?se=2026&sig={}&sp=r", MADE * 100),
        ("https://x.example.org/f?Expires=1&Signature={}&Key-Pair-Id=K1", f"{MADE}~{MADE}__"),
        ("send Bearer {} along", MADE * 100),
        ("/services/T0ABCDEF1/B0ABCDEF1/{} x", MADE * 100),
    ],
)
def test_a_long_secret_is_found_whole(text: str, long: str) -> None:
    assert shown(text.format(long)) == [long]


# A key of more than 16,384 characters, and what follows its last line.
@pytest.mark.parametrize("gap", ["\n", "\\n", "\r\n", "\n   12→", "\n+"])
@pytest.mark.parametrize("last", [SECOND, SECOND[:4]])
def test_a_long_key_is_covered_to_its_last_line(gap: str, last: str) -> None:
    text = gap.join([FIRST, *[MADE] * 400, last, "-----END PRIVATE KEY-----", "and words"])
    [found] = shown(text)

    assert found.endswith(last)


@pytest.mark.parametrize(("length", "covered"), [(16, True), (15, False)])
def test_beyond_that_a_line_has_sixteen_letters(length: int, covered: bool) -> None:
    text = "\n".join([FIRST, *[MADE] * 400, f"{SECOND[:length]} x"])

    assert (SECOND[:length] in shown(text)[0]) is covered


def test_beyond_that_other_lines_with_a_colon_stay() -> None:
    text = "\n".join([FIRST, *[MADE] * 400, "Name: value", "Other: value"])

    assert "Name: value" not in shown(text)[0]


# The last line of a key may be long; after so much, what follows must be no header.
@pytest.mark.parametrize(("length", "covered"), [(0, True), (1, False)])
def test_the_headers_of_a_key_are_in_its_first_part(length: int, covered: bool) -> None:
    body = "A" * (16_384 - len("\n\nName: value\n") + length)
    [found] = shown(f"-----BEGIN PRIVATE KEY-----\n{body}\nName: value\n")

    assert found.endswith("value\n") is covered
