"""The tools page: the most used first, those that often fail marked."""

import pytest

from tests.show.webs import HOSTILE, seen, shell
from unspool.show.views.tools import ToolCount, tools_page


def test_the_most_used_tool_comes_first() -> None:
    made = tools_page([ToolCount(name="a", calls=1), ToolCount(name="b", calls=2)], shell())

    assert [row.name for row in made.rows] == ["b", "a"]


def test_a_tool_that_fails_one_time_in_ten_stands_out() -> None:
    often = ToolCount(name="a", calls=10, errors=1)
    seldom = ToolCount(name="b", calls=100, errors=1)
    made = {row.name: (row.is_bad, row.rate) for row in tools_page([often, seldom], shell()).rows}

    assert made == {"a": (True, "10.0%"), "b": (False, "1.0%")}


def test_all_that_was_waited_is_told() -> None:
    counts = [ToolCount(name="a", calls=1, waited_ms=60_000)] * 2

    assert tools_page(counts, shell()).say == "2 calls, 0 failures, 2 min waited for approval"


def test_quick_calls_are_told_apart() -> None:
    (row,) = tools_page([ToolCount(name="a", calls=1, median_ms=12, p95_ms=840)], shell()).rows

    assert (row.median, row.p95) == ("12 ms", "0.8 s")


def test_no_calls_are_an_empty_page_that_says_so() -> None:
    assert "No tool was called" in seen(tools_page([], shell())).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_of_a_tool_becomes_an_element(text: str) -> None:
    calm, made = (
        seen(tools_page([ToolCount(name=name, calls=1)], shell())) for name in ("calm", text)
    )

    assert made.shape == calm.shape
