"""Single sessions, looked at again."""

from pathlib import Path

import msgspec

from tests.cli.made import sweep, talk
from tests.serve.live.listening import save
from tests.serve.served import Served
from unspool.model.api import MarksUpdate
from unspool.redact import Redactor
from unspool.serve.live.messages import Pen
from unspool.serve.live.stands import Stands

ONE, TWO = ("-home-dev-kettle", "session-one"), ("-home-dev-kettle", "session-two")


def standing(site: Served) -> Stands:
    return Stands(site.desk, Pen(Redactor()))


def test_a_session_is_told_when_it_is_first_looked_at(site: Served) -> None:
    ((id, data),) = standing(site).look([ONE])

    assert id == "session-one"
    assert msgspec.json.decode(data)["metrics"]["outputTokens"] > 0


def test_one_that_stands_as_before_is_no_news(site: Served) -> None:
    stands = standing(site)
    stands.look([ONE, TWO])

    assert stands.look([ONE, TWO]) == []


def test_one_that_changed_is_told_and_no_other(site: Served, place: Path) -> None:
    stands = standing(site)
    stands.look([ONE, TWO])
    save(talk().user("more").says("yes"), place)

    assert [id for id, _ in stands.look([ONE, TWO])] == ["session-one"]


def test_a_title_of_the_readers_is_told(site: Served) -> None:
    stands = standing(site)
    stands.look([ONE])
    site.desk.marks.change(*ONE, MarksUpdate(title="my own"))
    ((_, data),) = stands.look([ONE])

    assert msgspec.json.decode(data)["session"]["title"] == "my own"


def test_one_that_is_not_there_is_not_told(site: Served) -> None:
    assert standing(site).look([("-nowhere", "nobody")]) == []


def test_one_that_went_away_is_no_news(site: Served, place: Path) -> None:
    stands = standing(site)
    stands.look([ONE])
    sweep(place, "session-one")
    stands.look([ONE])

    assert stands.look([ONE]) == []


def test_one_that_nobody_asked_for_meanwhile_is_told_again(site: Served) -> None:
    stands = standing(site)
    stands.look([ONE])
    stands.look([])

    assert [id for id, _ in stands.look([ONE])] == ["session-one"]
