from collections import Counter
from urllib.parse import quote

import pytest

from tests.serve.pages.generated import Generated, got
from tests.serve.served import Served
from unspool.show.html.tools_page import CALLS


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


@pytest.mark.parametrize("range", ["today", "7", "28", "month", "365", "all"])
def test_every_range_can_be_seen(made: Generated, range: str) -> None:
    assert made.page(f"/tools?range={range}").all("h1")


def test_every_failed_call_is_listed_and_opens(made: Generated) -> None:
    counts = made.site.context.insights.tools(0, 2**62).counts
    worst = max(counts, key=lambda one: one.errors)
    seen = made.page(f"/tools?range=all&tool={quote(worst.name)}&show=failed")
    steps = [href for href in seen.hrefs if "at=" in href]

    assert len(steps) == min(worst.errors, CALLS) > 0
    assert got(made.site, steps[0]).status_code == 200


def test_there_is_no_such_time(site: Served) -> None:
    assert got(site, "/tools?range=soon").status_code == 400


def test_a_project_without_calls_says_so(site: Served) -> None:
    assert "No tool calls match these filters" in got(site, "/tools?range=all&project=nowhere").text


def test_the_longest_name_of_a_project_is_asked_for_whole(site: Served) -> None:
    name = "-" + "p" * 254  # as long as a directory's name may be

    shown = got(site, f"/tools?range=all&project={name}").text

    assert f'href="/tools?range=7&amp;project={name}"' in shown
