"""Words and places: what a tsvector cannot hold becomes several."""

import re

from unspool.store.postgres.search.vectors import CUT, lexeme, vectors


def places(vector: str) -> dict[str, list[int]]:
    found = re.findall(r"'([^']*)':([\d,]+)", vector)
    return {word: [int(at) for at in some.split(",")] for word, some in found}


def test_a_word_has_the_places_where_it_stands() -> None:
    (vector,), words = vectors(["The caf\u00e9, the LAMP"])

    assert places(vector) == {"the": [1, 3], "cafe": [2], "lamp": [4]}
    assert words == {"the", "cafe", "lamp"}


def test_between_two_texts_is_a_gap() -> None:
    (vector,), _ = vectors(["one", "two"])

    assert places(vector) == {"one": [1], "two": [3]}


def test_a_text_without_words_has_an_empty_vector() -> None:
    assert vectors(["!!!"]) == ([""], set())


def test_no_part_has_more_than_a_vector_holds() -> None:
    body = " ".join(["a"] * 2_000 + [f"word{n}" for n in range(25_000)] + ["x" * 3_000] * 500)
    found, _ = vectors([body])

    for vector in found:
        known = places(vector)
        assert max(map(len, known.values())) <= 250
        assert max(at for some in known.values() for at in some) <= 16_000
        assert sum(len(word.encode()) for word in known) <= 600_000
        assert max(len(word.encode()) for word in known) <= 2_046
    assert {word for vector in found for word in places(vector)} >= {"a", "word0", "word24999"}


def test_parts_share_the_words_around_their_border() -> None:
    found, _ = vectors([" ".join(f"word{n}" for n in range(10_100))])
    first, second = map(places, found)

    assert first["word9999"] == [10_000]
    assert {f"word{n}" for n in range(9_872, 10_000)} == first.keys() & second.keys()
    assert second["word10000"][0] - second["word9999"][0] == 1


def test_a_word_that_was_cut_is_no_other_word() -> None:
    assert lexeme("x" * 500) == "x" * 500
    assert lexeme("x" * 501) == "x" * 500 + CUT
