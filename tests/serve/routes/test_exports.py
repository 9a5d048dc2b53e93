from pathlib import Path

import pytest

from tests.cli.made import sweep
from tests.serve.served import Served, problem

ONE = "-home-dev-kettle/session-one"


def test_json_is_the_whole_document(site: Served) -> None:
    answer = site.ask(f"/api/export/{ONE}?format=json")
    whole = site.ask(f"/api/sessions/{ONE}").json()

    assert {**answer.json(), "pinned": False, "hidden": False} == whole
    assert answer.headers["content-disposition"] == 'attachment; filename="session-one.json"'


def test_jsonl_is_the_transcript(site: Served, place: Path) -> None:
    answer = site.ask(f"/api/export/{ONE}?format=jsonl")

    assert answer.content == next(place.glob("projects/*/session-one.jsonl")).read_bytes()
    assert answer.headers["content-type"].startswith("application/x-ndjson")


def test_a_swept_session_can_still_be_taken_away(site: Served, place: Path) -> None:
    before = site.ask(f"/api/export/{ONE}?format=jsonl").content
    sweep(place, "session-one")

    assert site.ask(f"/api/export/{ONE}?format=jsonl").content == before


@pytest.mark.parametrize(("asked", "status"), [(f"{ONE}?format=pdf", 400), ("x/nobody", 404)])
def test_what_cannot_be_taken_away_is_said(site: Served, asked: str, status: int) -> None:
    assert problem(site.ask(f"/api/export/{asked}"))["status"] == status
