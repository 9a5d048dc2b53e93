"""However the files grew and however often the process began anew, the index ends the same."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decode.damage import lines
from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, root_of
from tests.engine.indexing.views import shown, tables
from tests.examples import examples
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.model.files import Root
from unspool.store import Store
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

MAIN = Transcript().user("héllo 😀").calls("Task", prompt="look").returns("seen").says("bye")
AGENT = Transcript(agent="a1").user("look").answers(["a", "b"], outputs=[1, 9])
FILES = {
    "p/s1.jsonl": MAIN.bytes() + b"\n".join(lines()) + b"\n" + lines()[0] + lines()[1] + b"\n",
    "p/s1/subagents/agent-a1.jsonl": AGENT.bytes(),
    "p/s2.jsonl": MAIN.bytes() + b'{"type":"user","torn',
}
CUTS = st.fixed_dictionaries(
    {name: st.lists(st.integers(0, len(data)), max_size=4) for name, data in FILES.items()}
)


def write(root: Root, name: str, data: bytes) -> None:
    path = Path(root.projects, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as file:
        file.write(data)
    age(path)


def grown(root: Root, store: Store, cuts: dict[str, list[int]], *, anew: bool) -> None:
    """Let each file grow by its pieces, with a sweep after each."""
    indexer = Indexer(store, [root], TABLE)
    for name, data in FILES.items():
        for start, end in pairwise([0, *sorted(cuts[name]), len(data)]):
            write(root, name, data[start:end])
            indexer = Indexer(store, [root], TABLE) if anew else indexer
            indexer.sweep(NOW)


@settings(max_examples=examples(30))
@given(CUTS, st.booleans(), st.sampled_from(["memory", "sqlite"]))
def test_the_pieces_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, cuts: dict[str, list[int]], anew: bool, kind: str
) -> None:
    place = tmp_path_factory.mktemp("pieces")
    root = root_of(place / "root")
    stores = [
        MemoryStore() if kind == "memory" else SqliteStore(place / name) for name in ("a", "b")
    ]
    grown(root, stores[0], cuts, anew=anew)
    Indexer(stores[1], [root], TABLE).sweep(NOW)

    assert shown(stores[0]) == shown(stores[1])
    for one, other in pairwise(stores):
        if isinstance(one, SqliteStore) and isinstance(other, SqliteStore):
            assert tables(one) == tables(other)
        one.close()
        other.close()


def test_both_stores_show_the_same(tmp_path: Path) -> None:
    root, sqlite, memory = root_of(tmp_path / "root"), SqliteStore(tmp_path / "home"), MemoryStore()
    for name, data in FILES.items():
        write(root, name, data)
    for store in (sqlite, memory):
        Indexer(store, [root], TABLE).sweep(NOW)
    seen = shown(sqlite)
    sqlite.close()

    assert seen == shown(memory)
