"""The protocol, the stores and the suite are of one mind."""

import re
from pathlib import Path

from tests.store.stores import AnyStore
from unspool.store import Store

METHODS = sorted(name for name in dir(Store) if not name.startswith("_"))


def test_a_store_does_all_that_the_protocol_says(store: AnyStore) -> None:
    assert [name for name in METHODS if not hasattr(store, name)] == []


def test_the_contract_is_tested_method_by_method() -> None:
    suite = "\n".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_c*.py"))
    untested = [name for name in METHODS if not re.search(rf"\.{name}\b", suite)]

    assert untested == []
