import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.usage.scan.scans import root_with, usages_of
from unspool.demo import Transcript
from unspool.engine.usage.scan import cache
from unspool.engine.usage.scan.cache import NAME, ScannedUsage, Snapshot
from unspool.source.files import TRANSCRIPT_KINDS, scan_files, scan_folders
from unspool.source.roots import find_scope

LONG_AGO = 1_700_000_000


@pytest.fixture
def home(tmp_path: Path) -> str:
    """A home that is not there yet."""
    return str(tmp_path / "home")


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    """A root with a session and an agent of it."""
    path = tmp_path / "root"
    root_with(path, Transcript().says("a"))
    agents = path / "projects" / "-repo" / "s1" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a1.jsonl").write_bytes(Transcript().says("a").bytes())
    return path


def snapshot(root: Path) -> Snapshot:
    places = find_scope([str(root)], {}, "", "").places
    files = [
        (*file.state, file.project_id)
        for place in places
        for file in scan_files(place, TRANSCRIPT_KINDS)
    ]
    folders = cache.folder_times(path for place in places for path in scan_folders(place))
    return Snapshot(places, "p", (1, 2), folders, files, [], [(0, 3_600_000)])


def usages(root: Path) -> list[ScannedUsage]:
    """Of which one has rows, and a name that is no text."""
    made = root_with(root, Transcript().says("a").says("b"), Transcript().says("c", id="msg_9"))
    first, second = usages_of(made)
    rows = usages_of(made, None)[1].rows
    return [first, second._replace(path="/p/\udcff", rows=rows, mtime_ns=0)]


def test_what_is_written_is_read(tmp_path: Path, claude: Path, home: str) -> None:
    made = usages(tmp_path / "other")
    cache.write(home, snapshot(claude), "p", made)

    found = cache.read_snapshot(home)
    assert found is not None
    assert found.is_of(snapshot(claude).places, "p")
    assert found.stands((1, 2))
    assert found.clock == [(0, 3_600_000)]
    assert [one.plain() for one in cache.read_usages(home, "p").values()] == [
        (*one[:5], [list(sums) for sums in one.sums], *one.plain()[6:]) for one in made
    ]
    assert os.stat(os.path.join(home, NAME)).st_mode & 0o777 == 0o600


def test_of_other_prices_nothing_is_known(tmp_path: Path, claude: Path, home: str) -> None:
    cache.write(home, snapshot(claude), "p", usages(tmp_path / "other"))
    found = cache.read_snapshot(home)

    assert found is not None
    assert not found.is_of(found.places, "other")
    assert cache.read_usages(home, "other") == {}


def test_there_may_be_no_snapshot(tmp_path: Path, home: str) -> None:
    cache.write(home, None, "p", usages(tmp_path / "other"))

    assert cache.read_snapshot(home) is None
    assert len(cache.read_usages(home, "p")) == 2


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "zeros": lambda data: bytes(len(data)),
    "cut": lambda data: data[:-1],
    "longer": lambda data: data + b"x",
    "another version": lambda data: data.replace(b"cache 1", b"cache 2"),
    "a byte in each part": lambda data: bytes(
        byte ^ (at in (len(data) - 1, len(data) // 2, 70)) for at, byte in enumerate(data)
    ),
    "sizes that cannot be": lambda data: data[:21] + b"\xff" * 36 + data[57:],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_what_is_damaged_is_as_good_as_none(
    tmp_path: Path, claude: Path, home: str, damage: Callable[[bytes], bytes]
) -> None:
    cache.write(home, snapshot(claude), "p", usages(tmp_path / "other"))
    path = Path(home, NAME)
    path.write_bytes(damage(path.read_bytes()))

    assert cache.read_snapshot(home) is None
    assert cache.read_usages(home, "p") == {}


def test_too_much_is_not_written(
    tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 100)
    cache.write(home, None, "p", usages(tmp_path / "other"))

    assert not Path(home).exists()


def test_nothing_is_said_where_nothing_can_be_written(claude: Path, home: str) -> None:
    Path(home).touch()
    cache.write(home, snapshot(claude), "p", [])

    assert cache.read_snapshot(home) is None


def test_as_long_as_nothing_changes_it_stands(claude: Path) -> None:
    (claude / "projects" / "-repo" / "s1" / "tool-results").mkdir(parents=True)
    found = snapshot(claude)
    (claude / "projects" / "-repo" / "s1" / "tool-results" / "x.txt").touch()

    assert found.stands((1, 2))
    assert not found.stands((1, 3)), "the index has changed"


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
def test_whatever_changes_it_falls(claude: Path, change: Callable[[Path], object]) -> None:
    for folder in [*claude.rglob("*/")]:
        os.utime(folder, (LONG_AGO, LONG_AGO))
    found = snapshot(claude)
    change(claude)

    assert not found.stands((1, 2))


def test_directories_that_changed_just_now_may_change_again_unseen() -> None:
    now = LONG_AGO * 10**9

    assert not cache.are_settled([("a", 5), ("b", now - 10**9)], now)
    assert cache.are_settled([("a", 5), ("b", now - 3 * 10**9)], now)
