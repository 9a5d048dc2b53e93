import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from unspool.engine.search.snippets import Snippet, around, patterns, snippet

WORDS = st.text("abcéÉeE中ß1_- .\n", min_size=1, max_size=30)


def look(body: str, terms: str) -> Snippet:
    return snippet(body, patterns(terms))


def marked(found: Snippet) -> list[str]:
    return [found.text[start:end] for start, end in found.ranges]


def test_a_word_is_marked_where_it_stands() -> None:
    found = look("The quick fox", "quick")

    assert (found.text, found.ranges) == ("The quick fox", ((4, 9),))


def test_case_and_accents_do_not_matter() -> None:
    assert marked(look("Un CAFÉ crème", "cafe crème")) == ["CAFÉ", "crème"]
    assert marked(look("a cafe\u0301 au lait", "café")) == ["cafe\u0301"]


def test_a_word_inside_another_is_not_marked() -> None:
    assert marked(look("concatenate the cat", "cat")) == ["cat"]


def test_a_star_marks_beginnings() -> None:
    assert marked(look("unspool spools spooled", "spool*")) == ["spool", "spool"]


def test_a_phrase_is_marked_as_a_whole() -> None:
    assert marked(look("at all, all at once", '"all at"')) == ["all at"]


def test_a_phrase_may_end_in_a_star() -> None:
    assert marked(look("all attempts", '"all at"*')) == ["all at"]


def test_punctuation_inside_a_term_matches_any() -> None:
    assert marked(look("read os.path and os-path", "os.path")) == ["os.path", "os-path"]


def test_the_place_that_has_most_of_the_terms_wins() -> None:
    body = "alpha\n" + "filler\n" * 60 + "now beta and alpha\n"

    assert look(body, "alpha beta").text == "filler\nnow beta and alpha"


def test_of_equal_places_the_first_wins() -> None:
    assert look("x alpha\n" + "filler\n" * 60 + "y alpha", "alpha").text.startswith("x alpha")


def test_a_line_before_and_one_after_are_shown() -> None:
    assert look("one\ntwo\n\nthree hit\n\n\nfour\nfive", "hit").text == "two\nthree hit\nfour"


def test_three_lines_are_the_most() -> None:
    found = look("a\nhit one\nhit two\nhit three\nhit four", "hit")

    assert found.text == "hit one\nhit two\nhit three"
    assert marked(found) == ["hit", "hit", "hit"]


def test_a_long_line_is_cut_around_the_match_between_words() -> None:
    found = look("word " * 100 + "hit" + " word" * 100, "hit")

    assert found.text.startswith("…word ")
    assert found.text.endswith("word…")
    assert (len(found.text) < 210, marked(found)) == (True, ["hit"])


def test_an_endless_word_is_cut_anywhere() -> None:
    assert marked(look("x" * 5_000 + ".hit." + "y" * 5_000, "hit")) == ["hit"]


def test_without_a_match_the_beginning_is_shown() -> None:
    found = look("\none\n\ntwo\nthree\nfour", "absent")

    assert (found.text, found.ranges) == ("one\ntwo\nthree", ())


def test_an_empty_body_gives_an_empty_snippet() -> None:
    assert look("", "absent") == Snippet("")


def test_words_asked_for_twice_are_marked_once() -> None:
    assert marked(look("one cat", "cat cat* one")) == ["one", "cat"]


def test_a_body_full_of_matches_is_marked_at_its_beginning() -> None:
    assert marked(look("hit " * 5_000, "hit"))[:2] == ["hit", "hit"]


def test_matches_of_white_space_alone_mark_nothing() -> None:
    assert around("  \n\t\n", [(0, 2), (3, 4)]) == Snippet("")
    assert marked(around("  a", [(0, 2)])) == []


def test_spans_given_from_outside_are_marked() -> None:
    assert marked(around("ab\ncd", [(0, 2), (3, 5)])) == ["ab", "cd"]


def test_a_match_over_a_line_end_is_marked_up_to_it() -> None:
    found = around("ab\ncd", [(1, 4)])

    assert marked(found) == ["b"]


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_query_on_any_text_gives_three_lines_and_marks_inside_them(body: str, q: str) -> None:
    found = look(body, q)

    assert found.text.count("\n") <= 2
    assert list(found.ranges) == sorted(found.ranges)
    assert all(0 <= start < end <= len(found.text) for start, end in found.ranges)


@given(st.lists(WORDS, min_size=1, max_size=6), st.data())
def test_what_the_index_finds_is_marked(words: list[str], data: st.DataObject) -> None:
    body = " ".join(words)
    term = data.draw(st.sampled_from(words)).replace("*", "")

    assert bool(look(body, f'"{term}"').ranges) == _is_found(body, term)


def _is_found(body: str, term: str) -> bool:
    index = sqlite3.connect(":memory:")
    index.execute(
        "CREATE VIRTUAL TABLE t USING fts5(body, tokenize='unicode61 remove_diacritics 2')"
    )
    index.execute("INSERT INTO t VALUES (?)", (body,))
    rows = index.execute("SELECT 1 FROM t WHERE t MATCH ?", (f'"{term}"',)).fetchall()
    index.close()
    return bool(rows)
