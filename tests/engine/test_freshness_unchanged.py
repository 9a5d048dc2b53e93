import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.made import hook_log, root, sweep, talk
from tests.cli.runs import stores_of
from unspool.cli.config import open_stores
from unspool.engine.freshness import freshen, is_unchanged
from unspool.source.roots import find_roots
from unspool.source.spool import append

PROJECT = "-home-dev-kettle"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A root with a session, an agent of it and an event log, all of it in the index."""
    made = root(tmp_path, talk(), talk("session-two"))
    agents = made / "projects" / PROJECT / "session-one" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a1.jsonl").write_text('{"type":"user","sessionId":"session-one"}\n')
    hook_log(made, '{"event":"Stop"}')
    freshen(stores_of(made), create=True)
    return made


def unchanged(place: Path) -> bool:
    with open_stores().reading() as (store, _):
        return is_unchanged(find_roots([place], {}, place), open_stores().spool, store)


def grow(place: Path) -> None:
    with next(place.glob("projects/*/session-one.jsonl")).open("a") as file:
        file.write("{}\n")


def touch(place: Path) -> None:
    os.utime(next(place.glob("projects/*/session-one.jsonl")), ns=(1, 1))


def workflow(place: Path) -> None:
    journal = place / "projects" / PROJECT / "session-two/subagents/workflows/w1/journal.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text("{}\n")


def event(_place: Path) -> None:
    append(open_stores().spool, [b'{"hook_event_name":"Stop","session_id":"session-one"}'], 1)


def test_what_was_just_taken_in_is_unchanged(place: Path) -> None:
    assert unchanged(place)


@pytest.mark.parametrize(
    "happens",
    [
        grow,
        touch,
        workflow,
        event,
        lambda place: root(place, talk("session-new")),
        lambda place: sweep(place, "session-one"),
        lambda place: hook_log(place, "{}", session="session-two"),
    ],
)
def test_whatever_happens_to_a_file_is_a_change(
    place: Path, happens: Callable[[Path], object]
) -> None:
    happens(place)

    assert not unchanged(place)


def test_other_files_are_none(place: Path) -> None:
    results = place / "projects" / PROJECT / "session-one" / "tool-results"
    results.mkdir()
    (results / "rows.jsonl").write_text("{}\n")
    (place / "projects" / PROJECT / "memory.md").write_text("a note")

    assert unchanged(place)


def test_a_directory_that_is_closed_to_us_proves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_self: object, _directory: str) -> None:
        raise PermissionError

    monkeypatch.setattr("unspool.source.safe_open.AllowedRoots.scan", closed)

    assert not unchanged(place)


def test_a_part_of_a_root_is_left_to_a_survey(place: Path) -> None:
    assert not unchanged(place / "projects" / PROJECT)


def test_an_index_of_another_root_has_nothing_of_this_one(place: Path, tmp_path: Path) -> None:
    assert not unchanged(root(tmp_path / "other"))
