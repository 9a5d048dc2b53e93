import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.insights.facts import call
from unspool.derive.insights.tools import quantile, tool_counts


def test_calls_are_counted_by_tool_the_most_used_first() -> None:
    found = tool_counts([call("Read"), call("Bash", 1), call("Bash", 2, "error")], {})

    assert [(one.name, one.calls, one.errors) for one in found] == [("Bash", 2, 1), ("Read", 1, 0)]


def test_a_refused_call_is_no_failure() -> None:
    (one,) = tool_counts([call(state="rejected"), call(start=1)], {})

    assert (one.errors, one.rejected) == (0, 1)


def test_what_a_call_waited_is_not_the_tools_own_time() -> None:
    calls = [call(start=0, duration_ms=10_000), call(start=1, duration_ms=1_000)]
    (one,) = tool_counts(calls, {"Bash-0": 9_500})

    assert (one.median_ms, one.p95_ms) == (500, 1_000)
    assert (one.waited, one.waited_ms) == (1, 9_500)


def test_a_call_without_an_answer_counts_and_has_no_time() -> None:
    (one,) = tool_counts([call(state="", duration_ms=None)], {})

    assert (one.calls, one.median_ms, one.p95_ms) == (1, None, None)


@pytest.mark.parametrize(
    ("values", "part", "expected"),
    [
        ([1], 0.95, 1),
        ([1, 2], 0.5, 1),
        (range(1, 21), 0.95, 19),
        (range(1, 101), 0.95, 95),
        ([], 0.5, None),
    ],
)
def test_a_quantile_is_the_least_that_so_many_do_not_exceed(
    values: list[int], part: float, expected: int | None
) -> None:
    assert quantile(list(values), part) == expected


@given(st.lists(st.integers(0, 10**9), min_size=1).map(sorted))
def test_at_least_that_part_does_not_exceed_a_quantile(values: list[int]) -> None:
    most = quantile(values, 0.95)

    assert most is not None
    assert sum(value <= most for value in values) >= len(values) * 0.95
