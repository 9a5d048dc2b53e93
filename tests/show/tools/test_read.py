from unspool.show.tools import read
from unspool.show.tools.details import DetailBuilder, OutputDetail


def test_a_part_of_a_file_is_named_by_its_lines() -> None:
    assert read.summary({"file_path": "a.py"}, None) == "a.py"
    assert read.summary({"file_path": "a.py", "offset": 10, "limit": 5}, None) == "a.py:10–14"
    assert read.summary({"file_path": "a.py", "limit": 5}, None) == "a.py:1–5"
    assert read.summary({"file_path": "a.py", "offset": 10}, None) == "a.py:10–"


def test_what_came_back_is_counted_in_lines() -> None:
    assert read.facts({}, "1→a\n2→b\n") == "2 lines"
    assert read.facts({}, {"file": {"content": "a"}}) == "1 line"
    assert read.facts({}, None) == ""


def test_a_picture_is_called_one() -> None:
    assert read.facts({}, [{"type": "image"}]) == "image"


def test_a_file_is_not_shown_again() -> None:
    assert read.preview({}, "text", failed=False) == []


def test_the_file_itself_is_shown_where_it_is_known() -> None:
    (made,) = read.details({}, {"file": {"content": "text"}, "content": "1→text"}, DetailBuilder())

    assert isinstance(made, OutputDetail)
    assert made.head == "text"
