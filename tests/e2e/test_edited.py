"""A transcript that was edited while no process looked: the next server shows it as it is now."""

from pathlib import Path

import pytest

from tests.e2e.cases import Files, at
from tests.e2e.workspaces import Workspace
from unspool.demo import Transcript

_BLOCK = 64 * 1024  # what the end of a file is told by; the edit is before it


def edited(path: Path, before: bytes, after: bytes, more: bytes = b"") -> None:
    """Replace bytes in the middle of a file, which keeps its inode, and append some."""
    data = path.read_bytes()
    where = data.index(before)
    assert (len(before), data.count(before)) == (len(after), 1)
    assert 1024 < where < where + len(before) < len(data) // _BLOCK * _BLOCK
    with path.open("r+b") as file:
        file.seek(where)
        file.write(after)
        file.seek(0, 2)
        file.write(more)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A long session, indexed, whose prompt was edited and to which a line was added since."""
    workspace = Workspace(tmp_path / "claude", tmp_path / "unspool", at(60))
    files = Files(workspace)
    made = Transcript("s1").attachment("note", content="x" * 2_000).user("Prune the quince")
    for _ in range(30):
        made.says("y" * 5_000, usage={"input_tokens": 10, "output_tokens": 5})
    path = files.save(made)
    workspace.index()
    more = Transcript("s1", uuid_prefix="z").user("And then?").bytes()
    edited(path, b"Prune the quince", b"Graft the medlar", more)
    return workspace


def test_the_first_board_of_a_server_shows_an_edited_transcript_as_it_is(
    workspace: Workspace,
) -> None:
    with workspace.served() as site:
        (row,) = site.ask("/api/status").json()["rows"]

    assert row["session"]["goal"] == "Graft the medlar"


def test_the_first_page_of_a_server_shows_an_edited_transcript_as_it_is(
    workspace: Workspace,
) -> None:
    with workspace.served() as site:
        page = site.ask("/s/-repo/s1").text
        document = site.ask("/api/sessions/-repo/s1").json()

    assert "Graft the medlar" in page
    assert "Prune the quince" not in page
    assert document["session"]["goal"] == "Graft the medlar"


def test_a_page_after_the_board_shows_an_edited_transcript_as_it_is(workspace: Workspace) -> None:
    with workspace.served() as site:
        site.ask("/api/status")
        page = site.ask("/s/-repo/s1").text

    assert "Graft the medlar" in page
    assert "Prune the quince" not in page
