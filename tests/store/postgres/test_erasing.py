"""Erasing a person: begun again after a kill, and final for whoever was just let in."""

from threading import Thread

import pytest

from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import START, Source, price
from tests.store.postgres.test_causes import MODELS, added_up
from tests.waiting import until
from unspool.derive.daily_causes import causes_of
from unspool.errors import NotFound, StoreError
from unspool.hub.refusals import HubRefusal
from unspool.hub.service import HubService
from unspool.model.api import MarksUpdate
from unspool.model.query import CauseQuery
from unspool.store.postgres import erasing
from unspool.store.postgres.erasing import ErasurePlan, PersonEraser


def test_what_was_begun_and_killed_is_begun_again(hub: HubDatabase) -> None:
    sender = hub.machine()
    for number in range(3):
        source = Source(number, f"s{number}").line("text").spends(f"m:{number}")
        hub.accept(sender, shipment(source.tells().batch()))
    eraser, errors = PersonEraser(hub.pool), list[StoreError]()

    def erase() -> None:
        try:
            eraser.erase("ada", START)
        except StoreError as error:
            errors.append(error)

    with hub.pool.connection() as other, other.transaction():
        other.execute("SELECT 1 FROM machine FOR UPDATE")  # its counts are changed by and by
        thread = Thread(target=erase)
        thread.start()
        assert until(lambda: bool(waiting(hub)))
        with hub.pool.connection() as connection:
            connection.execute("SELECT pg_terminate_backend(%s)", (waiting(hub)[0],))
        thread.join()
    half = hub.rows_of(sender.owner)

    assert len(errors) == 1
    assert (half["session"], half["shipped"]) == (0, 3)
    assert hub.people.by_key(hub.keys["laptop"], START) is None
    assert eraser.plan("ada") == ErasurePlan(1, 0)
    eraser.erase("ada", START)
    assert {table for table, rows in hub.rows_of(sender.owner).items() if rows} == {"person"}
    with pytest.raises(NotFound, match="no person called 'ada'"):
        eraser.erase("ada", START)


def waiting(hub: HubDatabase) -> list[int]:
    """The backends that wait for a lock."""
    with hub.pool.connection() as connection:
        asked = """
            SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
        return [pid for (pid,) in connection.execute(asked)]


def test_who_was_let_in_a_moment_ago_writes_nothing_afterwards(hub: HubDatabase) -> None:
    ada, bob = hub.machine(), hub.machine("desk", "bob")
    first = shipment(Source(1, "s1").line("text").tells().batch())
    hub.accept(ada, first)
    view = hub.store(ada.owner)
    hubs = HubService(hub.pool, price, lambda: START, weeks_ahead=0)
    known = hubs.machine(f"Bearer {hub.keys['laptop']}")
    PersonEraser(hub.pool).erase("ada", START)

    with pytest.raises(StoreError, match="erased"):
        hub.accept(known, first)
    with pytest.raises(StoreError, match="erased"):
        view.marks.change("laptop~-repo", "s1", MarksUpdate(pinned=True))
    with pytest.raises(StoreError, match="erased"):
        view.put_agents("laptop~-repo", "s1", [])
    hub.store(ada.owner)  # as maintenance opens it
    assert {table for table, rows in hub.rows_of(ada.owner).items() if rows} == {"person"}
    assert hub.accept(bob, first).acked
    fresh = HubService(hub.pool, price, lambda: START, weeks_ahead=0)
    with pytest.raises(HubRefusal):
        fresh.machine(f"Bearer {hub.keys['laptop']}")


def causes(hub: HubDatabase, owner: int) -> tuple[int, set[str]]:
    """What was spent, and on which tools, as this owner's reports have it."""
    report = hub.store(owner).causes(CauseQuery())
    assert report is not None
    made = causes_of(report)
    return made.pico, {one.name for one in made.tools}


@pytest.mark.parametrize("is_killed", [True, False])
def test_sums_by_cause_forget_a_person_at_once(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch, *, is_killed: bool
) -> None:
    """Also where the command ends before it has added up what is left."""
    ada, bob = hub.machine(), hub.machine("desk", "bob")
    for sender, tool in ((ada, "zqada"), (bob, "zqbob")):
        source = Source(1, "s1").line().spends(f"m:{tool}", model=MODELS[0]).calls(tool)
        hub.accept(sender, shipment(source.tells().batch()))
    added_up(hub.store(ada.owner), hub.store(bob.owner))
    mine = causes(hub, bob.owner)
    if is_killed:
        monkeypatch.setattr(erasing, "add_up_days", lambda _: False)
    PersonEraser(hub.pool).erase("ada", START)
    tables = hub.tables()

    assert causes(hub, bob.owner) == mine
    assert mine[1] == {"zqbob"}
    assert bool(tables["stale_day"]) is is_killed
    assert ("zqada" in str(tables["day_cause"])) is is_killed


def test_a_number_is_given_once_and_a_name_may_come_again(hub: HubDatabase) -> None:
    hub.machine("desk", "bob")
    ada = hub.machine()
    hub.people.close_person("ada", START)
    PersonEraser(hub.pool).erase("ada", START)
    again = hub.machine("laptop", "ada")

    assert again.owner > ada.owner
    assert again.machine != ada.machine
    assert [row.name for row in hub.people.person_rows()] == ["bob", "ada"]
    assert hub.store(again.owner).roots() == []


def test_what_is_written_while_it_goes_on_is_taken_at_the_end(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = hub.machine(), hub.machine("desk", "bob")
    for sender in (ada, bob):
        source = Source(1, "s1").line("text").spends().calls().hooks().touches("/a").wonders()
        hub.accept(sender, shipment(source.tells().batch()))

    def others() -> list[str]:
        rows = [*hub.tables()["total"], *hub.tables()["holding"], *hub.tables()["hour_total"]]
        return [row for row in rows if row.startswith(f"({bob.owner},")]

    before = others()
    # As if all of it had come after the others.
    monkeypatch.setattr(PersonEraser, "_erase_some", lambda *_: False)
    PersonEraser(hub.pool).erase("ada", START)

    assert {table for table, rows in hub.rows_of(ada.owner).items() if rows} == {"person"}
    assert (others(), len(before)) == (before, 3)
