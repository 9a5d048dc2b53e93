from sys import getsizeof

from msgspec import Struct

from tests.redact.secrets import planted
from unspool.redact import Redactor
from unspool.serve.cache import ByteLru, ResponseCache


class Answer(Struct):
    text: str


def test_an_item_is_found_by_its_whole_key() -> None:
    cache = ByteLru[str](100)
    cache.put(("a", 1), "item")

    assert (cache.get(("a", 1)), cache.get(("a", 2))) == ("item", None)


def test_the_least_recently_used_item_makes_room() -> None:
    cache = ByteLru[bytes](25)
    for key in ("a", "b"):
        cache.put(key, b"0123456789")
    cache.get("a")
    cache.put("c", b"0123456789")

    assert [key for key in "abc" if cache.get(key)] == ["a", "c"]


def test_an_item_that_is_put_again_counts_once() -> None:
    cache = ByteLru[bytes](25)
    cache.put("b", b"0123456789")
    for _ in range(9):
        cache.put("a", b"0123456789")

    assert cache.get("b")


def test_a_very_large_item_is_not_kept() -> None:
    cache = ByteLru[bytes](10**9)
    cache.put("a", bytes(2 * 1024 * 1024 + 1))

    assert cache.get("a") is None


def test_sizes_are_measured_as_given() -> None:
    cache = ByteLru[str](100, getsizeof)
    cache.put("a", "—" * 60)

    assert cache.get("a") is None


def test_an_answer_is_made_once_for_its_key() -> None:
    cache, texts = ResponseCache(Redactor()), iter("abc")
    bodies = [cache.get_or_make(key, lambda: Answer(next(texts))) for key in (1, 1, 2, 1)]

    assert bodies == [b'{"text":"a"}', b'{"text":"a"}', b'{"text":"b"}', b'{"text":"a"}']


def test_cached_answers_have_no_secrets() -> None:
    secret = planted(1)[0].text
    cache = ResponseCache(Redactor())
    cache.put("x", Answer(f"it is {secret}"))

    assert secret.encode() not in (cache.get("x") or secret.encode())


def test_a_response_cache_keeps_within_its_budget() -> None:
    cache = ResponseCache(Redactor(), budget=30)
    for key in ("a", "b"):
        cache.put(key, Answer(key))
    cache.get("a")
    cache.put("c", Answer("c"))

    assert [key for key in "abc" if cache.get(key)] == ["a", "c"]


def test_a_very_large_answer_is_sent_and_not_kept() -> None:
    cache = ResponseCache(Redactor())

    assert len(cache.put("x", Answer("a " * 2_000_000))) > 4_000_000
    assert cache.get("x") is None
