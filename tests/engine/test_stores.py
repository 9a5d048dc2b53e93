import os
from pathlib import Path

import pytest

from tests.cli.made import root, sweep
from tests.cli.runs import here
from tests.waiting import has_open
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.errors import NotFound
from unspool.redact import Redactor

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


def test_previews_are_redacted_before_they_are_cut(tmp_path: Path, capsys: Capsys) -> None:
    password = "x7" * 20
    for before in range(420, 500, 7):  # what tells of the password is beyond 500 characters
        said = f"{'word ' * 100}"[:before] + f" postgres://app:{password}@db.example.org/x"
        Transcript(session=f"s{before}").user(said).save(tmp_path)
    here(capsys, "index", "build", "--root", tmp_path)
    stores = open_stores([str(tmp_path)])
    with stores.asking() as whole, stores.asking(Redactor()) as cleaned:
        cut, clean = (
            [preview for (preview,) in store.sql("SELECT preview FROM lines")[1]]
            for store in (whole, cleaned)
        )

    assert sum(password[:8] in preview for preview in cut) > 3
    assert [preview for preview in clean if password[:4] in preview] == []
    assert all(400 < len(preview) <= 500 for preview in clean)


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
