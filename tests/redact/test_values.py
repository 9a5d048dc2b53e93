import pytest

from unspool.redact.names import named
from unspool.redact.spans import Runs


def shown(text: str) -> list[str]:
    return [text[one.start : one.end] for one in named(Runs(text))]


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
    assert not shown(text)


def test_a_value_ends_where_its_quotes_do() -> None:
    assert shown('password="it1s\\"me" and more') == ['it1s\\"me']
    assert shown("password='it1s(me)&co;' and more") == ["it1s(me)&co;"]


def test_a_value_without_quotes_ends_where_its_word_does() -> None:
    assert shown("?token=a1b2c3d4e5&page=2") == ["a1b2c3d4e5"]


def test_a_scheme_is_no_part_of_the_credentials() -> None:
    assert shown("Authorization: Bearer a1b2c3d4e5") == ["a1b2c3d4e5"]


def test_a_signed_request_is_covered_to_the_end_of_its_line() -> None:
    text = "Authorization: AWS4-HMAC-SHA256 Credential=x1/y, Signature=abc123\nHost: h"

    assert shown(text) == ["AWS4-HMAC-SHA256 Credential=x1/y, Signature=abc123"]


def test_all_cookies_of_a_line_are_one() -> None:
    assert shown("Cookie: a=b1; c=d2\nHost: h") == ["a=b1; c=d2"]


def test_a_value_whose_quotes_never_close_ends_with_its_word() -> None:
    assert shown('password="hunter2x and so on') == ["hunter2x"]


def test_letters_of_no_language_are_a_secret_in_quotes() -> None:
    assert shown('token: "aBcDeFgHiJkLmNoPqRsTuV"') == ["aBcDeFgHiJkLmNoPqRsTuV"]
