import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, root_of
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.spool import spool_sources
from unspool.model.files import Root
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore

DAY = 86_400_000


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "home" / "spool"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return root_of(tmp_path / "claude")


def event(root: Root, session: str = "s1", name: str = "PreToolUse", **more: Any) -> bytes:
    path = f"{root.projects}/-repo/{session}.jsonl"
    said = {"hook_event_name": name, "session_id": session, "transcript_path": path, **more}
    return json.dumps(said).encode()


def swept(spool: Path, *roots: Root, now: int = NOW) -> SqliteStore:
    store = SqliteStore(spool.parent)
    Indexer(store, roots, TABLE, spool=str(spool)).sweep(now)
    return store


def ask(store: SqliteStore, question: str) -> list[tuple[Any, ...]]:
    return store.sql(question)[1]


def test_each_event_goes_to_its_session(spool: Path, root: Root) -> None:
    append(spool, [event(root, "s1"), event(root, "s2"), event(root, "s1", "Stop")], NOW)
    store = swept(spool, root)

    assert ask(store, "SELECT session_id, event_type FROM hook_events ORDER BY line_id") == [
        ("s1", "pre_tool_use"),
        ("s2", "pre_tool_use"),
        ("s1", "stop"),
    ]


def test_a_session_that_only_hooks_know_is_one(spool: Path, root: Root) -> None:
    append(spool, [event(root, cwd="/repo")], NOW)
    rows = ask(swept(spool, root), "SELECT project_id, session_id, origin, cwd FROM sessions")

    assert rows == [("-repo", "s1", "hook", "/repo")]


def test_a_session_becomes_whole_when_its_transcript_appears(spool: Path, root: Root) -> None:
    append(spool, [event(root)], NOW)
    store = swept(spool, root)
    Transcript("s1").user("hello").save(Path(root.path))
    Indexer(store, [root], TABLE, spool=str(spool)).sweep(NOW)
    ask_for = "SELECT origin, lines FROM sessions WHERE session_id = 's1'"

    assert ask(store, ask_for) == [("transcript", 1)]


def test_events_of_another_root_are_its_sessions(spool: Path, root: Root, tmp_path: Path) -> None:
    (tmp_path / "other" / "projects").mkdir(parents=True)
    both = [root, Root(2, str(tmp_path / "other"), "r2~", str(tmp_path / "other" / "projects"))]
    append(spool, [event(both[1], "s2")], NOW)
    store = swept(spool, *both)

    assert ask(store, "SELECT project_id, session_id FROM sessions") == [("r2~-repo", "s2")]
    assert ask(store, "SELECT session_id FROM hook_events") == [("s2",)]


def test_damage_is_kept_as_bad_and_the_rest_is_read(spool: Path, root: Root) -> None:
    append(spool, [event(root), event(root, "s2")], NOW)
    (file,) = spool.iterdir()
    data = bytearray(file.read_bytes())
    data[60] ^= 1
    file.write_bytes(data)
    store = swept(spool, root)

    assert len(ask(store, "SELECT * FROM bad_lines")) == 1
    assert ask(store, "SELECT session_id FROM hook_events") == [("s2",)]


def test_the_bytes_are_archived(spool: Path, root: Root) -> None:
    append(spool, [event(root)], NOW)
    (file,) = spool_sources(str(spool))
    store = swept(spool, root)
    (source,) = store.sources()

    assert store.raw(source.source_id, 0, 0, file.size) == Path(file.path).read_bytes()


def test_a_path_outside_the_spool_is_not_its_file(spool: Path, root: Root) -> None:
    append(spool, [event(root)], NOW)
    (file,) = spool.iterdir()

    assert [one.path for one in spool_sources(str(spool), str(file))] == [str(file)]
    assert spool_sources(str(spool), "/etc/passwd") == spool_sources(None) == []


def aged(spool: Path, days: float) -> Path:
    (file,) = spool.iterdir()
    at = NOW * 1_000_000 - int(days * DAY) * 1_000_000
    os.utime(file, ns=(at, at))
    return file


@pytest.mark.parametrize(("days", "stays"), [(0.5, True), (3, False)])
def test_what_is_taken_in_and_over_is_deleted(
    spool: Path, root: Root, days: float, stays: bool
) -> None:
    append(spool, [event(root)], NOW)
    file = aged(spool, days)
    store = swept(spool, root)
    Indexer(store, [root], TABLE, spool=str(spool)).tidy(NOW)

    assert file.exists() is stays
    assert (store.sources()[0].gone_at is None) is stays
    assert ask(store, "SELECT count(*) FROM hook_events") == [(1,)]


def test_what_is_not_taken_in_to_its_end_is_never_deleted(spool: Path, root: Root) -> None:
    append(spool, [event(root)], NOW)
    store = swept(spool, root)
    append(spool, [event(root, "s2")], NOW)
    file = aged(spool, 3)
    Indexer(store, [root], TABLE, spool=str(spool)).tidy(NOW)

    assert file.exists()


def test_ten_thousand_events_of_nobodys_time_are_each_indexed_once(spool: Path, root: Root) -> None:
    for day in range(4):
        batch = [event(root, f"s{n % 40}", uuid=f"{day}-{n}") for n in range(2_500)]
        append(spool, batch, NOW + day * DAY)
    store = swept(spool, root)
    Indexer(store, [root], TABLE, spool=str(spool)).sweep(NOW)
    count = "SELECT count(*), count(DISTINCT json_extract(input, '$.uuid')) FROM hook_events"

    assert ask(store, count) == [(10_000, 10_000)]
