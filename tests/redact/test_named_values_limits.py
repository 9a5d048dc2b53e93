import pytest

from tests.redact.repeats import found_at
from tests.redact.test_named_values import ALL, shown


# Where a limit is, one character on each side of it.
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"<password>hunter2x'{'x' * 501}</password>", True),
        (f"<password>hunter2x'{'x' * 502}</password>", False),
        ('{"value": "hun", "name": "DB_PASSWORD"}', False),
        ('{"value": "hunt", "name": "DB_PASSWORD"}', True),
        (f'{{"value": "{"a1b2" * 1_024}", "name": "DB_PASSWORD"}}', True),
        (f'{{"value": "{"a1b2" * 1_024}x", "name": "DB_PASSWORD"}}', False),
        (f'{{"value": "hunter2x{"value" * 3}", "name": "DB_PASSWORD"}}', True),
        (f'{{"value": "hunter2x{"value" * 4}", "name": "DB_PASSWORD"}}', False),
        (f"name: DB_PASSWORD{' ' * 48}value: hunter2x", True),
        (f"name: DB_PASSWORD{' ' * 49}value: hunter2x", False),
        ("storePassword     'hunter2x'", False),
        ("storePassword    'hunter2x'", True),
        ("storePassword 'abcd1!'", True),
        ("storePassword 'abc1!'", False),
        ("WITH PASSWORD 'ab1!'", True),
        ("WITH PASSWORD 'ab1'", False),
        ("define('DB_PASSWORD',     'hunter2x')", False),
        ("define('DB_PASSWORD',    'hunter2x')", True),
        ("Authorization: a1b2c3d4", True),
        ("Authorization: a1b2c3d", False),
        ("Authorization: Basic ab1=", True),
        ("Authorization: Basic a1=", False),
        (f"Cookie: {'a' * 80}=b1", True),
        (f"Cookie: {'a' * 81}=b1", False),
        ("Cookie: a=b1", True),
        ("Cookie: =b1", False),
        ("PASSWORD_PRODUCTION=hunter2x", True),
        ("PASSWORD_1=hunter2x", True),
        ("PASSWORD1=hunter2x", True),
        ("PASSWORD123=hunter2x", True),
        ("PASSWORD1234=hunter2x", False),
        (f"app_{'x' * 75}_key = 'a1b2c3d4e5f6g7h8'", True),
        (f"app_{'x' * 76}_key = 'a1b2c3d4e5f6g7h8'", False),
        ("storageaccount key: a1b2c3d4e5f6g7h8", True),
        ("<:password>hunter2x</:password>", False),
    ],
)
def test_a_limit_is_where_it_says(text: str, found: bool) -> None:
    assert bool(shown(text)) is found


# With {} as many blanks, quotes or letters as there may be, and with one more.
@pytest.mark.parametrize(
    ("text", "sign", "least", "most"),
    [
        ("password{}=hunter2x", " ", 0, 8),
        ("password={}hunter2x", " ", 0, 8),
        ("password{}='hunter2x'", "'", 0, 66),
        ("password={}'hunter2x", "\\", 0, 64),
        ("name: DB_PASSWORD\nvalue{}: hunter2x", " ", 0, 8),
        ("name: DB_PASSWORD\nvalue:{}hunter2x", " ", 0, 8),
        ("name: DB_PASSWORD\nvalue{}: hunter2x", "'", 0, 66),
        ("name: DB_PASSWORD\n{}value: hunter2x", "'", 0, 66),
        ("name: DB_PASSWORD {}n value: hunter2x", "\\", 1, 64),
        ("name: DB_PASSWORD\n7{}→value: hunter2x", "7", 0, 5),
        ('"Name": "password", "Type": "{}", "Value": "hunter2x"', "a", 1, 20),
        ('"Name": "/{}/password", "Value": "hunter2x"', "a", 0, 78),
        ("ParameterKey=DbPassword,{}Value=hunter2x", "A", 0, 12),
        ("<key>Password<{}/key><string>hunter2x</string>", "\\", 0, 64),
        ("<{}:password>hunter2x</password>", "a", 1, 20),
        ("&lt;{}:password>hunter2x</password>", "a", 1, 20),
        ("<password>hunter2x<{}/password>", "\\", 0, 64),
        ('"<password>hunter2x{}"', "\\", 0, 64),
        ("storePassword {}'hunter2x'", "\\", 0, 64),
        ("define('DB_PASSWORD',{}'hunter2x')", "\\", 0, 64),
        ("define({}'DB_PASSWORD','hunter2x')", " ", 0, 4),
        ("define({}'DB_PASSWORD','hunter2x')", "\\", 0, 64),
        ('{{"value": {}"hunter2x{}", "name": "DB_PASSWORD"}', "\\", 0, 64),
    ],
)
def test_so_many_blanks_and_quotes_may_be_there(
    text: str, sign: str, least: int, most: int
) -> None:
    assert found_at(ALL, text, sign, least, most, most + 1) == [True, True, False]
    assert least == 0 or found_at(ALL, text, sign, least - 1) == [False]


LONG = "a1B2" * 5_000


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("PASSWORD={} x", LONG),
        ('PASSWORD="{}" x', LONG),
        ('{{"api_key": "{}", "b": 1}}', LONG),
        ('PASSWORD="{}" x', "a1,B2;c(3)|" * 1_000),
        ("<password>{}</password>", LONG),
        ("&lt;password&gt;{}&lt;/password&gt;", LONG),
        ("<password>{}", f"a1&{LONG}"),
        ("<key>Password</key><string>{}</string>", LONG),
        ("Authorization: Bearer {} x", LONG),
        ("Cookie: {}", f"a={LONG}"),
        ("Authorization: {}", f"AWS4-HMAC-SHA256 Credential=x1/y, Signature={LONG}"),
        ("define('DB_PASSWORD', '{}')", LONG),
    ],
)
def test_a_long_value_is_found_whole(text: str, long: str) -> None:
    assert shown(text.format(long)) == [long]


# Where a text is too long to be read on, and what is shown of it then: a text and its last words.
@pytest.mark.parametrize(
    ("text", "end"),
    [
        (f'PASSWORD="{"a1B2" * 1_000} {"x" * 94}" y', "x"),
        (f'PASSWORD="{"a1B2" * 1_000} {"x" * 95}" y', "2"),
        (f'PASSWORD="hunter2x,y {"z" * 4_085}', "x"),  # it was cut
        (f'PASSWORD="hunter2x,y {"z" * 4_086}', "y"),
        (f"Cookie: a={'b' * 16_378}; c d\n", "d"),
        (f"Cookie: a={'b' * 16_379}; c d\n", "c"),
        ("PASSWORD=a1b2c3d4e5f6g7h8\ni9j0k1l2m3", "3"),  # it continues in the next line
        ("PASSWORD=a1b2c3d4e5f6g7h\ni9j0k1l2m3", "h"),
    ],
)
def test_a_long_value_ends_with_a_word(text: str, end: str) -> None:
    assert shown(text)[0][-1] == end
