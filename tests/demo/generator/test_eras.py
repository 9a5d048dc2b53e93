from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from random import Random

import pytest

from unspool.demo.generator.eras import ERAS, model_named, models_on


def test_ages_follow_one_another() -> None:
    ages = list(ERAS.values())

    assert all(early.last < late.first for early, late in pairwise(ages))


def test_a_version_grows_within_its_age() -> None:
    era = ERAS["2.0"]

    assert (era.version_on(era.first), era.version_on(era.last)) == ("2.0.1", "2.0.76")


def test_a_day_outside_an_age_gets_its_nearest_version() -> None:
    assert ERAS["2.1"].version_on(date(2026, 3, 20)) == "2.1.62"


@pytest.mark.parametrize("name", list(ERAS))
def test_a_drawn_day_lies_within_its_age(name: str) -> None:
    era, rng = ERAS[name], Random(1)

    assert all(era.first <= era.day(rng) < era.last for _ in range(50))


@pytest.mark.parametrize("name", list(ERAS))
def test_some_model_is_out_on_every_day(name: str) -> None:
    era = ERAS[name]
    days = (era.first + timedelta(days=at) for at in range((era.last - era.first).days))

    assert all(models_on(day) for day in days)


def test_the_tool_that_sends_agents_was_renamed() -> None:
    assert (ERAS["2.1"].task_tool, ERAS["2.1.270"].task_tool) == ("Task", "Agent")


def test_a_known_model_is_priced_under_its_own_name() -> None:
    assert model_named("claude-opus-5").priced == "claude-opus-5"


def test_a_model_of_no_age_can_be_named() -> None:
    assert model_named("cloud/haiku", "haiku").priced == "haiku"
