from unspool.show.viewers import fallback
from unspool.show.viewers.pieces import Amount, Output


def test_a_result_without_text_is_shown_as_it_is() -> None:
    (made,) = fallback.pieces({}, {"rows": [1, 2]}, Amount())

    assert isinstance(made, Output)
    assert '"rows"' in made.head


def test_an_empty_result_is_nothing() -> None:
    assert fallback.pieces({}, {}, Amount()) == []
