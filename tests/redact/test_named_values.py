import pytest

from unspool.redact.command_lines import RULES as OPTIONS
from unspool.redact.named_values import RULES
from unspool.redact.rules import RuleSet

NAMES, ALL = RuleSet(RULES), RuleSet((*RULES, *OPTIONS))


def shown_values(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sorted(NAMES.spans(text))]


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "password: str = ''",
        "password=password",
        "token = os.environ['TOKEN']",
        "token: ${{ secrets.TOKEN }}",
        "API_KEY=$OTHER_KEY",
        "API_KEY=<your key>",
        'api_key: "your-api-key-1"',
        'token: "user_prompt"',
        "max_token=4096",
        "--- PASS: TestSomethingOfTheProgram2 (0.00s)",
        "token = response.data.token",
        "private_key: Uint8Array",
        'private_key = "/etc/ssl/host1.pem"',
        'password: "********"',
        '{"token": 1234567890123, "secret": true}',
        "secret: my-secret-name",
        "cookie = jar.get(name)",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
    ],
)
def test_what_stands_for_a_secret_stays(text: str) -> None:
    assert not shown_values(text)


def test_a_value_ends_where_its_quotes_do() -> None:
    assert shown_values('password="it1s\\"me" and more') == ['it1s\\"me']
    assert shown_values("password='it1s(me)&co;' and more") == ["it1s(me)&co;"]


def test_a_value_without_quotes_ends_where_its_word_does() -> None:
    assert shown_values("?token=a1b2c3d4e5&page=2") == ["a1b2c3d4e5"]


def test_a_scheme_is_no_part_of_the_credentials() -> None:
    assert shown_values("Authorization: Bearer a1b2c3d4e5") == ["a1b2c3d4e5"]


def test_a_signed_request_is_covered_to_the_end_of_its_line() -> None:
    text = "Authorization: AWS4-HMAC-SHA256 Credential=x1/y, Signature=abc123\nHost: h"

    assert shown_values(text) == ["AWS4-HMAC-SHA256 Credential=x1/y, Signature=abc123"]


def test_all_cookies_of_a_line_are_one() -> None:
    assert shown_values("Cookie: a=b1; c=d2\nHost: h") == ["a=b1; c=d2"]


def test_a_value_whose_quotes_never_close_ends_with_its_word() -> None:
    assert shown_values('password="hunter2x and so on') == ["hunter2x"]


def test_letters_of_no_language_are_a_secret_in_quotes() -> None:
    assert shown_values('token: "aBcDeFgHiJkLmNoPqRsTuV"') == ["aBcDeFgHiJkLmNoPqRsTuV"]


def shown(text: str) -> list[str]:
    return [text[one.start : one.end] for one in sorted(ALL.spans(text))]


@pytest.mark.parametrize(
    "text",
    [
        "password=hunter2x",
        "PASSWORD=hunter2x",
        "Password: hunter2x",
        "db.password = hunter2x",
        '"password": "hunter2x"',
        "'password' => 'hunter2x'",
        r"{\"password\": \"hunter2x\"}",
        r"{\\\"password\\\":\\\"hunter2x\\\"}",
        "env['DB_PASSWORD'] = 'hunter2x'",
        "password%3Dhunter2x",
        r"first\npassword=hunter2x\nlast",
        "DB_PASSWORD_PROD=hunter2x",
        "SMTP_PASS=hunter2x",
        '{"user": "u", "pass": "hunter2x"}',
        "the password is hunter2x",
        "mysql --password=hunter2x",
        "mysql --password hunter2x",
        '["--password", "hunter2x"]',
        "sshpass -p hunter2x ssh host",
        "curl -u admin:hunter2x https://example.org",
        "curl --user admin:hunter2x https://example.org",
    ],
)
def test_a_value_is_found_however_its_name_is_written(text: str) -> None:
    assert shown(text) == ["hunter2x"]


@pytest.mark.parametrize(
    "name",
    ["secret", "token", "apiKey", "api_key", "API-KEY", "clientSecret", "accountKey", "STRIPE_KEY"],
)
def test_what_promises_a_secret_has_one(name: str) -> None:
    assert shown(f'{name} = "a1b2c3d4e5f6g7h8"') == ["a1b2c3d4e5f6g7h8"]


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "cache_key",
        "public_key",
        "max_tokens",
        "bypass",
        "BYPASS",
        "keyboard",
        "tokenizer",
        "secretary",
    ],
)
def test_what_promises_none_has_none(name: str) -> None:
    assert not shown(f'{name} = "a1b2c3d4e5f6g7h8"')


def test_a_user_and_a_group_are_no_login() -> None:
    assert not shown("docker run -u 1000:1000 image")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("password=hunter2", "hunter2"),
        ("PGPASSWORD=qwerty12", "qwerty12"),
        ("DB_PASSWORD=Winter24", "Winter24"),
        ('{"password": "Summer23"}', "Summer23"),
        ("mysql --password hunter2", "hunter2"),
        ("MYSQL_ROOT_PASSWORD=root123", "root123"),
        ("password: monkey123", "monkey123"),
        ("API_TOKEN=Winter2024", "Winter2024"),
        ('"secret": "Summer2023"', "Summer2023"),
    ],
)
def test_a_word_and_digits_are_a_secret(text: str, value: str) -> None:
    assert shown(text) == [value]


@pytest.mark.parametrize(
    "name", ["passphrase", "PASSPHRASE", "Passphrase", "ssh_passphrase", "keyPassPhrase"]
)
def test_a_passphrase_is_a_password(name: str) -> None:
    assert shown(f'{name}="hunter2x"') == ["hunter2x"]


def test_a_name_inside_a_secret_says_nothing_new() -> None:
    assert shown("password=pwd=hunter2&next") == ["pwd=hunter2"]


def test_a_value_goes_on_in_the_next_line_though_its_name_is_inside_a_secret() -> None:
    first, second = "a1b2c3d4e5f6g7h8", "i9j0k1l2m3n4o5p6"

    assert f"{first}\n{second}" in shown(f"password=ab!pwd={first}\n{second}")


@pytest.mark.parametrize(("least", "shorter"), [("-u a:abcd", "-u a:abc")])
def test_a_login_has_four_letters_at_least(least: str, shorter: str) -> None:
    assert [bool(shown(f"curl {one} x")) for one in (least, shorter)] == [True, False]
