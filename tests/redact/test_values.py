import pytest

from unspool.redact.values import is_real_value, is_secret, is_varied


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
    assert not is_real_value(value, "token", 8)


def test_a_key_may_begin_as_a_path_does() -> None:
    assert is_real_value("/eqrSwlS5keA7diPWCcJged7gE0myYKmI/09b0b8", "api key", 8)


def test_varied_is_what_nobody_writes_as_words() -> None:
    values = ["a1b2c3d4e5", "aBcDeFgHiJkLmNoPqRs", "plainwordsalone", "aaaaaaa1"]

    assert [is_varied(one) for one in values] == [True, True, False, False]


@pytest.mark.parametrize(
    "value",
    [
        "int32", "int64_t", "uint8_t", "Uint8Array", "BigInt64Array", "float64",
        "complex128", "u128", "bytes32", "uint256", "char16_t", "datetime64", "utf8", "utf-8",
        "utf8mb4", "base64", "sha256",
    ],
)  # fmt: skip
def test_a_type_stands_for_a_password(value: str) -> None:
    assert not is_real_value(value, "password", 3)


@pytest.mark.parametrize("value", ["int33x", "hunter2", "char1", "bytes99", "float1", "utf9utf"])
def test_what_is_only_like_a_type_is_a_password(value: str) -> None:
    assert is_real_value(value, "password", 3)


def test_one_of_several_names_in_a_program_is_no_token() -> None:
    bare = [is_secret("response2", "token", is_quoted=one, is_env=False) for one in (False, True)]

    assert bare == [False, True]


# What it is beside, whether in quotes and whether in an environment; the least that is a secret.
@pytest.mark.parametrize(
    ("kind", "quoted", "env", "least"),
    [
        ("password", True, False, "ab1!"),
        ("password", False, True, "ab1!"),
        ("password", False, False, "abcd1!"),
        ("token", True, False, "ab1cdefg"),
        ("token", False, True, "ab!cdefg"),
        ("token", False, False, "ab1cdefg"),
        ("secret", True, False, "aBcDeFgHijkl"),
        ("secret", False, False, "aBcDeFgHijkl"),
        ("key", True, False, "ab1cdefghijklmno"),
    ],
)
def test_a_secret_of_the_least_length_is_one_and_a_shorter_one_is_none(
    kind: str, quoted: bool, env: bool, least: str
) -> None:
    values = (least, least[:-1] if kind == "secret" else least[1:])

    found = [is_secret(one, kind, is_quoted=quoted, is_env=env) for one in values]

    assert found == [True, False]


def test_a_password_has_three_different_letters_at_least() -> None:
    assert [is_real_value(one, "password", 4) for one in ("aab1", "aa11")] == [True, False]


def test_what_is_shuffled_turns_four_times_at_least() -> None:
    values = ["aBcDeFgHijklmnop", "aBcDeFghijklmnop"]

    assert [is_secret(one, "token", is_quoted=True, is_env=False) for one in values] == [
        True,
        False,
    ]


def test_a_directory_of_twenty_random_letters_is_none() -> None:
    part = "a1b2c3d4e5f6g7h8i9j0"

    assert [is_real_value(f"/etc/{one}", "api key", 8) for one in (part, part[1:])] == [True, False]


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("a1b2c3d4e5f6g7h8", True),
        ("word-a1b2c3d4e5f6", True),
        ("words-a1b2c3d4e5f", False),  # no part of 12 random letters
        ("my-app-settings-v2", False),
        ("uploads/2026/a1b2c3d4e5f6.csv", False),
        ("aB3dE/gHiJ/kLmN+pQr5", True),
        ("order:123456:a1b2c3", False),
    ],
)
def test_a_key_has_a_random_part_and_is_no_path(value: str, is_one: bool) -> None:
    assert is_secret(value, "key", is_quoted=True, is_env=True) is is_one


def test_an_attribute_of_twenty_random_letters_is_a_token() -> None:
    part = "a1b2c3d4e5f6g7h8i9j0"

    assert [is_real_value(f"s.{one}", "token", 8) for one in (part, part[:-1])] == [True, False]


# Where a limit is, one character on each side of it.
@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        (f"{'a1b2' * 63}a1b x", False),  # words, as far as is looked
        (f"{'a1b2' * 64} x", True),
        ("./key1abc", False),
        ("../key1abc", False),
        (".../key1abc", True),
        ("/Key1abcd", True),
        ("xxxabcdef", False),
        ("xxabcdefg", True),
        ("a1b2\n" * 4 + "c3", True),
        ("a1b2\n" * 5 + "c3", False),
        ("(a1b2c3d4e5f6g7h8i9j", True),
        ("(a1b2c3d4e5f6g7h8i9", False),
    ],
)
def test_a_real_value_is_told_by_its_beginning_and_its_length(value: str, is_one: bool) -> None:
    assert is_real_value(value, "token", 8) is is_one


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ("response2", False),
        ("responses2", True),
        ("token123", False),
        ("token1234", True),
        ("abc1abc1", True),
        ("ab1ab1ab1", False),  # three different letters
    ],
)
def test_a_token_without_quotes_is_longer_than_a_numbered_name(value: str, is_one: bool) -> None:
    assert is_secret(value, "token", is_quoted=False, is_env=False) is is_one
