from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, server_context
from unspool.errors import NotFound


def test_a_place_has_a_name_that_leads_back_to_it(site: Served, place: Path) -> None:
    path = next(place.glob("projects/*/session-one.jsonl"))
    name = site.context.lines.event_id(str(path), 0)

    assert site.context.lines.line(name or "").data == path.read_bytes().splitlines()[0]
    assert site.context.lines.event_id(str(path), path.stat().st_size) is None
    assert site.context.lines.event_id("/etc/passwd", 0) is None


def test_a_line_of_another_root_is_not_found(site: Served, tmp_path: Path) -> None:
    theirs = root(tmp_path / "theirs", talk("session-three"))
    indexed(theirs)
    path = str(next(theirs.glob("projects/*/session-three.jsonl")))
    with server_context(theirs) as made:
        name = made.lines.event_id(path, 0) or ""
        assert made.lines.line(name).session_id == "session-three"
    with pytest.raises(NotFound):
        site.context.lines.line(name)
