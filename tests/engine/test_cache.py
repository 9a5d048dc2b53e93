from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engine.roots import NOW, append, dated, root_sessions, saved
from unspool.demo import Transcript
from unspool.engine.cache import DataCache


@dataclass
class Weight:
    weight: int


@pytest.fixture
def cache() -> DataCache[str, Weight]:
    return DataCache(100)


# devtools 120
def test_what_was_never_kept_is_missed(cache: DataCache[str, Weight]) -> None:
    assert cache.get("a") is None
    assert "a" not in cache


# devtools 120
def test_what_was_kept_is_found(cache: DataCache[str, Weight]) -> None:
    kept = Weight(10)
    cache.put("a", kept)

    assert cache.get("a") is kept
    assert cache.weight == 10


# devtools 120
def test_the_least_lately_used_makes_room(cache: DataCache[str, Weight]) -> None:
    for name in "ab":
        cache.put(name, Weight(50))
    cache.get("a")
    cache.put("c", Weight(50))

    assert [name in cache for name in "abc"] == [True, False, True]


# devtools 120
def test_bytes_are_what_is_counted_not_values(cache: DataCache[str, Weight]) -> None:
    for name in "abcdefghij":
        cache.put(name, Weight(10))
    assert len(cache) == 10

    cache.put("large", Weight(95))
    assert len(cache) == 1


# devtools 120
def test_overwriting_a_key_evicts_nothing_else(cache: DataCache[str, Weight]) -> None:
    cache.put("a", Weight(50))
    cache.put("b", Weight(50))
    cache.put("b", Weight(50))

    assert "a" in cache
    assert len(cache) == 2


def test_a_value_that_grew_is_weighed_when_it_is_kept_again(cache: DataCache[str, Weight]) -> None:
    growing = Weight(10)
    cache.put("a", Weight(50))
    cache.put("b", growing)
    growing.weight = 90
    cache.put("b", growing)

    assert "a" not in cache


def test_one_value_over_the_budget_stays(cache: DataCache[str, Weight]) -> None:
    cache.put("a", Weight(1_000))

    assert "a" in cache


# devtools 120
def test_all_keys_of_one_project_can_be_dropped() -> None:
    cache: DataCache[tuple[str, str], Weight] = DataCache(100)
    for key in (("p", "s1"), ("p", "s1/agent"), ("q", "s2")):
        cache.put(key, Weight(1))

    assert cache.drop(lambda key: key[0] == "p") == 2
    assert ("q", "s2") in cache
    assert cache.weight == 1


def test_a_key_that_was_dropped_can_be_kept_again(cache: DataCache[str, Weight]) -> None:
    cache.put("a", Weight(60))
    cache.drop(lambda key: True)
    cache.put("a", Weight(60))
    cache.put("b", Weight(60))

    assert "a" not in cache


# devtools 120
def test_a_kept_session_shows_what_was_written_since(tmp_path: Path) -> None:
    reader = root_sessions(tmp_path)
    (path,) = saved(tmp_path, Transcript().user("first"))
    before = len(reader.open(path).document().chunks)
    append(path, Transcript(uuid_prefix="more-").user("second").bytes())

    assert (before, len(reader.open(path).document().chunks)) == (1, 2)


# devtools 120
def test_a_kept_session_that_was_rewritten_is_read_anew(tmp_path: Path) -> None:
    reader = root_sessions(tmp_path)
    (path,) = saved(tmp_path, Transcript().user("first").says("one"))
    before = reader.open(path).generations
    Transcript(uuid_prefix="new-").user("other").save(tmp_path)
    dated(path, NOW)

    after = reader.open(path)
    assert after.generations != before
    assert [chunk.text for chunk in after.document().chunks] == ["other"]


def test_a_budget_of_nothing_keeps_one_session(tmp_path: Path) -> None:
    reader = root_sessions(tmp_path, budget=0)
    saved(tmp_path, Transcript("s1").user("first"), Transcript("s2").user("second"))

    assert len(list(reader.summaries())) == 2
    assert len(reader._cache) == 1
