"""Related sessions by the index: the same links, without a look at the other files."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.roots import NOW, dated, listed, saved
from tests.engine.sessions.test_related import NEW, OLD, building, fork, planning
from unspool.demo import Transcript
from unspool.engine.archive.reader import Archive
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.sessions import related
from unspool.engine.sessions.related import (
    IndexedRelatedSessions,
    NoRelatedSessions,
    RelatedSessions,
    read_all,
)
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.model.document import SessionLinks
from unspool.model.files import Root, TranscriptFile
from unspool.source.roots import find_roots
from unspool.source.session_files import main_files
from unspool.store import Store
from unspool.store.memory import MemoryStore

Links: TypeAlias = dict[str, SessionLinks]


def resumed(made: Transcript, session: str) -> Transcript:
    """What a version of 2025 wrote after a compaction: all since, and what was said then."""
    lines = made.bytes().splitlines(keepends=True)
    boundary = next(n for n, line in enumerate(lines) if b"compact_boundary" in line)
    copy = Transcript(session, uuid_prefix=f"{session}-", start=NEW)
    return copy.raw(b"".join(lines[boundary:]), newline=False).user("go on")


def branch(session: str) -> Transcript:
    made = Transcript(session, uuid_prefix=f"{session}-", start=NEW)
    return made.user("go", forkedFrom={"sessionId": "first", "messageUuid": "first-1"})


@pytest.fixture
def places(tmp_path: Path) -> list[Root]:
    """A root with a plan, forks, a resumed session and one that has nothing to do with them."""
    first = Transcript("first", uuid_prefix="first-", start=OLD).user("go").says("one")
    second = fork(first, "second", "on")
    packed = Transcript("packed", uuid_prefix="packed-", start=OLD).user("go").says("long")
    packed.compacts().user("and then")
    named = Transcript("named", uuid_prefix="named-", start=NEW)
    named.user("Do it. The full transcript at: /x/drawn.jsonl")
    alone = Transcript("alone", uuid_prefix="alone-").user("go")
    made = [first, second, fork(second, "third", "and on"), packed, resumed(packed, "resumed")]
    drawn = planning("drawn", slug="cold-hen")
    saved(tmp_path, *made, planning(), building(), drawn, named, branch("branch"), alone)
    return list(find_roots([tmp_path], {}, tmp_path))


@pytest.fixture
def store(places: list[Root]) -> Store:
    made = MemoryStore()
    Indexer(made, places, TABLE).sweep(NOW)
    return made


def links(found: RelatedSessions, places: Iterable[Root]) -> Links:
    files = [file for root in places for file in main_files(root)]
    return {file.session_id or "": found.links(file, read_all(file)) for file in files}


def test_by_the_index_there_are_the_same_links(places: list[Root], store: Store) -> None:
    scanned = links(RelatedSessions(places), places)

    assert links(IndexedRelatedSessions(places, store), places) == scanned
    assert links(RelatedSessions(places, store), places) == scanned
    assert scanned["alone"] == SessionLinks()
    assert all(one != SessionLinks() for id, one in scanned.items() if id != "alone")


def test_a_file_that_the_index_knows_is_not_read(
    places: list[Root], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def read_start(file: TranscriptFile) -> related.RelationFacts:
        started.append(file.session_id or "")
        return read_all(file)

    monkeypatch.setattr(related, "read_start", read_start)
    links(RelatedSessions(places, store), places)
    assert started == []

    (path,) = Path(places[0].projects).glob("*/alone.jsonl")
    dated(path, NOW + 1)
    links(RelatedSessions(places, store), places)
    assert set(started) == {"alone"}


def test_one_that_the_index_does_not_know_yet_is_found_all_the_same(
    places: list[Root], store: Store, tmp_path: Path
) -> None:
    saved(tmp_path, building("later"))
    (path,) = Path(places[0].projects).glob("*/plan.jsonl")
    own = read_all(listed(path))

    found = RelatedSessions(places, store).links(listed(path), own).implementation
    assert found is not None
    assert found.session_id == "later"


def test_one_that_is_gone_from_disk_is_found_in_the_archive(
    places: list[Root], store: Store
) -> None:
    before = links(RelatedSessions(places), places)
    for name in ("build", "first", "drawn"):
        (path,) = Path(places[0].projects).glob(f"*/{name}.jsonl")
        path.unlink()
    archived = ArchivedSessions(Archive(store), places)
    left = {id for id in before if id not in ("build", "first", "drawn")}

    for kind in (RelatedSessions, IndexedRelatedSessions):
        assert links(kind(places, store), places)["plan"].implementation is None
        found = links(kind(places, store, lambda: archived), places)
        assert found == {id: before[id] for id in left}


def test_for_a_beginning_nothing_is_looked_for(places: list[Root]) -> None:
    assert set(links(NoRelatedSessions(places), places).values()) == {SessionLinks()}
