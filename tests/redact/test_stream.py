import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.redact.secrets import is_out, planted
from tests.redact.test_find import texts
from unspool.redact import Redactor, redact
from unspool.redact.stream import Stream

PLANTED = planted(60)


def through(text: str, cuts: list[int]) -> str:
    stream = Stream(Redactor())
    edges = [0, *sorted(cuts), len(text)]
    given_out = [stream.feed(text[a:b]) for a, b in pairwise(edges)]
    return "".join(given_out) + stream.close()


@given(texts, st.data())
def test_the_pieces_do_not_matter(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=5))

    assert through(text, cuts) == redact(text)


def test_no_secret_gets_through_over_the_edge_of_what_is_held_back() -> None:
    chance = random.Random(3)
    filling = ("some plain words in a line of text\n" * 900)[:30_000]
    text = "".join(filling[: chance.randrange(30_000)] + one.text + "\n" for one in PLANTED)
    cuts = [chance.randrange(len(text)) for _ in range(200)]

    clean = through(text, cuts)

    assert clean == redact(text)
    assert [one.name for one in PLANTED if is_out(one, clean)] == []


def test_what_is_held_back_is_bounded() -> None:
    stream = Stream(Redactor())
    given_out = sum(len(stream.feed("word " * 1_000)) for _ in range(200))

    assert 200 * 5_000 - given_out < 100_000
