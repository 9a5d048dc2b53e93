"""Lists of sessions: newest first, page by page, only what was asked for."""

import pytest
from msgspec.structs import replace

from tests.store.made import START, Source
from tests.store.stores import EVERYTHING, AnyStore
from unspool.model.query import SessionQuery


@pytest.fixture
def full(store: AnyStore) -> AnyStore:
    """Five sessions of two projects, each older than the one before; two were active at once."""
    for number, hours in enumerate((0, 1, 1, 3, 4)):
        project = "-repo-a" if number % 2 else "-repo-b"
        source = Source(number + 1, f"s{number}", project=project).line()
        source.tells(last_activity=START - hours * 3_600_000)
        store.commit([source.batch()])
    return store


def ids(store: AnyStore, **asked: object) -> list[str]:
    return [row.session_id for row in store.sessions(SessionQuery(**asked))]  # type: ignore[arg-type]


def test_the_newest_activity_comes_first(full: AnyStore) -> None:
    assert ids(full) == ["s0", "s2", "s1", "s3", "s4"]


def test_pages_are_disjoint_and_complete(full: AnyStore) -> None:
    seen: list[str] = []
    after = None
    while page := full.sessions(SessionQuery(after=after, limit=2)):
        seen += [row.session_id for row in page]
        after = page[-1].last_activity or 0, page[-1].session_id, page[-1].project_id

    assert seen == ids(full)


def test_sessions_are_asked_for_by_what_they_are(full: AnyStore) -> None:
    assert ids(full, projects=("-repo-a",)) == ["s1", "s3"]
    assert ids(full, projects=("-repo-a", "-repo-b")) == ids(full)
    assert ids(full, projects=("-repo",)) == ids(full, projects=()) == []
    assert ids(full, prefix="-repo") == ids(full)
    assert (ids(full, prefix="-repo-a"), ids(full, prefix="-repo-a-")) == (["s1", "s3"], [])
    assert (
        ids(full, prefix="-repo-_") == ids(full, prefix="-repo%") == ids(full, prefix="repo") == []
    )
    assert ids(full, session="s3") == ["s3"]
    assert (ids(full, id="s3"), ids(full, id="s")) == (["s3"], [])
    assert ids(full, since=START - 3_600_000) == ["s0", "s2", "s1"]
    assert ids(full, projects=("%",), session="_") == []


def test_every_project_is_known_by_its_whole_id(full: AnyStore) -> None:
    full.commit([Source(9, "s9", project="-A").line().tells(is_displayable=False).batch()])

    assert full.project_ids() == ["-A", "-repo-a", "-repo-b"]


def test_a_store_without_sessions_has_no_projects(store: AnyStore) -> None:
    assert store.project_ids() == []


def test_those_with_nothing_to_read_are_asked_for_expressly(full: AnyStore) -> None:
    full.commit([Source(9, "s9", project="-repo-b").line().tells(is_displayable=False).batch()])
    full.commit([Source(8, "s8", kind="subagent", agent="a1").line().batch()])

    assert not {"s8", "s9"} & set(ids(full))
    assert {row.session_id for row in full.sessions(EVERYTHING)} >= {"s8", "s9"}


def test_a_row_says_all_that_a_list_needs(store: AnyStore) -> None:
    main = Source().line("a").calls().line("b").bad()
    main.tells(title="t", goal="g", cwd="/repo", model="m", compactions=2, facts=b"x", lines=3)
    helper = Source(2, kind="subagent", agent="a1").line().calls(id="toolu_2").line(event_type="")
    store.commit([main.batch(), helper.batch()])
    (row,) = store.sessions(SessionQuery())

    assert (row.title, row.goal, row.cwd, row.model, row.compactions) == ("t", "g", "/repo", "m", 2)
    assert (row.lines, row.events, row.tool_calls, row.facts) == (3, 3, 2, b"x")
    assert (row.origin, row.source_gone, row.hooks) == ("transcript", False, 0)
    assert (row.size, row.last_write, row.slug) == (main.row.size, 0, None)


def test_an_empty_store_has_no_sessions(store: AnyStore) -> None:
    assert store.sessions(EVERYTHING) == []


def test_sessions_are_found_by_what_they_have_in_common(store: AnyStore) -> None:
    for number, ties in enumerate([(1, -(2**63)), (1,), (2**63 - 1,), ()]):
        source = Source(number + 1, f"s{number}").line().tells(transcript_path=f"/t/s{number}")
        store.commit([replace(source.batch(), ties=ties)])
    more = Source(9, "s3").line().tells(transcript_path="/t/s3").batch()
    store.commit([replace(more, ties=(1, 7))])

    assert store.related([1]) == ["/t/s0", "/t/s1", "/t/s3"]
    assert store.related([-(2**63), 7, 8]) == ["/t/s0", "/t/s3"]
    assert store.related([2**63 - 1]) == ["/t/s2"]
    assert store.related([8]) == store.related([]) == []
