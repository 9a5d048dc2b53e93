"""Files that calls edited: the newest edit first, page by page, by project and part of a path."""

import pytest

from tests.store.made import START, Source
from tests.store.stores import AnyStore
from unspool.model.edits import EditQuery


@pytest.fixture
def edited(store: AnyStore) -> AnyStore:
    """Two sessions, of which the later one was stored first; one file was only read."""
    later = Source(2, "s2", project="-other", at=START + 60_000)
    later.line().touches("/repo/src/Main.py").line().touches("/repo/b.py", "Write")
    first = Source().line().touches("/repo/src/Main.py").line().touches("/repo/a.py", "Read")
    first.line().touches("/repo/c.py", "MultiEdit").line().touches("/repo/c.py")
    store.commit([later.batch()])
    store.commit([first.tells(title="First", cwd="/repo").batch()])
    return store


def paths(store: AnyStore, **asked: object) -> list[str]:
    return [one.path for one in store.edited_files(EditQuery(**asked))]  # type: ignore[arg-type]


def test_files_come_by_their_newest_edit_and_reading_is_none(edited: AnyStore) -> None:
    assert paths(edited) == ["/repo/b.py", "/repo/src/Main.py", "/repo/c.py"]


def test_a_file_says_how_often_and_in_how_many_sessions_it_was_edited(edited: AnyStore) -> None:
    found = {one.path: one for one in edited.edited_files(EditQuery())}
    main, twice = found["/repo/src/Main.py"], found["/repo/c.py"]

    assert (main.edits, main.sessions, main.newest) == (2, 2, START + 61_000)
    assert (twice.edits, twice.sessions) == (2, 1)


def test_pages_follow_on(edited: AnyStore) -> None:
    seen: list[str] = []
    after = None
    while page := edited.edited_files(EditQuery(after=after, limit=1)):
        seen.append(page[0].path)
        after = page[0].newest, page[0].path

    assert seen == paths(edited)


def test_projects_roots_and_parts_of_a_path_choose(edited: AnyStore) -> None:
    assert paths(edited, projects=("-repo",)) == ["/repo/c.py", "/repo/src/Main.py"]
    assert paths(edited, path="main") == ["/repo/src/Main.py"]
    assert paths(edited, path="REPO/", limit=2) == ["/repo/b.py", "/repo/src/Main.py"]
    assert paths(edited, path="a.py") == paths(edited, roots=("/elsewhere",)) == []
    assert len(paths(edited, roots=("/claude",))) == 3


def test_edits_of_a_file_say_where_they_were_made_newest_first(edited: AnyStore) -> None:
    late, early = edited.edits_of("/repo/src/Main.py", EditQuery())

    assert (late.session_id, late.timestamp, late.tool) == ("s2", START + 61_000, "Edit")
    assert (early.project_id, early.session_id, early.title, early.cwd) == (
        "-repo", "s1", "First", "/repo",
    )  # fmt: skip
    assert (early.source_id, early.generation, early.offset, early.length) == (1, 0, 0, 99)
    assert len(edited.edits_of("/repo/c.py", EditQuery(limit=1))) == 1
    assert edited.edits_of("/repo/a.py", EditQuery()) == []


def test_an_edit_says_which_agent_made_it(store: AnyStore) -> None:
    inline = Source(1).line(agent_id="a1").touches("/repo/x.py").line().touches("/repo/y.py")
    own = Source(2, agent="a2", at=START + 60_000).line().touches("/repo/x.py")
    store.commit([inline.batch(), own.batch()])

    assert [one.agent_id for one in store.edits_of("/repo/x.py", EditQuery())] == ["a2", "a1"]
    assert [one.agent_id for one in store.edits_of("/repo/y.py", EditQuery())] == [""]


def test_edits_of_a_file_that_was_rewritten_are_gone_with_it(store: AnyStore) -> None:
    source = Source().line().touches("/repo/old.py")
    store.commit([source.batch()])
    store.commit([source.restart().line().touches("/repo/new.py").batch()])

    assert paths(store) == ["/repo/new.py"]
    assert store.edits_of("/repo/old.py", EditQuery()) == []
