"""Codes sign one browser in, cookies last until they expire or are dropped; neither is stored."""

from concurrent.futures import ThreadPoolExecutor

from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.store.made import START
from unspool.model.shipping import PersonIdentity
from unspool.store.postgres.audit import AuditTable
from unspool.store.postgres.logins import LOGIN_CODE_MS, LOGIN_MS, LoginTable


def added(hub: HubDatabase) -> PersonIdentity:
    hub.person()
    (ada,) = hub.people.people()
    return ada


def test_a_code_is_good_once_and_for_a_day(hub: HubDatabase) -> None:
    ada, logins = added(hub), LoginTable(hub.pool)
    code, late = (logins.new_code(ada.owner, START) for _ in range(2))

    assert [logins.code(code, START) for _ in range(2)] == [ada, ada]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: logins.use_code(code, START), range(4)))
    assert sorted(map(str, found))[1:] == ["used"] * 3
    assert logins.use_code(late, START + LOGIN_CODE_MS) == "expired"
    assert logins.use_code("ul_made-up", START) == "unknown"


def test_a_cookie_is_good_until_it_expires_is_dropped_or_its_person_closed(
    hub: HubDatabase,
) -> None:
    ada, logins = added(hub), LoginTable(hub.pool)
    first, second, third = (logins.sign_in(ada, START, "127.0.0.1") for _ in range(3))
    logins.sign_out(first, START)

    assert logins.by_cookie(first, START) is None
    assert logins.by_cookie(second, START + LOGIN_MS - 1) == ada
    assert logins.by_cookie(second, START + LOGIN_MS) is None
    hub.people.close_person("ada", START)
    hub.people.add_person("ada", "member", START)
    assert logins.by_cookie(third, START) is None


def test_secrets_are_kept_as_hashes_and_the_audit_has_none(hub: HubDatabase) -> None:
    ada, logins, token = added(hub), LoginTable(hub.pool), hub.person("bob", "member")
    code = logins.new_code(ada.owner, START)
    cookie = logins.sign_in(ada, START, "127.0.0.1")
    AuditTable(hub.pool).note("exported", "x" * 5_000, START, person=ada.owner, address="")
    rows = "".join(row for table in hub.tables().values() for row in table)
    (newest, *_) = AuditTable(hub.pool).entries(None, 10)

    assert not [one for one in (token, code, cookie) if one in rows]
    assert (newest.what, newest.person, len(newest.about)) == ("exported", "ada", 1_000)
