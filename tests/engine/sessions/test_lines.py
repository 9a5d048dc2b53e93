from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, server_context
from unspool.engine.ids import source_id
from unspool.errors import NotFound


def test_a_place_has_a_name_that_leads_back_to_it(site: Served, place: Path) -> None:
    path = next(place.glob("projects/*/session-one.jsonl"))
    number = source_id(str(place), str(path.relative_to(place)))
    name = site.context.lines.event_id(number, 0)

    assert site.context.lines.line(name or "").data == path.read_bytes().splitlines()[0]
    assert site.context.lines.event_id(number, path.stat().st_size) is None
    assert site.context.lines.event_id(number + 1, 0) is None


def test_a_line_of_another_root_is_not_found(site: Served, tmp_path: Path) -> None:
    theirs = root(tmp_path / "theirs", talk("session-three"))
    indexed(theirs)
    path = next(theirs.glob("projects/*/session-three.jsonl")).relative_to(theirs)
    with server_context(theirs) as made:
        name = made.lines.event_id(source_id(str(theirs), str(path)), 0) or ""
        assert made.lines.line(name).session_id == "session-three"
    with pytest.raises(NotFound):
        site.context.lines.line(name)
