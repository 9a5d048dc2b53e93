"""A copy of a session never takes what the session itself spent."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES
from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, root_of
from tests.engine.usage.scan.scans import indexed, scanned
from unspool.demo import Transcript, generate
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.rebuild import rebuild
from unspool.model.files import Root
from unspool.model.query import TotalsQuery
from unspool.store import Store
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

SESSION = Transcript("s5").entry("queue-operation", operation="enqueue").user("go").says("done")


def put(path: Path, name: str, data: bytes) -> Root:
    file = path / "projects" / "-repo" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    age(file)
    return root_of(path)


def forked(name: str) -> bytes:
    """A copy as `--fork-session` makes it: another id, and no word of where it is from."""
    lines = [line for line in SESSION.dicts() if line["type"] != "queue-operation"]
    return b"".join(json.dumps({**line, "sessionId": name}).encode() + b"\n" for line in lines)


COPIES = {"s1": forked("s1"), "s3": SESSION.bytes(), "s9": forked("s9")}


def spent(store: Store) -> dict[str, int]:
    found: Counter[str] = Counter()
    for total in store.totals(TotalsQuery()):
        found[total.session_id] += total.output_tokens
    return +found


@pytest.mark.parametrize("order", list(permutations(["s1", "s3", "s5"])))
def test_totals_do_not_move_when_a_copy_appears(order: tuple[str, ...], tmp_path: Path) -> None:
    store = MemoryStore()
    for name in order:
        root = put(tmp_path, name, COPIES.get(name, SESSION.bytes()))
        Indexer(store, [root], TABLE).sweep(NOW)

    assert spent(store).keys() == {"s5"}


def test_nor_after_a_rebuild(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "home")
    for name, data in {**COPIES, "s5": SESSION.bytes()}.items():
        root = put(tmp_path, name, data)
    Indexer(store, [root], TABLE).sweep(NOW)
    before = spent(store)
    rebuild(store, [root], TABLE, NOW)
    after = spent(store)
    store.close()

    assert before.keys() == after.keys() == {"s5"}


def test_the_fast_scan_credits_the_same_session(tmp_path: Path) -> None:
    for name, data in {**COPIES, "s5": SESSION.bytes()}.items():
        root = put(tmp_path, name, data)

    assert {owned.session_id for owned in scanned(root).values()} == {"s5"}
    assert scanned(root) == indexed(root)


def test_what_a_fork_says_itself_is_its_own(tmp_path: Path) -> None:
    own = Transcript("s1").says("more", id="msg_own", usage={"output_tokens": 7}).bytes()
    put(tmp_path, "s5", SESSION.bytes())
    root = put(tmp_path, "s1", forked("s1") + own)
    store = MemoryStore()
    Indexer(store, [root], TABLE).sweep(NOW)

    assert spent(store)["s1"] == 7


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_session_of_a_generated_root_has_what_its_maker_says(
    seed: int, tmp_path: Path
) -> None:
    truth = generate(tmp_path / "root", mb=3, seed=seed, prices=PRICES)
    store = MemoryStore()
    Indexer(store, [root_of(tmp_path / "root")], TABLE).sweep(NOW)
    true = {id: said["total"]["outputTokens"] for id, said in truth.sessions.items()}

    assert spent(store) == {id: tokens for id, tokens in true.items() if tokens}
