"""What a machine sent through its collector is answered by the hub as by the machine itself."""

import os
import re
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.runs import stores_of
from tests.hub.machines import HubDatabase
from tests.hub.surfaces import send
from tests.serve.machines import MACHINE, PREFIX
from tests.serve.same_answers import (
    EVENT,
    HOOKS,
    addresses,
    asked,
    first_difference,
    plain,
    prompt_hook,
    remote_context,
    write_sessions,
)
from tests.serve.served import Served
from unspool.cli import config
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.stores import Stores
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore

# As long as the numbers that machines give, so that no version is taken for an event.
_FIRST_ID = 900_000_000_000
_NEWEST = 1_700_000_000


def index(stores: Stores, now: int) -> SqliteStore:
    """The index of a machine. Files with greater numbers are older.

    They are sent newest first, so the hub numbers them in the same order, by which lines of one
    moment are shown.
    """
    store, spool = SqliteStore(stores.home), str(stores.home / "spool")
    indexer = Indexer(store, stores.roots, config.prices(), spool=spool)
    indexer.sweep(now)
    files = [one for one in store.sources() if one.kind != "spool"]
    for age, one in enumerate(sorted(files, key=lambda one: one.source_id)):
        os.utime(os.path.join(one.root, one.path), (_NEWEST - age, _NEWEST - age))
    Indexer(store, stores.roots, config.prices(), spool=spool).sweep(now)
    return store


class Translation:
    """Names of the machine <-> names of the hub."""

    def __init__(self, hub: HubDatabase) -> None:
        with hub.pool.connection() as connection:
            rows = connection.execute("SELECT local_id, source_id FROM shipped").fetchall()
        self._there: dict[int, int] = {here: there for here, there in rows}
        self._here = {there: here for here, there in self._there.items()}

    def address(self, text: str) -> str:
        text = re.sub(r"/(-[^/?]+)(?=[/?]|$)", rf"/{PREFIX}\1", text)
        return EVENT.sub(lambda at: f"{self._there[int(at[1])]}.{at[2]}.{at[3]}", text)

    def answer(self, text: str) -> str:
        text = text.replace(PREFIX, "").replace(f"{MACHINE}:", "")
        return EVENT.sub(lambda at: f"{self._here[int(at[1])]}.{at[2]}.{at[3]}", text)


@pytest.mark.slow
def test_every_answer_is_that_of_the_machine(
    hub: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "machine"))
    with hub.pool.connection() as connection:
        connection.execute(f"ALTER TABLE shipped ALTER source_id RESTART WITH {_FIRST_ID}".encode())
    place, now = tmp_path / "claude", config.now()
    sessions, some = write_sessions(place, now)
    stores, owner = stores_of(place), hub.machine(MACHINE).owner
    append(stores.home / "spool", [prompt_hook(place, HOOKS)], now - 60_000)
    with closing(index(stores, now + 60_000)) as store:
        send(hub, stores, store, now)
    answers = asked(stores, now, addresses(sessions, some))

    names = Translation(hub)
    remote = remote_context(hub.store(owner), place, tmp_path / "server", now)
    with closing(remote):
        site, others = Served(remote), list[str]()
        for address, here in answers.items():
            answer = site.ask(names.address(address))
            there = answer.status_code, plain(names.answer(answer.text))
            others += filter(None, [first_difference(address, there, here)])

    assert others == []
    assert len(answers) > 200
