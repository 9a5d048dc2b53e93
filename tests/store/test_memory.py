from tests.store.made import Source
from unspool.model.query import TextQuery
from unspool.store import Store
from unspool.store.memory import MemoryStore


def test_it_ends_with_its_process() -> None:
    store: Store = MemoryStore()
    store.commit([Source().line("kept").batch()])
    store.close()

    assert MemoryStore().search(TextQuery()) == []
