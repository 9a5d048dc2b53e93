"""Sums that are asked for: which part of the ledger, and how far it is added up."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.store.made import START, UNPRICED, Source, price
from tests.store.stores import AnyStore
from unspool.derive.usage.responses import QUARTER
from unspool.model.query import Facets, TotalsQuery

HOUR = 4 * QUARTER
OTHER = "/other"


@pytest.fixture
def spent(store: AnyStore) -> AnyStore:
    """Three sessions of two projects, two roots and two models, and one without a time."""
    one = Source(1, "s1").line().spends("m:1", 1, at=START).spends("m:2", 2, at=START + 1)
    one.spends("m:3", 4, at=START + HOUR, model="claude-haiku")
    two = Source(2, "s2").line().spends("m:4", 8, at=START + HOUR)
    three = Source(3, "s3", project="-Other").line().spends("m:5", 16, at=START + 2 * HOUR)
    three.row = replace(three.row, root=OTHER)
    undated = Source(4, "s4").line().spends("m:6", 32, at=None)
    store.commit([source.tells().batch() for source in (one, two, three, undated)], price)
    return store


def outputs(store: AnyStore, **asked: Any) -> list[int]:
    return [total.output_tokens for total in store.totals(TotalsQuery(**asked))]


def test_sums_by_quarter_leave_out_whose_they_are(spent: AnyStore) -> None:
    totals = list(spent.totals(TotalsQuery(by="quarter")))

    assert [(one.quarter > 0, one.model, one.output_tokens) for one in totals] == [
        (False, "claude-opus-4-6", 32),
        (True, "claude-opus-4-6", 3),
        (True, "claude-haiku", 4),
        (True, "claude-opus-4-6", 8),
        (True, "claude-opus-4-6", 16),
    ]
    assert {(one.project_id, one.session_id, one.agent_id) for one in totals} == {("", "", "")}
    assert [one.quarter for one in totals] == sorted(one.quarter for one in totals)


def test_sums_by_session_keep_its_first_and_last_response(spent: AnyStore) -> None:
    totals = list(spent.totals(TotalsQuery(by="session", projects=("-repo",))))

    assert [(one.session_id, one.model, one.output_tokens) for one in totals] == [
        ("s1", "claude-haiku", 4),
        ("s1", "claude-opus-4-6", 3),
        ("s2", "claude-opus-4-6", 8),
        ("s4", "claude-opus-4-6", 32),
    ]
    assert [(one.first_at, one.last_at) for one in totals] == [
        (START + HOUR, START + HOUR),
        (START, START + 1),
        (START + HOUR, START + HOUR),
        (0, 0),
    ]
    assert {one.quarter for one in totals} == {0}


def test_what_has_no_time_does_not_hide_when_the_rest_was(spent: AnyStore) -> None:
    (total,) = spent.totals(TotalsQuery(by="project", projects=("-repo",), model="opus"))

    assert (total.output_tokens, total.first_at, total.last_at) == (43, START, START + HOUR)


def test_sums_by_model_and_by_project(spent: AnyStore) -> None:
    assert outputs(spent, by="model") == [4, 59]
    assert outputs(spent, by="project") == [16, 4, 43]


def test_sums_of_some_time_have_a_response_in_it(spent: AnyStore) -> None:
    assert outputs(spent, by="model", since=START + HOUR) == [4, 24]
    assert outputs(spent, by="model", since=START + 1) == [4, 27]  # the quarter is not cut
    assert outputs(spent, by="model", since=START + 2) == [4, 24]
    assert outputs(spent, by="model", until=START + HOUR) == [3]
    assert outputs(spent, by="model", until=START + HOUR + 1) == [4, 11]
    assert outputs(spent, by="model", since=START + HOUR, until=START + 2 * HOUR) == [4, 8]


def test_projects_are_found_by_their_whole_ids(spent: AnyStore) -> None:
    assert outputs(spent, by="model", projects=("-Other",)) == [16]
    assert outputs(spent, by="model", projects=("-Other", "-repo")) == outputs(spent, by="model")
    assert outputs(spent, by="model", projects=("-other", "%")) == []
    assert outputs(spent, by="model", projects=()) == []


def test_models_are_found_by_a_part_of_their_names(spent: AnyStore) -> None:
    assert outputs(spent, by="model", model="Haiku") == [4]
    assert outputs(spent, by="model", model="_") == []


def test_a_name_is_found_in_any_case_of_any_alphabet(store: AnyStore) -> None:
    store.commit([Source(1).line().spends(model="\u00c9t\u00c9").tells().batch()])

    assert outputs(store, model="\u00e9t\u00e9") == [5]


def test_sums_are_of_the_roots_that_are_asked_for(spent: AnyStore) -> None:
    assert outputs(spent, by="model", scope=((OTHER, ""),)) == [16]
    assert outputs(spent, by="model", scope=((OTHER, "-repo"),)) == []
    assert outputs(spent, by="model", scope=((OTHER, "-Other"), ("/claude", "-repo"))) == [4, 59]
    assert outputs(spent, by="model", scope=()) == []


def test_a_project_has_the_sum_of_its_listed_sessions(store: AnyStore) -> None:
    old = Source(1, "s1").line().spends("m:1", 1, at=START, is_finished=False)
    new = Source(2, "s2", at=START + HOUR).line().spends("m:2", 2, geo=UNPRICED)
    bare = Source(3, "s3", at=START + 2 * HOUR).line().spends("m:3", 4)
    hidden = Source(4, "s4").line().spends("m:4", 8)
    store.commit(
        [
            old.tells(cwd="/old", start_time=START).batch(),
            new.tells(cwd="/new", start_time=START + HOUR).batch(),
            bare.tells().batch(),
            hidden.tells(is_displayable=False, start_time=1).batch(),
        ],
        price,
    )

    (project,) = store.projects()
    assert (project.project_id, project.cwd, project.sessions) == ("-repo", "/new", 3)
    assert (project.first_activity, project.last_activity) == (START, bare.at)
    assert (project.input_tokens, project.output_tokens) == (9, 7)
    assert (project.cache_read_tokens, project.cache_creation_tokens) == (300, 60)
    assert (project.usd_pico, project.unpriced, project.lower_bound) == (2000, 1, 1)


def test_a_project_nobody_spent_in_is_there_all_the_same(store: AnyStore) -> None:
    store.commit([Source().line().tells(last_activity=None).batch()])

    (project,) = store.projects()
    assert (project.sessions, project.cwd, project.usd_pico) == (1, "", 0)
    assert (project.first_activity, project.last_activity) == (None, None)


def test_projects_are_of_the_roots_that_are_asked_for(spent: AnyStore) -> None:
    assert [one.project_id for one in spent.projects()] == ["-Other", "-repo"]
    (other,) = spent.projects(((OTHER, ""),))
    assert (other.project_id, other.sessions, other.output_tokens) == ("-Other", 1, 16)
    assert spent.projects(((OTHER, "-repo"),)) == []


def test_some_projects_can_be_asked_for(spent: AnyStore) -> None:
    assert spent.projects(ids=["-repo", "-none"]) == spent.projects()[1:]
    assert spent.projects(((OTHER, ""),), ids=["-repo"]) == spent.projects(ids=[]) == []


def test_facets_are_of_listed_sessions_most_frequent_first(store: AnyStore) -> None:
    branches = ["main", "b", "a", "main", ""]
    batches = [
        Source(n, f"s{n}").line().tells(git_branch=name, model="opus").batch()
        for n, name in enumerate(branches)
    ]
    hidden = Source(9, "s9").line().tells(git_branch="z", model="z", is_displayable=False)
    store.commit([*batches, hidden.batch()])

    assert store.facets(limit=10) == Facets(("main", "a", "b"), ("opus",))
    assert store.facets(limit=1) == Facets(("main",), ("opus",))
