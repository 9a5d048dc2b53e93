from unspool.show.viewers import search
from unspool.show.viewers.pieces import Amount, Output, Pairs


def test_where_was_looked_comes_before_what_was_found() -> None:
    asked, found = search.pieces({"path": "src", "glob": 3}, "a.py:1", Amount())

    assert asked == Pairs((("path", "src"),))
    assert isinstance(found, Output)
