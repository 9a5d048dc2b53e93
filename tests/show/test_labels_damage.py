from typing import Any

import pytest

from unspool.model.document import Diagnostics, Metrics, RepeatedUsage, SessionMetrics, TotalMetrics
from unspool.show.labels import damage_note, ownership_notes


def test_each_kind_of_damage_is_counted_in_words() -> None:
    found = Diagnostics(bad_lines=2, oversize=1, unknown_types={"a": 1, "b": 2})

    assert damage_note(found) == "2 unreadable lines · 1 oversize line · 3 entries of unknown types"


def test_of_what_is_whole_nothing_is_said() -> None:
    assert damage_note(Diagnostics()) == ""


def _metrics(**fields: Any) -> SessionMetrics:
    total = TotalMetrics(ownership=fields.pop("ownership", "exact"))
    return SessionMetrics(Metrics(), Metrics(), total, **fields)


def test_what_a_session_repeats_and_what_only_earlier_files_had_is_said() -> None:
    repeats = RepeatedUsage(
        responses=3, total_tokens=9, cost_usd=103.57, sessions=("3f2a9b1c-22", "s0")
    )

    assert ownership_notes(_metrics()) == []
    assert ownership_notes(_metrics(repeats=repeats, earlier_responses=1)) == [
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
