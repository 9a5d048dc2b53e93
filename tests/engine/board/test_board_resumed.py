"""The live board of a root that is indexed: it starts from the index."""

from pathlib import Path

import pytest
from msgspec import structs

from tests.derive.alerts.executions import rule
from tests.engine.board.test_board import START, talk
from tests.engine.live import Live, at
from tests.engine.roots import PRICES
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.sessions.ownership import Owners
from unspool.model.files import WatchEvent
from unspool.source.safe_open import OpenFile
from unspool.store.sqlite.store import SqliteStore


def indexed_board(tmp_path: Path, *made: Transcript) -> tuple[Live, SqliteStore]:
    """A root that is indexed, with a board that may ask the index."""
    live = Live(tmp_path / "root")
    for one in made:
        live.wrote(one)
    store = SqliteStore(tmp_path / "home")
    Indexer(store, live.roots, PRICES).sweep(at(5))
    live.watching = structs.replace(live.watching, owners=Owners(live.roots, store))
    return live, store


def talks() -> list[Transcript]:
    spawn = talk().calls("Task", {"prompt": "look", "description": "d"}, id="t0")
    spawn.entry("summary", summary="An old title", leafUuid="u1")
    agent = Transcript("s1", agent="a1", start=START).user("look").calls("Bash", command="ls")
    inline = talk("s2").calls("Task", {"prompt": "seek", "description": "d"}, id="t9")
    inline.user("seek", parentUuid=None, isSidechain=True).says("seen", isSidechain=True)
    nameless = Transcript("s3", start=START).user("go")
    nameless.says("x", id=Transcript.ABSENT, request=Transcript.ABSENT, uuid=Transcript.ABSENT)
    return [spawn, agent, inline, nameless.says("y")]


def bytes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much is read of files, in what follows."""
    found: list[int] = []
    real = OpenFile.read

    def noted(self: OpenFile, offset: int, length: int) -> bytes:
        data = real(self, offset, length)
        found.append(len(data))
        return data

    monkeypatch.setattr(OpenFile, "read", noted)
    return found


def test_a_board_starts_from_the_index_as_if_it_had_read_the_files(tmp_path: Path) -> None:
    live, store = indexed_board(tmp_path, *talks())
    fresh, made = Live(tmp_path / "root"), talks()
    fresh.watching = structs.replace(fresh.watching, owners=Owners(live.roots, store))
    # Alerts ask about every call, so all of it is read.
    never = rule(when="waiting", seconds=10**6)
    fresh.watching = structs.replace(fresh.watching, rules=(never,))

    assert live.board(6) == fresh.board(6)
    for one in made:
        one.says("more").calls("Bash", command="make")
        live.wrote(one)
        fresh.wrote(one)
    assert live.board(7) == fresh.board(7)
    store.close()


def test_a_board_that_starts_from_the_index_reads_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = talk()
    for n in range(500):
        long.says(f"{n}", uuid=f"n{n}")
    live, store = indexed_board(tmp_path, long)
    read = bytes_read(monkeypatch)
    live.board(6)

    assert sum(read) < 4_096 < len(long.bytes())
    store.close()


def test_a_response_that_went_on_after_the_start_counts_once(tmp_path: Path) -> None:
    made = talk().answers(["a", "b"], outputs=[1, 9])
    *before, last = made.bytes().splitlines(keepends=True)
    live, store = indexed_board(tmp_path, Transcript("s1", start=START).raw(b"".join(before)[:-1]))
    fresh = Live(tmp_path / "other")
    live.board(6)
    path = live.root / "projects" / "-repo" / "s1.jsonl"
    with open(path, "ab") as file:
        file.write(last)
    live.touched.append(
        WatchEvent(path=str(path), kind="main", project_id="-repo", session_id="s1")
    )

    here, there = live.row(7), fresh.wrote(made).row(7)
    assert (here.metrics.cost_usd, here.metrics.output_tokens) == (there.metrics.cost_usd, 9)
    assert here.today == there.today
    store.close()
