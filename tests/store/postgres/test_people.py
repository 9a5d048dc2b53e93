"""People and machines: codes are good once, keys until they are revoked, and neither is stored."""

import pytest

from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.store.made import START
from unspool.errors import ConfigError, NotFound
from unspool.model.shipping import EnrolAnswer, EnrolRequest
from unspool.store.postgres.people import CODE_MS, ROTATION_MS


def asked(code: str, name: str = "laptop") -> EnrolRequest:
    return EnrolRequest(code=code, name=name, platform="Linux")


def test_a_code_is_good_once_and_for_fifteen_minutes(hub: HubDatabase) -> None:
    hub.person()
    codes = [hub.people.new_code(1, START) for _ in range(3)]
    first = hub.people.enrol(asked(codes[0]), START + CODE_MS - 1)

    assert isinstance(first, EnrolAnswer)
    assert hub.people.enrol(asked(codes[0], "other"), START) == "used"
    assert hub.people.enrol(asked(codes[1], "other"), START + CODE_MS) == "expired"
    assert hub.people.enrol(asked("ue_made-up", "other"), START) == "unknown"
    assert hub.people.enrol(asked(codes[2]), START) == "taken"
    assert isinstance(hub.people.enrol(asked(codes[2], "other"), START), EnrolAnswer)


def test_a_key_says_who_sends_until_it_is_revoked(hub: HubDatabase) -> None:
    laptop, desk = hub.machine("laptop"), hub.machine("desk", "bob")
    assert (laptop.name, laptop.owner, desk.owner) == ("laptop", 1, 2)
    hub.people.revoke("laptop", START)

    assert hub.people.by_key(hub.keys["laptop"], START) is None
    assert hub.people.by_key(hub.keys["desk"], START) == desk
    assert hub.people.by_key("uk_made-up", START) is None
    with pytest.raises(NotFound):
        hub.people.revoke("nobody", START)


def test_two_keys_are_good_for_a_day_after_a_rotation(hub: HubDatabase) -> None:
    laptop = hub.machine()
    answer = hub.people.enrol(asked(hub.people.rotate("laptop", START), "ignored"), START)

    assert isinstance(answer, EnrolAnswer)
    assert answer.machine == "laptop"
    old, new = hub.keys["laptop"], answer.key
    assert hub.people.by_key(old, START + ROTATION_MS - 1) == laptop
    assert hub.people.by_key(old, START + ROTATION_MS) is None
    assert hub.people.by_key(new, START + ROTATION_MS) == laptop


def test_a_revoked_machine_gets_no_key_by_an_old_code(hub: HubDatabase) -> None:
    hub.machine()
    code = hub.people.rotate("laptop", START)
    hub.people.revoke("laptop", START)

    assert hub.people.enrol(asked(code), START) == "revoked"


def test_a_token_says_who_asks(hub: HubDatabase) -> None:
    token = hub.person("ada", "lead")
    person = hub.people.by_token(token)

    assert person is not None
    assert (person.name, person.role) == ("ada", "lead")
    assert hub.people.by_token("up_made-up") is None
    again = hub.people.new_token(person.owner)
    assert hub.people.by_token(token) is None
    assert hub.people.by_token(again) == person
    with pytest.raises(ConfigError):
        hub.person("ada")


def test_no_secret_is_stored(hub: HubDatabase) -> None:
    token = hub.person()
    code = hub.people.new_code(1, START)
    hub.machine()
    stored = repr(hub.tables())

    for text in (token, code, hub.keys["laptop"]):
        assert text not in stored
        assert text.encode().hex() not in stored


def test_machines_are_listed_with_what_they_sent(hub: HubDatabase) -> None:
    hub.machine()
    (row,) = hub.people.machines(START, START, [1])

    assert (row.name, row.person, row.sources, row.revoked_at) == ("laptop", "ada", 0, None)
