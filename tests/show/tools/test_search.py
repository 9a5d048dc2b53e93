import pytest

from unspool.show.tools import search


def test_a_search_says_what_and_where() -> None:
    assert search.summary({"pattern": "def x", "path": "src"}, None) == "def x  in src"
    assert search.summary({"pattern": "*.py"}, None) == "*.py"
    assert search.summary({"path": "src"}, None) == "src"


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"numFiles": 9, "numMatches": 31}, "31 hits in 9 files"),
        ({"numFiles": 1}, "1 file"),
        ("Found 2 files\na.py\nb.py", "2 lines"),
        ("a.py:1:x", "1 line"),
        ("No files found", "nothing"),
        (None, ""),
    ],
)
def test_what_was_found_is_counted(result: object, shown: str) -> None:
    assert search.facts({}, result) == shown


def test_what_was_found_is_not_listed() -> None:
    assert search.body({}, "a.py", failed=False) == []
