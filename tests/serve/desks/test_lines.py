from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, desk, indexed
from unspool.errors import NotFound
from unspool.serve.desks.lines import Blob


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x89PNG\r\n\x1a\nx", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"<svg>", None),
        (b"", None),
    ],
)
def test_bytes_say_themselves_what_picture_they_are(data: bytes, expected: str | None) -> None:
    assert Blob(data).image == expected


def test_a_place_has_a_name_that_leads_back_to_it(site: Served, place: Path) -> None:
    path = next(place.glob("projects/*/session-one.jsonl"))
    name = site.desk.lines.event_id(str(path), 0)

    assert site.desk.lines.line(name or "").data == path.read_bytes().splitlines()[0]
    assert site.desk.lines.event_id(str(path), path.stat().st_size) is None
    assert site.desk.lines.event_id("/etc/passwd", 0) is None


def test_a_line_of_another_root_is_not_found(site: Served, tmp_path: Path) -> None:
    theirs = root(tmp_path / "theirs", talk("session-three"))
    indexed(theirs)
    path = str(next(theirs.glob("projects/*/session-three.jsonl")))
    with desk(theirs) as made:
        name = made.lines.event_id(path, 0) or ""
        assert made.lines.line(name).session_id == "session-three"
    with pytest.raises(NotFound):
        site.desk.lines.line(name)
