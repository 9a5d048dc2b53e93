from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, served
from unspool.errors import NotFound
from unspool.model.api import MarksUpdate
from unspool.serve.desks.sessions import SessionsAsked


def ids(site: Served, **asked: object) -> list[str]:
    page = site.desk.sessions.page(SessionsAsked(**asked))  # type: ignore[arg-type]
    return [row.session.id for row in page.items]


def test_sessions_come_newest_first(site: Served) -> None:
    assert ids(site) == ["session-two", "session-one"]


def test_page_by_page_every_session_comes_once(tmp_path: Path) -> None:
    made = [talk(f"session-{day}", day=day) for day in range(1, 8)]
    with served(root(tmp_path, *made)) as site:
        seen, cursor = [], ""
        while cursor is not None:
            page = site.desk.sessions.page(SessionsAsked(limit=3, cursor=cursor))
            seen += [row.session.id for row in page.items]
            cursor = page.next_cursor  # type: ignore[assignment]

    assert seen == [f"session-{day}" for day in range(7, 0, -1)]


def test_two_sessions_of_one_moment_both_come(tmp_path: Path) -> None:
    made = [talk("session-a"), talk("session-b"), talk("session-c")]
    with served(root(tmp_path, *made)) as site:
        first = site.desk.sessions.page(SessionsAsked(limit=2))
        rest = ids(site, cursor=first.next_cursor)

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


@pytest.mark.parametrize("cursor", ["x", "====", "é", "W10", "e30", "WzEsMl0", "a" * 999])
def test_a_cursor_nobody_gave_out_leads_nowhere(site: Served, cursor: str) -> None:
    with pytest.raises(NotFound):
        ids(site, cursor=cursor)


def test_what_was_indexed_just_now_is_listed_at_once(site: Served, place: Path) -> None:
    before = ids(site)
    indexed(root(place, talk("session-three", day=3)))

    assert ids(site) == ["session-three", *before]


def test_pins_are_newest_first_and_of_the_roots_that_are_served(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "a", tmp_path / "b"
    made = [talk(f"session-{day}", day=day) for day in (1, 2, 3)]
    indexed(root(theirs, talk("session-9")))
    with served(root(ours, *made)) as site:
        named = {row.project_id for row in site.desk.scope.sessions("session-1")}
        for id in ("session-1", "session-3", "session-9", "session-gone"):
            for project in named | {"-home-dev-kettle"}:
                site.desk.marks.change(project, id, MarksUpdate(pinned=True))

        assert ids(site, pinned=True) == ["session-3", "session-1"]
        assert ids(site, pinned=True, project="elsewhere") == []
