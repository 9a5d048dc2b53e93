from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed
from unspool.engine.sessions.session_list import SessionFilter
from unspool.serve.api.sessions import session_page


def test_a_page_is_encoded_once_while_it_stays_the_same(site: Served) -> None:
    first, again = (session_page(site.context, SessionFilter(limit=1)).content for _ in range(2))
    other = session_page(site.context, SessionFilter(limit=2)).content

    assert first is again
    assert first != other


def test_a_mark_or_a_new_session_shows_on_the_next_page(site: Served, place: Path) -> None:
    before = site.ask("/api/sessions").json()["items"]
    site.ask("/api/sessions/session-one", "PATCH", json={"pinned": True})
    pinned = site.ask("/api/sessions").json()["items"]
    indexed(root(place, talk("session-new", day=3)))
    after = site.ask("/api/sessions").json()["items"]

    assert [one["pinned"] for one in before] == [False, False]
    assert sorted(one["pinned"] for one in pinned) == [False, True]
    assert len(after) == 3
