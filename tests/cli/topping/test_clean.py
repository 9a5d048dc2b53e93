from unspool.cli.topping.clean import cleaner
from unspool.redact import Redactor

KEY = "ghp" + "_" + "k3Jd92LmXq8ZtV5bNwYc" + "R7Hs4PfGu1Ae6TQo"


def test_secrets_are_taken_out_of_texts_and_values() -> None:
    clean = cleaner(Redactor())

    assert KEY not in clean.text(f"token {KEY} here")
    assert KEY not in str(clean.value({"command": f"curl -H {KEY}"}))


def test_on_request_everything_stays() -> None:
    clean = cleaner(None)

    assert clean.text(KEY) == KEY
    assert clean.value({"a": KEY}) == {"a": KEY}
