"""Tombstones: what the hub lacks is sent once, and what only it has is obeyed."""

from pathlib import Path

from msgspec.structs import replace

from tests.engine.indexing.roots import root_of
from unspool.hub.collector.tombstones import TombstoneQueue
from unspool.model.shipping import ShippedTombstone
from unspool.source.forgotten import forget, restore
from unspool.store.shipping import tombstone_digest, tombstone_name

NAMES = {tombstone_name("-repo", "s1"), tombstone_name("", "s1")}


def test_the_later_word_on_a_session_counts(tmp_path: Path) -> None:
    log = str(tmp_path / "forgotten.jsonl")
    root = replace(root_of(tmp_path / "root"), tombstones=log)
    key = (root.path, "-repo", "s1")
    queue = TombstoneQueue([root])
    assert (queue.waiting(), queue.digest()) == ([], tombstone_digest([]))

    forget(log, [key], 5)
    sent = queue.waiting()
    assert {one.name for one in sent} == NAMES
    assert queue.is_forgotten("-repo", "s1")
    queue.delivered(sent)
    assert queue.waiting() == []
    restore(log, [key], 6)
    assert {(one.name, one.is_restored) for one in queue.waiting()} == {(n, True) for n in NAMES}
    assert not queue.is_forgotten("-repo", "s1")


def test_a_restored_machine_obeys_what_the_hub_has(tmp_path: Path) -> None:
    queue = TombstoneQueue([root_of(tmp_path)])
    queue.compare([ShippedTombstone(tombstone_name("-repo", "s1"), 5)])

    assert queue.waiting() == []
    assert queue.is_forgotten("-repo", "s1")
    assert not queue.is_forgotten("-other", "s1")
