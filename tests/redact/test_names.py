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
