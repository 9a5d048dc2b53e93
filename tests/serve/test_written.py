from msgspec import Struct

from tests.redact.secrets import planted
from unspool.redact import Redactor
from unspool.serve.written import Written


class Said(Struct):
    text: str


def test_an_answer_is_made_once_for_all_who_ask_the_same() -> None:
    written, made = Written(Redactor()), iter("abc")
    sent = [written.of(asked, lambda: Said(next(made))) for asked in (1, 1, 2, 1)]

    assert sent == [b'{"text":"a"}', b'{"text":"a"}', b'{"text":"b"}', b'{"text":"a"}']


def test_what_is_kept_is_clean() -> None:
    secret = planted(1)[0].text
    written = Written(Redactor())
    written.keep("x", Said(f"it is {secret}"))

    assert secret.encode() not in (written.known("x") or secret.encode())


def test_the_least_lately_asked_for_go_first() -> None:
    written = Written(Redactor(), budget=30)
    for asked in ("a", "b"):
        written.keep(asked, Said(asked))
    written.known("a")
    written.keep("c", Said("c"))

    assert [asked for asked in "abc" if written.known(asked)] == ["a", "c"]


def test_what_is_long_is_not_kept() -> None:
    written = Written(Redactor())

    assert len(written.keep("x", Said("a " * 2_000_000))) > 4_000_000
    assert written.known("x") is None
