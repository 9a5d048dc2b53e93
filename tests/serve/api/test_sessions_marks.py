from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, problem, served, server_context

ONE = "/api/sessions/session-one"


def listed(site: Served, **asked: Any) -> dict[str, Any]:
    rows = site.ask("/api/sessions", params=asked).json()["items"]
    return {row["session"]["id"]: row for row in rows}


def test_a_hidden_session_is_listed_only_where_it_is_asked_for(site: Served) -> None:
    answer = site.ask(ONE, "PATCH", json={"hidden": True})

    assert answer.json() == {
        "projectId": "-home-dev-kettle", "sessionId": "session-one",
        "pinned": False, "hidden": True, "title": "",
    }  # fmt: skip
    assert set(listed(site)) == {"session-two"}
    assert listed(site, hidden=True)["session-one"]["hidden"] is True


def test_a_title_of_ones_own_is_shown_everywhere(site: Served) -> None:
    site.ask(ONE, "PATCH", json={"title": "the kettle"})
    whole = site.ask("/api/sessions/-home-dev-kettle/session-one").json()

    assert listed(site, q="KETTLE")["session-one"]["session"]["title"] == "the kettle"
    assert whole["session"]["title"] == "the kettle"


def test_an_empty_title_is_the_old_one(site: Served) -> None:
    before = listed(site)
    site.ask(ONE, "PATCH", json={"title": "the kettle", "pinned": True})
    site.ask(ONE, "PATCH", json={"title": "", "pinned": False})

    assert listed(site) == before


def test_pinned_sessions_can_be_asked_for(site: Served) -> None:
    site.ask(ONE, "PATCH", json={"pinned": True})

    assert set(listed(site, pinned=True)) == {"session-one"}


def test_what_is_left_out_stays(site: Served) -> None:
    site.ask(ONE, "PATCH", json={"pinned": True, "title": "x"})
    answer = site.ask(ONE, "PATCH", json={"hidden": True}).json()

    assert (answer["pinned"], answer["hidden"], answer["title"]) == (True, True, "x")


def test_marks_outlast_a_new_index(site: Served, place: Path, home: Path) -> None:
    site.ask(ONE, "PATCH", json={"title": "kept"})
    for name in ("index.db", "raw.db"):
        (home / "unspool" / name).unlink()
    indexed(place)
    with server_context(place) as made:
        assert listed(Served(made))["session-one"]["session"]["title"] == "kept"


def test_of_two_sessions_with_one_id_the_newest_is_meant(tmp_path: Path) -> None:
    place = root(tmp_path, talk(), talk(cwd="/home/dev/teapot", day=2))
    with served(place) as site:
        newest = site.ask(ONE, "PATCH", json={"pinned": True}).json()
        chosen = site.ask(f"{ONE}?project=-home-dev-kettle", "PATCH", json={}).json()

    assert (newest["projectId"], newest["pinned"]) == ("-home-dev-teapot", True)
    assert (chosen["projectId"], chosen["pinned"]) == ("-home-dev-kettle", False)


@pytest.mark.parametrize("path", ["/api/sessions/nobody", f"{ONE}?project=elsewhere"])
def test_nobody_cannot_be_marked(site: Served, path: str) -> None:
    assert problem(site.ask(path, "PATCH", json={"pinned": True}))["status"] == 404


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"pinned": 1}', b'{"title": null}', b'{"colour": "red"}', b"{",
     b'{"colour":' + b"[" * 9_000 + b"]" * 9_000 + b"}"],
)  # fmt: skip
def test_marks_that_make_no_sense_are_refused(site: Served, body: bytes) -> None:
    answer = site.ask(ONE, "PATCH", content=body, headers=_json())

    assert problem(answer)["status"] == 400


def test_a_title_may_not_be_a_book(site: Served) -> None:
    assert problem(site.ask(ONE, "PATCH", json={"title": "x" * 501}))["status"] == 400


def _json() -> dict[str, str]:
    return {"authorization": "Bearer right-token", "content-type": "application/json"}
