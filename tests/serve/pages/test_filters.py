from datetime import date
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, served
from unspool.demo import Transcript
from unspool.serve.pages.filters import filter_choices, parse_day, project_choices, time_range
from unspool.serve.problems import BadRequest

DAY = 86_400_000
NOON = 20_000 * DAY + DAY // 2
TODAY = date.fromordinal(date(1970, 1, 1).toordinal() + 20_000)


def test_there_is_everything_that_sessions_are_of(site: Served) -> None:
    found = filter_choices(site.context)

    assert found.projects == (("-home-dev-kettle", "kettle"),)
    assert found.branches == (("main", "main"),)
    assert found.models == (("claude-sonnet-4-6", "sonnet-4-6"),)


def test_a_project_is_offered_by_a_name_without_secrets(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab1" * 12  # in the id of a project a dash is in place of its underscore
    odd = Transcript("odd", cwd=f"/home/dev/{secret}").user("x")
    with served(root(tmp_path / "claude", odd)) as site:
        ((_, name),) = project_choices(site.context)

    assert name == "[redacted: github token]"


def test_a_secret_is_not_offered_to_be_chosen(tmp_path: Path) -> None:
    secret = "ghp_" + "Ab1" * 12
    odd = Transcript("odd", branch=secret).user("x").says("y", id="odd")
    with served(root(tmp_path / "claude", talk(), odd)) as site:
        assert secret not in str(filter_choices(site.context))


@pytest.mark.parametrize(("name", "days"), [("today", 1), ("1", 1), ("7", 7), ("365", 365)])
def test_a_range_ends_with_today(name: str, days: int) -> None:
    found = time_range(name, NOON)

    assert found.until == 20_001 * DAY
    assert found.since == (20_001 - days) * DAY
    assert found.first
    assert (TODAY - found.first).days == days - 1


def test_all_has_no_beginning() -> None:
    assert time_range("all", NOON)[:2] == (None, 0)


@pytest.mark.parametrize("name", ["", "0", "soon", "-3", "1.5", "١", "100000"])
def test_there_is_no_other_range(name: str) -> None:
    with pytest.raises(BadRequest):
        time_range(name, NOON)


def test_a_day_is_read_as_it_is_written() -> None:
    assert (parse_day(""), parse_day("2026-11-09")) == (None, date(2026, 11, 9))
    with pytest.raises(BadRequest):
        parse_day("the ninth")
