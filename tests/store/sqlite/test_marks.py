import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import SOURCE
from unspool.errors import SchemaTooNew, StoreError
from unspool.model.api import Marks, MarksUpdate
from unspool.store.sqlite.marks import MarkStore

OLD = {"marks": [{"projectId": "p", "sessionId": "s1", "pinned": True, "title": "mine"}]}


def mark(**given: object) -> Marks:
    return Marks(project_id="p", session_id="s1", **given)  # type: ignore[arg-type]


def test_without_any_there_is_no_file(tmp_path: Path) -> None:
    store = MarkStore(tmp_path)

    assert (store.all(), store.of("p", "s1"), store.stamp()) == ({}, mark(), None)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_given_stays(tmp_path: Path) -> None:
    store = MarkStore(tmp_path)
    store.change("p", "s1", MarksUpdate(title="mine"))
    store.change("p", "s1", MarksUpdate(pinned=True))

    assert store.of("p", "s1") == mark(pinned=True, title="mine")


def test_a_mark_that_says_nothing_is_dropped(tmp_path: Path) -> None:
    store = MarkStore(tmp_path)
    store.change("p", "s1", MarksUpdate(title="mine", hidden=True))
    store.change("p", "s1", MarksUpdate(title="", hidden=False))

    assert store.all() == {}


def test_a_change_of_another_process_is_seen_at_once(tmp_path: Path) -> None:
    one, other = MarkStore(tmp_path), MarkStore(tmp_path)
    for number in range(20):  # of the same length, within one tick of the clock
        other.change("p", "s1", MarksUpdate(title=f"{number:02d}"))
        stamp = one.stamp()

        assert one.of("p", "s1").title == f"{number:02d}"
        assert other.stamp() == stamp


def test_marks_of_many_processes_are_all_kept(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from unspool.model.api import MarksUpdate\n"
        "from unspool.store.sqlite.marks import MarkStore\n"
        "store = MarkStore(Path(sys.argv[1]))\n"
        "for n in range(10):\n"
        "    store.change('p', f'{sys.argv[2]}-{n}', MarksUpdate(pinned=True))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    running = [subprocess.Popen([*command, str(number)], env=env) for number in range(4)]

    assert [one.wait() for one in running] == [0] * 4
    assert len(MarkStore(tmp_path).all()) == 40


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    MarkStore(tmp_path).change("p", "s1", MarksUpdate(pinned=True))

    assert (tmp_path / "state.db").stat().st_mode & 0o777 == 0o600


def test_marks_of_0_1_are_taken_over_once(tmp_path: Path) -> None:
    (tmp_path / "marks.json").write_text(json.dumps(OLD))
    store = MarkStore(tmp_path)

    assert store.all() == {("p", "s1"): mark(pinned=True, title="mine")}
    assert not (tmp_path / "marks.json").exists()
    assert json.loads((tmp_path / "marks.json.imported").read_text()) == OLD
    store.change("p", "s1", MarksUpdate(title="newer"))
    assert MarkStore(tmp_path).of("p", "s1").title == "newer"


def test_what_was_decided_since_wins_over_the_old_file(tmp_path: Path) -> None:
    MarkStore(tmp_path).change("p", "s1", MarksUpdate(title="newer"))
    (tmp_path / "marks.json").write_text(json.dumps(OLD))

    assert MarkStore(tmp_path).of("p", "s1").title == "newer"


def test_an_old_file_that_is_broken_is_put_aside_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "marks.json").write_text("{")

    assert MarkStore(tmp_path).all() == {}
    assert (tmp_path / "marks.json.imported").read_text() == "{"


def test_a_newer_file_is_not_written(tmp_path: Path) -> None:
    store = MarkStore(tmp_path)
    with store._writing() as connection:
        connection.execute("PRAGMA user_version = 9")

    with pytest.raises(SchemaTooNew, match="version 9"):
        store.change("p", "s1", MarksUpdate(pinned=True))


def test_a_damaged_file_hides_no_session_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no database at all" * 1_000)
    store = MarkStore(tmp_path)

    assert store.all() == {}
    with pytest.raises(StoreError, match="move it away"):
        store.change("p", "s1", MarksUpdate(pinned=True))


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "state.db").mkdir()

    with pytest.raises(StoreError, match=r"state\.db"):
        MarkStore(tmp_path).change("p", "s1", MarksUpdate(pinned=True))


def test_of_an_erased_mark_no_byte_is_left(tmp_path: Path) -> None:
    store = MarkStore(tmp_path)
    for n in range(50):
        store.change("p", f"s{n}", MarksUpdate(title=f"secret title {n} " * 20))
    (tmp_path / "marks.json.imported").write_text("secret title")
    store.erase([("p", f"s{n}") for n in range(50)])

    assert store.all() == {}
    assert not any(b"secret title" in path.read_bytes() for path in tmp_path.iterdir())


def test_where_there_is_no_mark_there_is_nothing_to_erase(tmp_path: Path) -> None:
    MarkStore(tmp_path).erase([("p", "s1")])

    assert list(tmp_path.iterdir()) == []
