import pytest

from unspool.show.tools import search
from unspool.show.tools.details import DetailBuilder, OutputDetail, PairsDetail


def test_a_search_says_what_and_where() -> None:
    assert search.summary({"pattern": "def x", "path": "src"}, None) == "def x  in src"
    assert search.summary({"pattern": "*.py"}, None) == "*.py"
    assert search.summary({"path": "src"}, None) == "src"


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"numFiles": 9, "numMatches": 31}, "31 matches in 9 files"),
        ({"numFiles": 1}, "1 file"),
        ("Found 2 files\na.py\nb.py", "2 lines"),
        ("a.py:1:x", "1 line"),
        ("No files found", "no matches"),
        (None, ""),
    ],
)
def test_what_was_found_is_counted(result: object, shown: str) -> None:
    assert search.facts({}, result) == shown


def test_what_was_found_is_not_listed() -> None:
    assert search.preview({}, "a.py", failed=False) == []


def test_where_was_looked_comes_before_what_was_found() -> None:
    asked, found = search.details({"path": "src", "glob": 3}, "a.py:1", DetailBuilder())

    assert asked == PairsDetail((("path", "src"),))
    assert isinstance(found, OutputDetail)
