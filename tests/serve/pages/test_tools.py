from collections import Counter

import pytest

from tests.serve.pages.generated import Generated, got
from tests.serve.served import Served


def states(made: Generated) -> Counter[str]:
    return Counter(state for one in made.sessions.values() for state in one["tools"].values())


def test_calls_and_failures_are_the_truth(made: Generated) -> None:
    counts = made.site.context.insights.tools(0, 2**62).counts
    told = states(made)

    assert sum(one.errors for one in counts) == told["error"]
    assert sum(one.rejected for one in counts) == told["rejected"]


def test_every_tool_has_its_row(made: Generated) -> None:
    counts = made.site.context.insights.tools(0, 2**62).counts
    seen = made.page("/tools?range=all")
    values = [found["data-value"] for found in seen.all("td") if "data-value" in found]

    assert [int(calls) for calls in values[::8]] == [one.calls for one in counts]


@pytest.mark.parametrize("range", ["today", "7", "30", "365", "all"])
def test_every_range_can_be_seen(made: Generated, range: str) -> None:
    assert made.page(f"/tools?range={range}").all("h1")


def test_there_is_no_such_time(site: Served) -> None:
    assert got(site, "/tools?range=soon").status_code == 400


def test_a_project_without_calls_says_so(site: Served) -> None:
    assert "No tool calls match these filters" in got(site, "/tools?range=all&project=nowhere").text
