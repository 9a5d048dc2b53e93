import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.costs.spending import talk
from unspool.cli.costs import seen
from unspool.cli.costs.seen import Seen
from unspool.source.files import TRANSCRIPT_KINDS, scan_files
from unspool.source.roots import find_scope

LONG_AGO = 1_700_000_000


@pytest.fixture
def home(tmp_path: Path) -> str:
    """A home with something that stands for a ledger."""
    path = tmp_path / "home"
    path.mkdir()
    (path / "index.db").write_bytes(b"a ledger")
    return str(path)


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    """A root with a session and an agent of it."""
    path = tmp_path / "root"
    talk().save(path)
    agents = path / "projects" / "-repo" / "s1" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a1.jsonl").write_bytes(talk("s1").bytes())
    return path


def saw(root: Path, home: str) -> Seen:
    found = find_scope([str(root)], {}, "", "").places
    files = [file.state for place in found for file in scan_files(place, TRANSCRIPT_KINDS)]
    return Seen(found, "p", seen.ledger_state(home), seen.folders(found), files, [], [])


def test_what_is_written_is_read(claude: Path, home: str) -> None:
    seen.write(home, saw(claude, home))

    assert seen.read(home) == saw(claude, home)
    assert os.stat(os.path.join(home, "cost.seen")).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"\0\0\0\0", b"no such thing", bytes(1_000)])
def test_what_is_damaged_is_not(home: str, data: bytes) -> None:
    Path(home, "cost.seen").write_bytes(data)

    assert seen.read(home) is None


def test_nothing_is_said_where_nothing_can_be_written(claude: Path, home: str) -> None:
    found = saw(claude, home)
    seen.write(os.path.join(home, "missing"), found)

    assert seen.read(os.path.join(home, "missing")) is None


def test_as_long_as_nothing_changes_it_stands(claude: Path, home: str) -> None:
    (claude / "projects" / "-repo" / "s1" / "tool-results").mkdir(parents=True)
    found = saw(claude, home)
    (claude / "projects" / "-repo" / "s1" / "tool-results" / "x.txt").touch()

    assert seen.stands(found, home)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file grew": lambda root: next(root.rglob("s1.jsonl")).write_bytes(b"\n"),
    "a file was touched": lambda root: os.utime(next(root.rglob("agent-*")), (1, 1)),
    "a file is gone": lambda root: next(root.rglob("s1.jsonl")).unlink(),
    "a file came": lambda root: next(root.rglob("s1.jsonl")).with_name("s2.jsonl").touch(),
    "a project came": lambda root: (root / "projects" / "-new").mkdir(),
    "an agent came": lambda root: next(root.rglob("agent-*")).with_name("agent-b.jsonl").touch(),
    "a workflow came": lambda root: (next(root.rglob("subagents")) / "workflows").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_whatever_changes_it_falls(
    claude: Path, home: str, change: Callable[[Path], object]
) -> None:
    for folder in [*claude.rglob("*/")]:
        os.utime(folder, (LONG_AGO, LONG_AGO))
    found = saw(claude, home)
    change(claude)

    assert not seen.stands(found, home)


@pytest.mark.parametrize("name", ["index.db", "index.db-wal"])
def test_a_ledger_that_was_written_to_is_another(claude: Path, home: str, name: str) -> None:
    found = saw(claude, home)
    Path(home, name).write_bytes(b"another ledger")

    assert not seen.stands(found, home)


def test_a_log_that_holds_nothing_is_none(claude: Path, home: str) -> None:
    found = saw(claude, home)
    Path(home, "index.db-wal").touch()

    assert seen.stands(found, home)


def test_directories_that_changed_just_now_may_change_again_unseen(claude: Path) -> None:
    found = find_scope([str(claude)], {}, "", "").places
    fresh = seen.folders(found)
    for folder, _ in fresh:
        os.utime(folder, (LONG_AGO, LONG_AGO))

    assert not seen.are_settled(fresh)
    assert seen.are_settled(seen.folders(found))
