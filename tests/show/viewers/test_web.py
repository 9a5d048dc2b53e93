from unspool.show.viewers import web
from unspool.show.viewers.pieces import Amount, Found


def test_results_keep_their_addresses() -> None:
    hits = [{"title": "One", "url": "https://one.example"}]
    (made,) = web.pieces({}, {"results": [{"content": hits}]}, Amount())

    assert made == Found((("One", "https://one.example"),))
