import pytest

from unspool.redact import redact
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


@pytest.mark.parametrize(
    "text",
    [
        "- name: DB_PASSWORD\n  value: hunter2x\n",
        '- name: "DB_PASSWORD"\n  value: "hunter2x"',
        r"- name: DB_PASSWORD\n  value: hunter2x\n",
        "  12→- name: DB_PASSWORD\n  13→  value: hunter2x\n",
        "+  - name: DB_PASSWORD\n+    value: hunter2x",
        '{"name": "DB_PASSWORD", "value": "hunter2x"}',
        r"{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2x\"}",
        '{\n  "name": "DB_PASSWORD",\n  "value": "hunter2x"\n}',
        'name = "DB_PASSWORD", value = "hunter2x"',
        '{"Key": "db-password", "Value": "hunter2x"}',
        "ParameterKey=DbPassword,ParameterValue=hunter2x",
        '{"Name": "/app/password", "Type": "SecureString", "Value": "hunter2x"}',
        '{"value": "hunter2x", "name": "DB_PASSWORD"}',
        '{"value": "hunter2x",\n "key": "password"\n}',
        r"{\"value\":\"hunter2x\",\"name\":\"DB_PASSWORD\"}",
        '<property name="password" value="hunter2x"/>',
        '<add value="hunter2x" key="x"/><add key="password" value="hunter2x"/>',
        "<password>hunter2x</password>",
        "<ns:password>hunter2x</ns:password>",
        "<DbPassword>hunter2x</DbPassword>",
        r"<password>hunter2x<\/password>",
        "&lt;password&gt;hunter2x&lt;/password&gt;",
        "<password>hunter2x",
        '{"a": "<password>hunter2x"}',
        "<password>hunter2x…",
        "<key>Password</key>\n\t<string>hunter2x</string>",
        r"<key>Password</key>\n<string>hunter2x</string>",
    ],
)
def test_a_pair_or_an_element_has_a_value(text: str) -> None:
    assert shown(text)[-1:] == ["hunter2x"]


@pytest.mark.parametrize(
    "text",
    [
        "- name: LOG_LEVEL\n  value: hunter2x",
        "- name: DB_PASSWORD\n  valueFrom: hunter2x",
        "- name: DB_PASSWORD\n  other: hunter2x",
        'set(password, value="hunter2x")',
        '{"name": "DB_PASSWORD", "value": "$PASSWORD"}',
        '{"name": "DB_PASSWORD", "value": ""}',
        '{"value": "hunter2x", "name": "LOG_LEVEL"}',
        '{"value": "hunter2x", "other": "password"}',
        "password>hunter2x</password>",
        "<password>hunter2x and more words</password>",
        "<password>hunter2x more",
        "Promise<Token>a1b2c3d4e5",
        "<key>Name</key><string>hunter2x</string>",
    ],
)
def test_other_pairs_and_elements_stay(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize("text", ["the API key is {}", "api key: {}", "my Secret Key = {}"])
def test_the_name_of_a_key_may_be_two_words(text: str) -> None:
    assert shown(text.format("a1b2c3d4e5f6g7h8")) == ["a1b2c3d4e5f6g7h8"]


def test_two_words_for_another_key_promise_none() -> None:
    assert not shown("the cache key is a1b2c3d4e5f6g7h8")


@pytest.mark.parametrize(
    "text", ["is the password wrong? the password is table?", "password is on!"]
)
def test_the_end_of_a_sentence_makes_no_password(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "storePassword 'hunter2x'",
        "ALTER USER app WITH PASSWORD 'hunter2x';",
        "CREATE ROLE app PASSWORD 'swordfish';",
        r"storePassword \"hunter2x\"",
        "define('DB_PASSWORD', 'hunter2x');",
        "define( 'DB_PASSWORD', 'swordfish' );",
        'os.environ.setdefault("PASSWORD","hunter2x")',
        'psk="hunter2x"',
        "wpa_psk=hunter2x",
        "PresharedKey = a1b2c3d4e5f6g7h8",
        'headers.set("X-Api-Key", "a1b2c3d4e5f6g7h8")',
        "headers.set('Authorization', 'Bearer a1b2c3d4e5')",
    ],
)
def test_a_value_may_follow_its_name_with_a_space_or_in_a_call(text: str) -> None:
    values = {"hunter2x", "swordfish", "a1b2c3d4e5f6g7h8", "a1b2c3d4e5"}

    assert set(shown(text)) <= values
    assert len(shown(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Unexpected token 'a1b2c3d4'",
        "the password 'swordfish' is a word",
        "you mean to pass '--name2'",
        'get("password", "")',
        'Column("password", "varchar(255)")',
        'fields = ("password1", "password2")',
        'fields = ("password", "address2")',
        'field("password1", "password2")',
        'zip "password" "hunter2x"',
        "ask(1) or disk='hunter2x'",
    ],
)
def test_other_words_in_quotes_stay(text: str) -> None:
    assert not shown(text)


@pytest.mark.parametrize("text", ['Join-Path $PWD "gomodcache"', 'PWD "dist"', '$PASSWORD "-x"'])
def test_what_is_beside_a_variable_or_the_working_directory_is_no_password(text: str) -> None:
    assert redact(text) == text
