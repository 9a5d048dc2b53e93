from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.engine.export.made import opened
from tests.show.everything import png
from unspool.demo import Transcript
from unspool.engine.export import files
from unspool.engine.export.files import PictureLinks, line_name


def block(data: str, kind: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


@pytest.fixture
def links(tmp_path: Path) -> PictureLinks:
    made = Transcript(session="s").user([block(png()), block(png(2, 2))])
    made.user([block(b64encode(b"<svg onload=x()>" * 20).decode())]).save(tmp_path)
    agent = Transcript(session="s", agent="a1").user([block(png(3, 3))])
    agent.meta(agentType="x").save(tmp_path)
    return PictureLinks(opened(tmp_path, "s"))


def test_a_picture_is_its_own_address(links: PictureLinks) -> None:
    assert links.blob(line_name("", 1), 0) == f"data:image/png;base64,{png()}"
    assert links.blob(line_name("", 1), 1) == f"data:image/png;base64,{png(2, 2)}"


def test_what_only_says_that_it_is_a_picture_is_left_out(links: PictureLinks) -> None:
    assert links.blob(line_name("", 2), 0) == ""


@pytest.mark.parametrize("event", [":1", ":99", ":0", "nobody:1", "", "x"])
def test_what_is_not_there_has_no_address(links: PictureLinks, event: str) -> None:
    assert links.blob(event, 7) == ""


def test_there_is_room_for_only_so_many(
    links: PictureLinks, monkeypatch: pytest.MonkeyPatch
) -> None:
    links._room = 200
    addresses = [links.blob(line_name("", 1), 0) for _ in range(4)]

    assert addresses[0]
    assert addresses[-1] == ""
    monkeypatch.setattr(files, "_LARGEST_PICTURE", 1)
    assert links.blob(line_name("", 1), 1) == ""
