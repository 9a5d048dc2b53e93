"""Whose the responses of a session are, by an index, and by the marks of copies where none is."""

import json
from contextlib import closing
from pathlib import Path

from tests.derive.usage.books import usage_of
from tests.engine.roots import PRICES
from unspool.demo import Transcript
from unspool.derive.usage.file_usage import FileUsage
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.sessions.ownership import Owners, SessionOwners
from unspool.model.files import Root
from unspool.source.roots import find_roots
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

NOW = 1_790_000_000_000
ORIGIN = Transcript("s0").user("go").says("one", id="m1").says("two", id="m2")


def copied(session: str, **fields: object) -> Transcript:
    """Another session that begins with the lines of the first, and goes on."""
    copy = Transcript(session, uuid_prefix=f"{session}-")
    for line in ORIGIN.dicts():
        copy.raw(json.dumps({**line, "sessionId": session, **fields}).encode())
    return copy.wait(10).user("on").says("three", id=f"m3-{session}")


def branch(session: str, origin: str = "s0") -> Transcript:
    return copied(session, forkedFrom={"sessionId": origin, "messageUuid": "u2"})


def rooted(path: Path, *made: Transcript) -> list[Root]:
    for one in made:
        one.save(path)
    (path / "projects").mkdir(exist_ok=True)
    return find_roots([path], {}, path)


def looking(owners: Owners, session: str) -> SessionOwners:
    return SessionOwners(owners, "-repo", session)


def files(made: Transcript, session: str) -> list[FileUsage]:
    return [usage_of(made, session)]


def test_a_branch_repeats_what_the_session_it_names_has(tmp_path: Path) -> None:
    made = branch("s1")
    owners = Owners(rooted(tmp_path, ORIGIN, made))
    found = looking(owners, "s1").look(files(made, "s1"))

    assert found.elsewhere == {"m:m1": "s0", "m:m2": "s0"}
    assert not found.is_exact
    assert looking(owners, "s0").look(files(ORIGIN, "s0")).elsewhere == {}


def test_a_branch_whose_origin_is_gone_owns_what_it_copied(tmp_path: Path) -> None:
    made = branch("s1")

    assert looking(Owners(rooted(tmp_path, made)), "s1").look(files(made, "s1")).elsewhere == {}


def test_a_branch_of_a_branch_repeats_the_first(tmp_path: Path) -> None:
    first, second = branch("s1"), branch("s2", "s1")
    owners = Owners(rooted(tmp_path, ORIGIN, first, second))

    assert looking(owners, "s2").look(files(second, "s2")).elsewhere == {
        "m:m1": "s0",
        "m:m2": "s0",
    }


def test_two_that_name_each_other_end(tmp_path: Path) -> None:
    first, second = branch("s1", "s2"), branch("s2", "s1")
    owners = Owners(rooted(tmp_path, first, second))
    found = [
        looking(owners, name).look(files(made, name)).elsewhere
        for name, made in (("s1", first), ("s2", second))
    ]

    assert found == [{}, {"m:m1": "s1", "m:m2": "s1"}]


def test_lines_that_carry_another_sessions_id_are_that_ones(tmp_path: Path) -> None:
    made = Transcript("s1", uuid_prefix="b").raw(ORIGIN.bytes(), newline=False).wait(9)
    made.user("on").says("three", id="m3")
    owners = Owners(rooted(tmp_path, ORIGIN, made))

    assert looking(owners, "s1").look(files(made, "s1")).elsewhere == {"m:m1": "s0", "m:m2": "s0"}


def test_an_origin_that_grew_is_read_again(tmp_path: Path) -> None:
    made = branch("s1")
    short = Transcript("s0").user("go").says("one", id="m1")
    owners = Owners(rooted(tmp_path, short, made))
    before = looking(owners, "s1").look(files(made, "s1")).elsewhere
    ORIGIN.save(tmp_path)

    assert before == {"m:m1": "s0"}
    assert looking(owners, "s1").look(files(made, "s1")).elsewhere.keys() == {"m:m1", "m:m2"}


def test_an_index_knows_copies_that_nothing_marks(tmp_path: Path) -> None:
    started = Transcript("s9").entry("queue-operation", operation="enqueue", content="go")
    started.raw(ORIGIN.bytes().replace(b'"s0"', b'"s9"'), newline=False)
    made, store = copied("s1"), MemoryStore()
    roots = rooted(tmp_path, started, made)
    Indexer(store, roots, PRICES).sweep(NOW)
    found = looking(Owners(roots, store), "s1").look(files(made, "s1"))

    assert (found.elsewhere, found.is_exact) == ({"m:m1": "s9", "m:m2": "s9"}, True)


def test_a_session_the_index_has_not_seen_is_told_by_marks(tmp_path: Path) -> None:
    made, store = branch("s1"), MemoryStore()
    roots = rooted(tmp_path, ORIGIN)
    Indexer(store, roots, PRICES).sweep(NOW)
    made.save(tmp_path)
    new = made.says("four", id="m4")
    found = looking(Owners(roots, store), "s1").look(files(new, "s1"))

    assert found.elsewhere == {"m:m1": "s0", "m:m2": "s0"}


def test_only_the_index_remembers_what_a_file_told_before(tmp_path: Path) -> None:
    store, roots = MemoryStore(), rooted(tmp_path, ORIGIN)
    Indexer(store, roots, PRICES).sweep(NOW)
    now = Transcript("s0").user("go").says("two", id="m2")
    found = looking(Owners(roots, store), "s0").look(files(now, "s0"))

    assert [row.message_key for row in found.earlier] == ["m:m1"]


def test_when_a_response_moves_away_it_shows_and_only_then_is_it_stale(tmp_path: Path) -> None:
    made = copied("s1")
    with closing(SqliteStore(tmp_path / "home")) as store:
        roots = rooted(tmp_path / "root", made)
        indexer = Indexer(store, roots, PRICES)
        indexer.sweep(NOW)
        owners = Owners(roots, store)
        owners.follow()
        ours = looking(owners, "s1")
        before = ours.look(files(made, "s1"))
        owners.follow()
        was_stale = ours.is_stale
        early = Transcript("s0", start="2025-12-31T00:00:00.000Z").user("go").says("one", id="m1")
        early.save(tmp_path / "root")
        indexer.sweep(NOW)
        owners.follow()

        assert (before.elsewhere, was_stale, ours.is_stale) == ({}, False, True)
        assert ours.look(files(made, "s1")).elsewhere == {"m:m1": "s0"}
