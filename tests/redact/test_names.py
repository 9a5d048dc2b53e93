import pytest

from unspool.redact.names import named, options
from unspool.redact.spans import Runs


def shown(text: str) -> list[str]:
    return [text[one.start : one.end] for one in (*named(Runs(text)), *options(Runs(text)))]


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
