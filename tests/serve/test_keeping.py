from sys import getsizeof

from unspool.serve.keeping import Keeping


def test_what_was_made_is_known_to_whoever_asks_the_same() -> None:
    kept = Keeping[str](100)
    kept.keep(("a", 1), "made")

    assert (kept.known(("a", 1)), kept.known(("a", 2))) == ("made", None)


def test_the_least_lately_asked_for_makes_room() -> None:
    kept = Keeping[bytes](25)
    for asked in ("a", "b"):
        kept.keep(asked, b"0123456789")
    kept.known("a")
    kept.keep("c", b"0123456789")

    assert [asked for asked in "abc" if kept.known(asked)] == ["a", "c"]


def test_what_is_made_again_is_weighed_once() -> None:
    kept = Keeping[bytes](25)
    kept.keep("b", b"0123456789")
    for _ in range(9):
        kept.keep("a", b"0123456789")

    assert kept.known("b")


def test_what_is_long_is_not_kept() -> None:
    kept = Keeping[bytes](10**9)
    kept.keep("a", bytes(2 * 1024 * 1024 + 1))

    assert kept.known("a") is None


def test_it_weighs_as_it_is_told_to() -> None:
    kept = Keeping[str](100, getsizeof)
    kept.keep("a", "—" * 60)

    assert kept.known("a") is None
