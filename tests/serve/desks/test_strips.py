from tests.serve.served import Served
from tests.waiting import until

ONE = ("-home-dev-kettle", "session-one")


def test_a_session_has_its_turns_and_calls(site: Served) -> None:
    strip = site.desk.strips.of([(ONE, 1)])[ONE]

    assert (len(strip.turns), len(strip.calls)) == (1, 1)


def test_the_same_version_is_not_read_again_and_another_is(site: Served) -> None:
    first = site.desk.strips.of([(ONE, 1)])[ONE]

    assert site.desk.strips.of([(ONE, 1)])[ONE] is first
    assert until(lambda: site.desk.strips.of([(ONE, 2)])[ONE] is not first)


def test_a_session_nobody_knows_has_none(site: Served) -> None:
    assert site.desk.strips.of([(("-nowhere", "nobody"), 1)]) == {}
