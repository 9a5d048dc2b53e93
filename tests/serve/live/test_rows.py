"""The list of sessions and single sessions, looked at again."""

from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from tests.cli.made import sweep, talk
from tests.serve.live.listening import save
from tests.serve.served import Served
from unspool.engine.sessions.session_list import ListCursor, SessionFilter, SessionList, SessionRows
from unspool.model.api import MarksUpdate
from unspool.model.document import Status
from unspool.model.session import SessionSummary
from unspool.redact import Redactor
from unspool.serve.live.client import MessageEncoder
from unspool.serve.live.rows import RowFeed, StatusFeed
from unspool.source.forgotten import forget

ONE, TWO = ("-home-dev-kettle", "session-one"), ("-home-dev-kettle", "session-two")


class Lists:
    """A list that is as it is told to be."""

    def __init__(self, site: Served) -> None:
        self.page_now = site.context.sessions.page(SessionFilter())

    def page(self, _: SessionFilter) -> SessionRows:
        return self.page_now

    def become(self, *items: SessionSummary, next: ListCursor | None = None) -> None:
        self.page_now = SessionRows(items, next)


def looking(site: Served) -> tuple[Lists, RowFeed]:
    lists = Lists(site)
    rows = RowFeed(cast(SessionList, lists), MessageEncoder(Redactor()))
    rows.poll()
    return lists, rows


def kinds(rows: RowFeed) -> list[tuple[str, str]]:
    return [(kind, session) for kind, session, _ in rows.poll()]


def listed(rows: RowFeed) -> list[Any]:
    whole = msgspec.json.decode(rows.rows)
    return [row["session"]["id"] for row in whole["sessions"]]


def test_the_whole_list_is_at_hand(site: Served) -> None:
    assert listed(looking(site)[1]) == ["session-two", "session-one"]


def test_a_list_that_stays_is_no_news(site: Served) -> None:
    assert kinds(looking(site)[1]) == []


def test_a_row_that_changed_is_told(site: Served, place: Path) -> None:
    lists, rows = looking(site)
    first, second = lists.page_now.items
    lists.become(replace(first, lines=99), second)

    assert kinds(rows) == [("session_update", "session-two")]


def test_a_session_that_ends_is_told_once(site: Served) -> None:
    lists, rows = looking(site)
    first, second = lists.page_now.items
    ended = replace(first.session, status=Status(state="ended", since=None, evidence="hook"))
    lists.become(replace(first, session=ended), second)

    assert [kind for kind, _ in kinds(rows)] == [
        "session_update",
        "session_updated",
        "session_ended",
    ]
    assert kinds(rows) == []


def test_a_session_that_is_hidden_is_removed(site: Served) -> None:
    lists, rows = looking(site)
    lists.become(lists.page_now.items[1])

    assert kinds(rows) == [("session_removed", "session-two")]
    assert listed(rows) == ["session-one"]


def test_one_that_only_fell_off_the_page_is_not_removed(site: Served) -> None:
    lists, rows = looking(site)
    lists.become(lists.page_now.items[0], next=ListCursor("more", "s", "p"))

    assert kinds(rows) == []


def test_a_session_that_began_and_ended_between_two_looks_has_ended(site: Served) -> None:
    lists, rows = looking(site)
    first, second = lists.page_now.items
    later = replace(first.session, id="short", start_time="2099-01-01T00:00:00.000Z")
    short = replace(first, session=replace(later, status=Status("ended", None, "hook")))
    lists.become(short, first, second)

    assert ("session_ended", "short") in kinds(rows)


def test_an_old_session_that_comes_to_be_known_does_not_end_now(site: Served) -> None:
    lists, rows = looking(site)
    first, second = lists.page_now.items
    older = replace(first.session, id="older", start_time="1999-01-01T00:00:00.000Z")
    old = replace(first, session=replace(older, status=Status("ended", None, "hook")))
    lists.become(first, second, old)

    assert ("session_ended", "older") not in kinds(rows)


def test_one_as_old_as_the_last_that_is_listed_would_be_listed_too(site: Served) -> None:
    lists, rows = looking(site)
    first, second = lists.page_now.items
    more = ListCursor("", "", "")
    lists.become(first, replace(second, last_activity=first.last_activity), next=more)
    rows.poll()
    lists.become(first, next=more)

    assert kinds(rows) == [("session_removed", second.session.id)]


def test_a_session_whose_project_is_told_later_is_the_same_one(site: Served) -> None:
    lists, rows = looking(site)
    first, second = lists.page_now.items
    moved = replace(first, session=replace(first.session, project_id="-elsewhere"))
    lists.become(moved, second)

    assert "session_removed" not in {kind for kind, _ in kinds(rows)}


def standing(site: Served) -> StatusFeed:
    return StatusFeed(site.context, MessageEncoder(Redactor()))


def test_a_session_is_told_when_it_is_first_looked_at(site: Served) -> None:
    ((kind, id, data),) = standing(site).poll([ONE])

    assert kind == "session_updated"
    assert id == "session-one"
    assert msgspec.json.decode(data)["metrics"]["outputTokens"] > 0


def test_one_that_stands_as_before_is_no_news(site: Served) -> None:
    stands = standing(site)
    stands.poll([ONE, TWO])

    assert stands.poll([ONE, TWO]) == []


def test_one_that_changed_is_told_and_no_other(site: Served, place: Path) -> None:
    stands = standing(site)
    stands.poll([ONE, TWO])
    save(talk().user("more").says("yes"), place)

    assert [id for _, id, _ in stands.poll([ONE, TWO])] == ["session-one"]


def test_a_title_of_the_readers_is_told(site: Served) -> None:
    stands = standing(site)
    stands.poll([ONE])
    site.context.marks.change(*ONE, MarksUpdate(title="my own"))
    ((_, _, data),) = stands.poll([ONE])

    assert msgspec.json.decode(data)["session"]["title"] == "my own"


def test_one_that_is_not_there_is_not_told(site: Served) -> None:
    assert standing(site).poll([("-nowhere", "nobody")]) == []


def test_one_that_went_away_is_no_news(site: Served, place: Path) -> None:
    stands = standing(site)
    stands.poll([ONE])
    sweep(place, "session-one")
    stands.poll([ONE])

    assert stands.poll([ONE]) == []


def test_one_that_nobody_asked_for_meanwhile_is_told_again(site: Served) -> None:
    stands = standing(site)
    stands.poll([ONE])
    stands.poll([])

    assert [id for _, id, _ in stands.poll([ONE])] == ["session-one"]


def test_one_that_was_forgotten_is_told_to_be_gone_once(site: Served) -> None:
    stands = standing(site)
    stands.poll([ONE, TWO])
    (root,) = site.context.config.roots
    forget(root.tombstones, [(root.path, *ONE)], 1)

    assert [told[:2] for told in stands.poll([ONE, TWO])] == [("session_removed", "session-one")]
    assert stands.poll([ONE, TWO]) == []
