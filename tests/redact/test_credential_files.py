import json
from base64 import b64encode

import pytest

from tests.redact.repeats import found_at
from unspool.redact import Redactor, redact
from unspool.redact.credential_files import RULES
from unspool.redact.rules import RuleSet

FILES = RuleSet(RULES)
LOGIN = b64encode(b"deploy:hunter2x").decode()
PART = "a1B2_c3D4-e5F6g7"
LINES = ["A1b2C3d4" * 8, "E5f6G7h8" * 8, "I9j0"]
PUTTY = [
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "Public-Lines: 1",
    "AAAAC3NzaC1lZDI1NTE5",
    "Private-Lines: 3",
    *LINES,
    "Private-MAC: " + "0a1b2c3d" * 8,
]


def shown(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sorted(FILES.spans(text))]


@pytest.mark.parametrize(
    "text",
    [
        '{"auths":{"r.example.org":{"auth":"{}"}}}',
        '{\n  "auth": "{}"\n}',
        r"{\"auth\":\"{}\"}",
        r"{\\\"auth\\\": \\\"{}\\\"}",
        "//r.example.org/:_auth={}",
        '_auth = "{}"',
    ],
)
@pytest.mark.parametrize("login", [LOGIN, b64encode(b"me:hunter2").decode().rstrip("=")])
def test_the_login_of_a_registry_is_found(text: str, login: str) -> None:
    assert shown(text.replace("{}", login)) == [login]


@pytest.mark.parametrize(
    "value",
    [
        "basicbasic",
        b64encode(b"no colon here").decode(),
        b64encode(b":password").decode(),
        b64encode(b"name:\x00\x01").decode(),
        "${AUTH_OF_IT}",
    ],
)
def test_another_value_of_auth_stays(value: str) -> None:
    assert not shown(f'{{"auth": "{value}"}}')


@pytest.mark.parametrize(
    "text",
    [
        "machine api.example.org login me password hunter2x",
        "machine api.example.org\n\tlogin me@example.org\n\tpassword hunter2x\n",
        r"machine api.example.org\n  login me\n  password hunter2x\n",
        "machine localhost password hunter2x",
        "machine a.example.org login me account x password hunter2x",
        "default login me password hunter2x",
        "login me\npassword hunter2x",
    ],
)
def test_the_password_of_a_netrc_is_found(text: str) -> None:
    assert shown(text) == ["hunter2x"]


def test_a_word_is_a_password_in_a_netrc() -> None:
    assert shown("machine a.example.org login me password swordfish") == ["swordfish"]


@pytest.mark.parametrize(
    "text",
    [
        "log in with your password hunter2x",
        "login with password authentication",
        "the machine you login with password manager",
        "machine a.example.org login me password $PASSWORD",
        "machine a.example.org hunter2x",
    ],
)
def test_a_sentence_about_a_password_stays(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "db.example.org:5432:shop:app:hunter2x",
        "localhost:5433:*:app:hunter2x\n",
        "*:*:*:postgres:hunter2x",
        "10.0.0.5:6432:shop:app:hunter2x",
        'echo "db.example.org:5432:shop:app:hunter2x" >> ~/.pgpass',
        r"localhost:5432:a:b:hunter2x\nother",
    ],
)
def test_the_password_of_a_pgpass_is_found(text: str) -> None:
    assert shown(text) == ["hunter2x"]


@pytest.mark.parametrize(
    "text",
    [
        "db.example.org:8080:shop:app:hunter2x",
        "app.log:1042:INFO:root:started2x",
        "2001:0db8:5432:abcd:ab12:hunter2x",
        "db.example.org:5432:shop:app:password",
        "db.example.org:5432:shop:hunter2x",
        "db:5432:shop:app:hunter2x",
    ],
)
def test_another_line_with_colons_stays(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"kty":"RSA","n":"abc","e":"AQAB","d":"{}"}',
        '{"d": "{}", "kty": "OKP", "crv": "Ed25519"}',
        '{\n  "kty": "oct",\n  "k": "{}"\n}',
        r"{\"kty\":\"EC\",\"x\":\"abc\",\"d\":\"{}\"}",
        '{"keys":[{"kty":"RSA","n":"abc"},{"kty":"RSA","qi":"{}"}]}',
    ],
)
def test_a_private_part_of_a_web_key_is_found(text: str) -> None:
    assert shown(text.replace("{}", PART)) == [PART]


@pytest.mark.parametrize(
    "text",
    [
        '{"kty":"RSA","n":"{}","e":"AQAB","x":"{}"}',
        '{"d": "{}"}',
        '{"d": "{}"}, {"kty": "RSA"}, {"d": "{}"}',
    ],
)
def test_a_public_part_and_other_objects_stay(text: str) -> None:
    assert not shown(text.replace("{}", PART))


@pytest.mark.parametrize("gap", ["\n", "\\n", "\r\n", "\n   12→", "\n+"])
def test_the_private_lines_of_a_putty_key_are_found(gap: str) -> None:
    text = gap.join(PUTTY)
    [found] = shown(text)

    assert [line for line in LINES if line not in found] == []
    assert "AAAAC3NzaC1lZDI1NTE5" not in found


def test_they_are_found_in_a_list_of_lines() -> None:
    data = json.dumps({"lines": [f"+{line}" for line in (*PUTTY, "and words")]})
    clean = [
        Redactor().json(data.encode()).decode(),
        "\n".join(Redactor().value([*PUTTY, "and words"])),
    ]

    assert [line for line in LINES[:2] for text in clean if line in text] == []
    assert all("and words" in text for text in clean)


def test_a_header_without_lines_stays() -> None:
    text = "The header Private-Lines: 8 comes first.\nThen words."

    assert redact(text) is text


@pytest.mark.parametrize(
    "text",
    [
        "requirepass hunter2x",
        'masterauth "hunter2x"',
        r"port 6379\nrequirepass hunter2x\n",
        "CREATE USER 'app'@'%' IDENTIFIED BY 'hunter2x';",
        "create user app identified by 'hunter2x';",
        "ALTER USER app IDENTIFIED WITH caching_sha2_password BY 'hunter2x';",
        "nmcli dev wifi connect home password hunter2x",
    ],
)
def test_the_password_of_a_directive_or_a_statement_is_found(text: str) -> None:
    assert shown(text) == ["hunter2x"]


@pytest.mark.parametrize(
    "text",
    [
        "requirepass is a setting",
        "# requirepass $PASSWORD",
        "it is IDENTIFIED BY its name",
        "identified by 'name'x",
        "CREATE USER app IDENTIFIED BY '<password>'",
        "nmcli dev wifi; the password hunter2x",
    ],
)
def test_a_sentence_with_such_words_stays(text: str) -> None:
    assert "hunter2x" not in shown(text)


# Where a limit is, one character on each side of it.
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f'"auth": "{b64encode(b"a:bcde").decode()}"', True),
        (f'"auth": "{b64encode(b"a:bcd").decode()}"', False),
        ("machine a.example.org login me password ab1!", True),
        ("machine a.example.org login me password ab1", False),
        (f"machine a.example.org login {'a' * 128} password hunter2x", True),
        (f"machine a.example.org login {'a' * 129} password hunter2x", False),
        ("requirepass ab1!", True),
        ("requirepass ab1", False),
        ("IDENTIFIED BY 'ab1!'", True),
        ("IDENTIFIED BY 'ab1'", False),
        (f"nmcli {'a' * 199} password hunter2x", True),
        (f"nmcli {'a' * 200} password hunter2x", False),
        ("*:*:*:me:ab1!", True),
        ("*:*:*:me:ab1", False),
        ('{"kty":"oct","k":"a1b2c3d4e5f6g7h8"}', True),
        ('{"kty":"oct","k":"a1b2c3d4e5f6g7h"}', False),
        (f'{{"d":"{PART}","n":"{"n" * 16_353}","kty":"RSA"}}', True),
        (f'{{"d":"{PART}","n":"{"n" * 16_354}","kty":"RSA"}}', False),
        (f'{{"kty":"RSA","n":"{"n" * 16_345}","d":"{PART}"}}', True),
        (f'{{"kty":"RSA","n":"{"n" * 16_346}","d":"{PART}"}}', False),
        (f"Private-Lines: 1\n{'A1b2' * 4}", True),
        (f"Private-Lines: 1\n{'A1b2' * 3}A1b", False),
        (f"Private-Lines: 1\n{'A1b2' * 3}A1b x", False),
        (f'{{"kty":"oct",k":"{PART}"}}', False),
        (f"machine {'a' * 63}.example.org password swordfish", True),
        (f"machine {'a' * 64}.example.org password swordfish", False),
        (f"machine a.{'b' * 63}.org password swordfish", True),
        (f"machine a.{'b' * 64}.org password swordfish", False),
        ("machine a.b password swordfish", True),
        ("machine a. password swordfish", False),
        ("machine .b password swordfish", False),
        ("machine a.b.c.d.e.f.g.h.i password swordfish", True),
        ("machine a.b.c.d.e.f.g.h.i.j password swordfish", False),
        ("machine a.b login me account x password swordfish", True),
        ("machine a.b login me account x account x password swordfish", False),
        ("machine a.b login m password swordfish", True),
        (f"machine {'.'.join(['a' * 63] * 7)}.{'a' * 55} password swordfish", True),
        (f"machine {'.'.join(['a' * 63] * 7)}.{'a' * 56} password swordfish", False),
        (f"*:*:{'a' * 63}:me:hunter2x", True),
        (f"*:*:{'a' * 64}:me:hunter2x", False),
        (f"*:*:*:{'a' * 63}:hunter2x", True),
        (f"*:*:*:{'a' * 64}:hunter2x", False),
        (f"a.{'b' * 63}:5432:*:me:hunter2x", True),
        (f"a.{'b' * 64}:5432:*:me:hunter2x", False),
        ("a.b:5432:*:me:hunter2x", True),
        (".b:5432:*:me:hunter2x", False),
        ("a.:5432:*:me:hunter2x", False),
        (f"IDENTIFIED WITH {'a' * 40} BY 'hunter2x'", True),
        (f"IDENTIFIED WITH {'a' * 41} BY 'hunter2x'", False),
        ("IDENTIFIED WITH a BY 'hunter2x'", True),
        ("IDENTIFIED WITH  BY 'hunter2x'", False),
    ],
)
def test_a_limit_is_where_it_says(text: str, found: bool) -> None:
    assert bool(shown(text)) is found


# With {} as many blanks or quotes as there may be, and with one more.
@pytest.mark.parametrize(
    ("text", "sign", "least", "most"),
    [
        ("machine{}a.b login me password swordfish", " ", 1, 16),
        ("machine a.b{}login me password swordfish", " ", 1, 16),
        ("machine a.b login{}me password swordfish", " ", 1, 16),
        (r"machine a.b\{}n login me password swordfish", "\\", 0, 63),
        ("machine a.b password{}swordfish", " ", 1, 8),
        ("requirepass{}hunter2x", " ", 1, 8),
        ("masterauth{}hunter2x", " ", 1, 8),
        ("requirepass {}hunter2x", "'", 0, 66),
        ("IDENTIFIED BY {}'hunter2x'", "\\", 0, 64),
        (f'"auth":{{}}"{LOGIN}"', " ", 0, 8),
        (f'"auth": {{}}{LOGIN}"', '"', 0, 66),
        (f"_auth{{}}={LOGIN}", " ", 0, 8),
        (f"_auth{{}}={LOGIN}", "'", 0, 66),
        (f'{{"kty":"oct","k{{}}:"{PART}"}}', '"', 0, 66),
        (f'{{"kty":"oct","k":{{}}{PART}"}}', '"', 1, 66),
        (f'{{"kty":"oct","k"{{}}:"{PART}"}}', " ", 0, 8),
        (f'{{"kty":"oct","k":{{}}"{PART}"}}', " ", 0, 8),
        (f'{{"kty{{}}:"oct","k":"{PART}"}}', '"', 1, 66),
        (f'{{"kty"{{}}:"oct","k":"{PART}"}}', " ", 0, 8),
    ],
)
def test_so_many_blanks_and_quotes_may_be_there(
    text: str, sign: str, least: int, most: int
) -> None:
    assert found_at(FILES, text, sign, least, most, most + 1) == [True, True, False]
    assert least == 0 or found_at(FILES, text, sign, least - 1) == [False]


@pytest.mark.parametrize(
    "text",
    [
        "machine a.example.org login me password {} x",
        "requirepass {} x",
        "IDENTIFIED BY '{}'",
        "db.example.org:5432:shop:app:{} x",
        '{{"kty":"RSA","d":"{}"}}',
        '{{"d":"{}","kty":"RSA"}}',
    ],
)
def test_a_long_password_or_key_is_found_whole(text: str) -> None:
    long = "a1B2" * 3_000

    assert shown(text.format(long)) == [long]


def test_a_part_of_a_web_key_that_goes_on_where_no_more_is_read_is_found_whole() -> None:
    long = "a1B2" * 5_000

    assert shown(f'{{"kty":"RSA","d":"{long}"}}') == [long]


@pytest.mark.parametrize("length", [2_000, 2_048, 2_049, 3_000])
def test_the_login_of_a_registry_may_be_long(length: int) -> None:
    login = b64encode(b"me:" + b"a1B2" * length).decode()

    assert shown(f'"auth": "{login}"') == [login]


@pytest.mark.parametrize("depth", range(5))
def test_the_login_of_a_registry_is_found_however_deep_its_json_is_nested(depth: int) -> None:
    text = json.dumps({"auths": {"r.example.org": {"auth": LOGIN}}})
    for _ in range(depth):
        text = json.dumps({"stdout": text})

    assert LOGIN not in redact(text)
