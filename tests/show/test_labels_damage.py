from typing import Any

import pytest

from unspool.model.document import (
    Diagnostics,
    Metrics,
    Ownership,
    RepeatedUsage,
    SessionMetrics,
    TotalMetrics,
)
from unspool.show.labels import cost_label, damage_note, ownership_notes


def test_each_kind_of_damage_is_counted_in_words() -> None:
    found = Diagnostics(bad_lines=2, oversize=1, unknown_types={"a": 1, "b": 2})

    assert damage_note(found) == "2 unreadable lines · 1 oversize line · 3 entries of unknown types"


def test_of_what_is_whole_nothing_is_said() -> None:
    assert damage_note(Diagnostics()) == ""


def _metrics(**fields: Any) -> SessionMetrics:
    total = TotalMetrics(ownership=fields.pop("ownership", "exact"))
    return SessionMetrics(Metrics(), Metrics(), total, **fields)


def test_what_a_session_repeats_and_what_only_earlier_files_had_is_said() -> None:
    repeated = RepeatedUsage(responses=3, total_tokens=9, cost_usd=103.57, of=("3f2a9b1c-22", "s0"))

    assert ownership_notes(_metrics()) == []
    assert ownership_notes(_metrics(repeated=repeated, earlier_responses=1)) == [
        "Repeats $103.57 from sessions 3f2a9b1c, s0; counted there.",
        "1 response is only in an earlier version of the file, but still counted.",
    ]


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "1 agent response is known only from progress lines: the agent's file is gone."),
        (2, "2 agent responses are known only from progress lines: the agent's file is gone."),
    ],
)
def test_responses_that_only_progress_lines_have_are_named(count: int, sentence: str) -> None:
    assert ownership_notes(_metrics(reported_responses=count)) == [sentence]


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "At least: 1 agent left no file, so its usage is unknown."),
        (2, "At least: 2 agents left no files, so their usage is unknown."),
    ],
)
def test_agents_that_left_nothing_make_it_a_lower_bound(count: int, sentence: str) -> None:
    assert ownership_notes(_metrics(unknown_agents=count)) == [sentence]


def test_without_an_index_a_figure_is_at_most_that() -> None:
    (sentence,) = ownership_notes(_metrics(ownership="by_marks"))

    assert sentence.startswith("At most: without an index")


@pytest.mark.parametrize(
    ("lower_bound", "ownership", "cost"),
    [
        (False, "exact", "$1.20"),
        (True, "exact", "≥ $1.20"),
        (False, "by_marks", "≤ $1.20"),
        (True, "by_marks", "≈ $1.20"),
    ],
)
def test_a_cost_says_which_way_it_may_be_wrong(
    lower_bound: bool, ownership: Ownership, cost: str
) -> None:
    assert (
        cost_label(TotalMetrics(cost_usd=1.2, lower_bound=lower_bound, ownership=ownership)) == cost
    )


def test_nothing_is_not_at_most_nothing() -> None:
    assert cost_label(TotalMetrics(cost_usd=0.0, ownership="by_marks")) == "$0.00"
