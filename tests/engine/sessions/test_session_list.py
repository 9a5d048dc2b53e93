from pathlib import Path

import pytest
from msgspec import structs

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, served
from tests.waiting import until
from unspool.engine.sessions import session_list
from unspool.engine.sessions.session_list import ListCursor, SessionFilter, SessionList, Sort
from unspool.errors import NotFound
from unspool.model.api import MarksUpdate


def ids(site: Served, **asked: object) -> list[str]:
    page = site.context.sessions.page(SessionFilter(**asked))  # type: ignore[arg-type]
    return [row.session.id for row in page.items]


def test_sessions_come_newest_first(site: Served) -> None:
    assert ids(site) == ["session-two", "session-one"]


def test_page_by_page_every_session_comes_once(tmp_path: Path) -> None:
    made = [talk(f"session-{day}", day=day) for day in range(1, 8)]
    with served(root(tmp_path, *made)) as site:
        page = site.context.sessions.page(SessionFilter(limit=3))
        seen = [row.session.id for row in page.items]
        while page.next is not None:
            page = site.context.sessions.page(SessionFilter(limit=3, after=page.next))
            seen += [row.session.id for row in page.items]

    assert seen == [f"session-{day}" for day in range(7, 0, -1)]


def test_a_request_to_a_hub_looks_at_few_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_list, "MAX_SCANNED", 3)
    made = [talk(f"session-{day}", day=day) for day in range(1, 8)]
    with served(root(tmp_path, *made)) as site:
        sessions = SessionList(structs.replace(site.context.config, has_files=False))
        oldest = SessionFilter(words="session-1")
        pages = [sessions.page(oldest)]
        while (after := pages[-1].next) is not None:
            pages.append(sessions.page(structs.replace(oldest, after=after)))
        counts = sessions.counts(SessionFilter())
        newest = sessions.page(SessionFilter(sort="started")).items
        local = ids(site, sort="started")

    assert [[row.session.id for row in page.items] for page in pages] == [[], [], ["session-1"]]
    assert (counts.total, counts.is_partial) == (3, True)
    assert [row.session.id for row in newest] == ["session-7", "session-6", "session-5"]
    assert len(local) == 7


def test_two_sessions_of_one_moment_both_come(tmp_path: Path) -> None:
    made = [talk("session-a"), talk("session-b"), talk("session-c")]
    with served(root(tmp_path, *made)) as site:
        first = site.context.sessions.page(SessionFilter(limit=2))
        rest = ids(site, after=first.next)

    assert [row.session.id for row in first.items] + rest == ["session-c", "session-b", "session-a"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"words": "OF SESSION-ONE"}, ["session-one"]),
        ({"project": "kettle"}, ["session-two", "session-one"]),
        ({"project": "elsewhere"}, []),
        ({"status": "working"}, []),
        ({"status": "idle"}, ["session-two", "session-one"]),
    ],
)
def test_sessions_are_chosen(site: Served, asked: dict[str, str], expected: list[str]) -> None:
    assert ids(site, **asked) == expected


def test_a_cursor_of_another_order_is_not_found(site: Served) -> None:
    with pytest.raises(NotFound):
        ids(site, after=ListCursor(1.0, "session-one", "-home-dev-kettle"))


def test_what_was_indexed_just_now_is_listed(site: Served, place: Path) -> None:
    """At once, or on a busy machine after a rest as long as the last list took."""
    before = ids(site)
    indexed(root(place, talk("session-three", day=3)))

    assert until(lambda: ids(site) == ["session-three", *before])


def test_pins_are_newest_first_and_of_the_roots_that_are_served(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "a", tmp_path / "b"
    made = [talk(f"session-{day}", day=day) for day in (1, 2, 3)]
    indexed(root(theirs, talk("session-9")))
    with served(root(ours, *made)) as site:
        named = {row.project_id for row in site.context.scope.sessions("session-1")}
        for id in ("session-1", "session-3", "session-9", "session-gone"):
            for project in named | {"-home-dev-kettle"}:
                site.context.marks.change(project, id, MarksUpdate(pinned=True))

        assert ids(site, pinned=True) == ["session-3", "session-1"]
        assert ids(site, pinned=True, project="elsewhere") == []


@pytest.mark.parametrize("order", ["title", "project", "status", "started", "cost"])
def test_pages_of_every_order_follow_on(tmp_path: Path, order: Sort) -> None:
    made = [talk(f"session-{day}", day=day) for day in (3, 1, 4, 2, 5)]
    with served(root(tmp_path, *made)) as site:
        page = site.context.sessions.page(SessionFilter(limit=2, sort=order))
        seen = [row.session.id for row in page.items]
        while page.next is not None:
            query = SessionFilter(limit=2, sort=order, after=page.next)
            page = site.context.sessions.page(query)
            seen += [row.session.id for row in page.items]

    assert sorted(seen) == [f"session-{day}" for day in range(1, 6)]
    if order == "title":
        assert seen == sorted(seen)


def test_counts_are_of_every_status_that_the_other_filters_leave(site: Served) -> None:
    counts = site.context.sessions.counts(SessionFilter(status="working", limit=1))
    one = site.context.sessions.counts(SessionFilter(words="session-one"))
    none = site.context.sessions.counts(SessionFilter(project="elsewhere"))

    assert (counts.total, counts.statuses) == (2, {"idle": 2})
    assert (one.total, none.total, none.statuses) == (1, 0, {})


def test_a_session_that_is_hidden_no_longer_counts(site: Served) -> None:
    sessions = site.context.sessions
    assert sessions.counts(SessionFilter()).total == 2
    site.context.marks.change("-home-dev-kettle", "session-one", MarksUpdate(hidden=True))

    until(lambda: sessions.counts(SessionFilter()).total == 1)
    assert sessions.counts(SessionFilter(hidden=True)).total == 2
