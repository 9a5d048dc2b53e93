import os
from pathlib import Path

import pytest

from tests.cli.made import root, sweep
from tests.cli.runs import here
from tests.waiting import has_open
from unspool.cli.config import open_stores
from unspool.errors import NotFound

Capsys = pytest.CaptureFixture[str]


def test_an_index_is_there_once_it_is_built(tmp_path: Path, capsys: Capsys) -> None:
    assert not open_stores().is_there()
    with pytest.raises(NotFound, match="unspool index build"):
        open_stores().require()
    here(capsys, "index", "build", "--root", root(tmp_path))

    assert open_stores().is_there()


def test_views_can_show_the_text_of_lines(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    with open_stores().asking() as store:
        _, rows = store.sql("SELECT preview FROM lines ORDER BY line_number LIMIT 1")

    assert rows == [("alpha prompt of session-one",)]


def test_an_index_is_closed_when_it_was_read(tmp_path: Path, home: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    with open_stores().reading() as (store, _):
        assert store.head() > 0
        assert has_open(os.getpid(), f"{home.name}/unspool/index.db")

    assert not has_open(os.getpid(), f"{home.name}/unspool/index.db")


def test_swept_sessions_are_recalled(tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    sweep(tmp_path, "session-one")
    said = here(capsys, "show", "session-one", "--root", tmp_path)

    assert (said.code, "alpha answer" in said.out) == (0, True)


def test_a_damaged_index_does_not_keep_files_from_being_read(
    tmp_path: Path, home: Path, capsys: Capsys
) -> None:
    here(capsys, "index", "build", "--root", root(tmp_path))
    (home / "unspool" / "index.db").write_bytes(b"no database at all" * 1_000)
    said = here(capsys, "show", "session-one", "--root", tmp_path)

    assert (said.code, "alpha answer" in said.out) == (0, True)
