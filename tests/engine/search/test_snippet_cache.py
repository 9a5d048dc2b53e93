from unspool.engine.search.full_text import SnippetCache
from unspool.engine.search.snippets import Snippet
from unspool.model.query import SearchHit


def hit(offset: int = 0, generation: int = 0) -> SearchHit:
    return SearchHit(
        line_id=1,
        source_id=1,
        generation=generation,
        offset=offset,
        length=9,
        line_number=1,
        project_id="p",
        session_id="s",
        agent_id="",
        turn=0,
        type="user",
        text_kind="prompt",
        timestamp=None,
    )


def test_a_piece_of_a_line_is_made_once() -> None:
    cache, made = SnippetCache(), iter("ab")
    pieces = [cache.snippet("x", hit(), lambda: Snippet(next(made), ())) for _ in range(3)]

    assert {piece.text for piece in pieces} == {"a"}


def test_other_words_another_place_or_life_of_a_file_are_another_piece() -> None:
    cache, made = SnippetCache(), iter("abcd")
    asked = [("x", hit()), ("y", hit()), ("x", hit(5)), ("x", hit(generation=1))]
    pieces = [cache.snippet(terms, one, lambda: Snippet(next(made), ())) for terms, one in asked]

    assert [piece.text for piece in pieces] == ["a", "b", "c", "d"]


def test_what_could_not_be_read_or_named_is_tried_again() -> None:
    cache, made = SnippetCache(), iter(["", "later"])
    cache.snippet("x", hit(), lambda: Snippet("", ()))

    assert cache.snippet("x", hit(), lambda: Snippet("now", ())).text == "now"
    assert [cache.name(("p", "s"), lambda: next(made)) for _ in range(3)] == ["", "later", "later"]


def test_it_does_not_grow_for_ever() -> None:
    cache = SnippetCache()
    for n in range(3_000):
        cache.snippet("x", hit(n), lambda: Snippet("a", ()))

    assert len(cache._snippets) == 2_000
