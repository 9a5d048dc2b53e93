from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.costs.spending import ledger, talk
from unspool.cli.costs import catch_up
from unspool.cli.costs.responses import freshened, owners, responses
from unspool.store.sqlite.store import SqliteStore


def keys() -> list[str]:
    return sorted(owned.row.message_key for owned in responses([]))


def test_every_response_has_its_owner(root: Path) -> None:
    talk("s2").save(root)

    assert sorted((owned.session_id, owned.row.message_key) for owned in responses([])) == [
        ("s1", "m:msg_s1_0"),
        ("s2", "m:msg_s2_0"),
    ]


def test_the_ledger_is_there_when_it_is_asked(root: Path) -> None:
    assert freshened([]).is_fresh
    talk(answers=2).save(root)

    assert keys() == ["m:msg_s1_0", "m:msg_s1_1"]


def test_where_it_cannot_be_written_the_files_are_asked(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    freshened([])
    talk(answers=2).save(root)
    monkeypatch.setattr(catch_up, "_PATIENCE", 0.05)
    with closing(SqliteStore(ledger().parent)):
        assert keys() == ["m:msg_s1_0", "m:msg_s1_1"]
        assert owners([], ["m:msg_s1_1", "m:none"]) == {"m:msg_s1_1": ("-repo", "s1")}


def test_owners_are_told_for_as_many_as_are_asked(root: Path) -> None:
    talk(answers=3).save(root)
    asking = [f"m:msg_s1_{n}" for n in range(600)]

    assert owners([], asking) == {f"m:msg_s1_{n}": ("-repo", "s1") for n in range(3)}
