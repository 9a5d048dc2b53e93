from unspool.show.viewers import read
from unspool.show.viewers.pieces import Amount, Output


def test_the_file_itself_is_shown_where_it_is_known() -> None:
    (made,) = read.pieces({}, {"file": {"content": "text"}, "content": "1→text"}, Amount())

    assert isinstance(made, Output)
    assert made.head == "text"
