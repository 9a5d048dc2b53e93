import pytest

from unspool.redact.looks import is_secret, is_told, is_varied


@pytest.mark.parametrize("value", ["hunter2x", "s3cret!pw", "correct-h0rse", "12345678"])
def test_a_password_in_quotes_may_be_anything_but_a_word_for_one(value: str) -> None:
    assert is_secret(value, "password", is_quoted=True, is_env=False)


def test_a_word_is_a_password_where_an_environment_is_written() -> None:
    bare = [
        is_secret("swordfish", "password", is_quoted=False, is_env=env) for env in (True, False)
    ]

    assert bare == [True, False]


def test_a_key_of_any_name_has_to_be_long_and_random() -> None:
    values = ["a1b2c3d4e5f6g7h8", "a1b2c3d4", "abcdefghijklmnopqrst"]

    assert [is_secret(one, "key", is_quoted=True, is_env=True) for one in values] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "value",
    [
        "$TOKEN",
        "<token>",
        "{token}",
        "%(token)s",
        "%TOKEN%",
        "your-token-1",
        "redacted1",
        "aaaaaaaa",
        "a.b.c.token",
        "/etc/ssl/key1.pem",
        "~/key1",
        "https://x/y1",
        "two words1",
        "12345678",
    ],
)
def test_what_stands_for_a_token_is_none(value: str) -> None:
    assert not is_told(value, "token", 8)


def test_a_key_may_begin_as_a_path_does() -> None:
    assert is_told("/eqrSwlS5keA7diPWCcJged7gE0myYKmI/09b0b8", "api key", 8)


def test_varied_is_what_nobody_writes_as_words() -> None:
    values = ["a1b2c3d4e5", "aBcDeFgHiJkLmNoPqRs", "plainwordsalone", "aaaaaaa1"]

    assert [is_varied(one) for one in values] == [True, True, False, False]
