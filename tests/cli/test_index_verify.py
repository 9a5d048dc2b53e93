import json
import os
from pathlib import Path

import pytest

from tests.cli.made import root, sweep, talk
from tests.cli.runs import here

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path, capsys: Capsys) -> Path:
    here(capsys, "index", "build", "--root", root(tmp_path, talk(), talk("session-two", 2)))
    return tmp_path


def test_an_index_that_agrees_is_well(place: Path, capsys: Capsys) -> None:
    said = here(capsys, "index", "verify", "--root", place)

    assert said.code == 0
    assert said.out.startswith("✓ verify        Compared 2 files, ")


def test_an_edit_in_the_middle_of_a_file_is_found_and_taken_in(place: Path, capsys: Capsys) -> None:
    (path,) = place.glob("projects/*/session-one.jsonl")
    info = path.stat()
    path.write_bytes(path.read_bytes().replace(b"alpha thought", b"omega thought"))
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    said = here(capsys, "index", "verify", "--root", place, "--json")
    found = here(capsys, "search", "omega", "--root", place)

    assert "indexed again" in json.loads(said.out)["findings"][0]["said"]
    assert "omega thought" in found.out


def test_without_an_index_there_is_nothing_to_verify(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "index", "verify", "--root", root(tmp_path))

    assert (said.code, "unspool index build" in said.err) == (3, True)


def test_a_rebuilt_index_holds_what_is_gone_from_disk(
    place: Path, home: Path, capsys: Capsys
) -> None:
    sweep(place, "session-one")
    said = here(capsys, "index", "rebuild", "--root", place)

    assert said.out.startswith("Rebuilt the index: 10 lines, 2 sessions, ")
    assert "session-one" in here(capsys, "search", "thought", "--root", place).out


def test_a_damaged_index_is_rebuilt_and_the_old_one_kept(
    place: Path, home: Path, capsys: Capsys
) -> None:
    index = home / "unspool" / "index.db"
    index.write_bytes(b"no database at all" * 1_000)
    said = here(capsys, "index", "rebuild", "--root", place, "--json")

    assert json.loads(said.out) == {"lines": 10, "sessions": 2, "badLines": 0}
    assert (home / "unspool" / "corrupt-1" / "index.db").exists()
