import pytest

from unspool.redact.names import secret_kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DB_PASSWORD", "password"),
        ("smtp_pass", "password"),
        ("keyPassPhrase", "password"),
        ("clientSecret", "secret"),
        ("GITHUB_TOKEN_PROD", "token"),
        ("api-key", "api key"),
        ("SECRET_KEY_BASE", "api key"),
        ("client-key-data", "key"),
        ("Proxy-Authorization", "credentials"),
        ("set-cookie", "cookie"),
        ("password123", "password"),
        ("password1234", ""),
    ],
)
def test_a_name_says_what_its_value_is(name: str, kind: str) -> None:
    assert secret_kind(name) == kind


@pytest.mark.parametrize(
    "name",
    ["app_key", "appKey", "DD-APPLICATION-KEY", "stripe_key", "openaiKey", "AWSKey",
     "azure_storage_key", "STRIPE_KEY", "ACME_KEY", "ACME_LIVE_KEY_2"],
)  # fmt: skip
def test_a_key_with_an_owner_is_a_secret(name: str) -> None:
    assert secret_kind(name) == "key"


@pytest.mark.parametrize(
    "name",
    ["key", "s3_key", "S3_KEY", "shard_key", "SHARD_KEY", "dedupe_key", "storageKey", "lookup_key",
     "fixture_key", "hotkey", "HOTKEY", "monkey", "turkey", "Turkey", "whiskey", "keyboard",
     "row_key", "routingKey", "i18n_key", "CACHE_KEY", "public_key", "PUBLISHABLE_KEY",
     "idempotency-key", "sort.key", "jira_key", "passkey", "keys", "bypass", "PASS", "secretary",
     "tokenizer", "password_hash", "token_count", "key_id", "cookies"],
)  # fmt: skip
def test_a_name_of_something_else_promises_none(name: str) -> None:
    assert secret_kind(name) == ""
