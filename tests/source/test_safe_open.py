import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from unspool.errors import NotFound, SourceError, UnspoolError
from unspool.source import sidecars
from unspool.source.files import scan_files
from unspool.source.roots import find_roots
from unspool.source.safe_open import AllowedRoots, OpenFile, read_at, read_whole
from unspool.source.session_files import find_session, transcript_files
from unspool.source.statusline import recent_files
from unspool.system import files as system_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for place, said in (("root/projects/-p", b"ours"), ("elsewhere", b"foreign")):
        (tmp_path / place / "s1/tool-results").mkdir(parents=True)
        (tmp_path / place / "s1.jsonl").write_bytes(said)
        (tmp_path / place / "s1/tool-results/t.txt").write_bytes(said)
    find_roots([tmp_path / "root"], {}, tmp_path)
    return tmp_path / "root"


@contextmanager
def swapping(project: Path) -> Iterator[None]:
    """A project directory that is a link to another place half of the time."""
    over, aside, link = Event(), project.with_name("-aside"), project.with_name("-link")
    link.symlink_to(project.parents[2] / "elsewhere")

    def swap() -> None:
        while not over.is_set():
            os.rename(project, aside)
            os.rename(link, project)
            os.rename(project, link)
            os.rename(aside, project)

    thread = Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def found(root: Path, path: str) -> bytes:
    """What reading gives by way of a name, as `show` and the server's list come to it."""
    try:
        file = find_session(find_roots([root], {}, root), path)
        return read_at(file.path, 0, 99)
    except UnspoolError:
        return b""


@pytest.mark.parametrize("tries", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_project_swapped_for_a_link_never_leads_elsewhere(root: Path, tries: int) -> None:
    project = root / "projects/-p"
    path, said = str(project / "s1.jsonl"), set()
    with swapping(project):
        for _ in range(tries):
            said |= {found(root, path), read_whole(path, 99)}
            said.add(sidecars.read_output(project / "s1", "t.txt"))

    assert said == {b"ours", b"", None}


def names(root: Path) -> Iterator[str]:
    """Names of all that any listing finds."""
    (one,) = find_roots([root], {}, root)
    yield from (os.path.basename(file.path) for file in transcript_files(one))
    yield from (os.path.basename(file.path) for file in scan_files(one, with_sessions=False))
    yield from (os.path.basename(file.path) for file in recent_files(one.projects, "", 0))


@pytest.mark.parametrize("tries", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_nothing_that_lies_elsewhere_is_listed_while_directories_are_swapped(
    root: Path, tries: int
) -> None:
    found: set[str] = set()
    for place in (root / "projects/-p", root.parent / "elsewhere"):
        agents = place / "s1/subagents"
        agents.mkdir()
        (agents / f"agent-{place.name.strip('-')}.jsonl").touch()
        (place / f"{place.name.strip('-')}.jsonl").touch()
    with swapping(root / "projects/-p"):
        for _ in range(tries):
            found |= set(names(root))

    assert found == {"s1.jsonl", "p.jsonl", "agent-p.jsonl"}


def test_a_caller_with_its_own_allowed_roots_keeps_to_them(root: Path) -> None:
    (root.parent / "link").symlink_to(root.parent / "elsewhere")
    mine = AllowedRoots()
    mine.add(str(root), str(root.parent))
    path = root.parent / "link/s1.jsonl"

    assert read_whole(path, 99) == b"foreign"
    with pytest.raises(SourceError):
        OpenFile(path, allowed=mine)


def test_a_link_among_the_directories_is_not_followed(root: Path) -> None:
    (root / "projects/-link").symlink_to(root.parent / "elsewhere")

    assert read_whole(root / "projects/-link/s1.jsonl", 99) is None


def test_the_way_up_is_no_way_out(root: Path) -> None:
    assert read_whole(f"{root}/projects/-p/../../../elsewhere/s1.jsonl", 99) is None


@pytest.mark.parametrize("link", ["link", "link/projects", "link/projects/-p"])
def test_a_root_may_itself_be_a_link(root: Path, tmp_path: Path, link: str) -> None:
    named = tmp_path / link
    named.parent.mkdir(parents=True, exist_ok=True)
    named.symlink_to(root / os.path.relpath(named, tmp_path / "link"))
    (one,) = find_roots([named], {}, tmp_path)

    assert [read_whole(file.path, 99) for file in transcript_files(one)] == [b"ours"]


def test_where_directories_cannot_be_stepped_through_files_are_read_all_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_CAN_STEP", "_CAN_LIST", "_NO_LINK", "_NO_WAIT"):
        monkeypatch.setattr(system_files, name, 0)

    assert read_whole(root / "projects/-p/s1.jsonl", 99) == b"ours"


def test_a_path_outside_every_allowed_root_may_be_reached_through_links(root: Path) -> None:
    (root.parent / "link").symlink_to(root.parent / "elsewhere")

    assert read_whole(root.parent / "link/s1.jsonl", 99) == b"foreign"


def test_no_file_is_left_open(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    read_whole(root / "projects/-p/s1.jsonl", 99)
    read_whole(root / "projects/no/s1.jsonl", 99)
    list(names(root))

    assert len(os.listdir("/dev/fd")) == before


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"0123456789")
    return path


def test_bytes_come_from_the_place_asked_for(file: Path) -> None:
    assert read_at(file, 3, 4) == b"3456"


def test_a_place_beyond_the_end_gives_what_there_is(file: Path) -> None:
    assert (read_at(file, 8, 10), read_at(file, 50, 10)) == (b"89", b"")


def test_one_open_file_outlives_its_name(file: Path) -> None:
    with OpenFile(file) as lines:
        os.unlink(file)

        assert lines.read(0, 3) == b"012"


def test_a_file_that_is_not_there_is_said_to_be_gone(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        read_at(tmp_path / "no.jsonl", 0, 1)


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")

    with pytest.raises(SourceError, match="not a regular file"):
        read_at(tmp_path / "pipe.jsonl", 0, 1)


def test_what_is_refused_leaves_no_file_open(tmp_path: Path) -> None:
    def next_number() -> int:
        number = os.open(os.devnull, os.O_RDONLY)
        os.close(number)
        return number

    before = next_number()
    with pytest.raises(SourceError):
        OpenFile(str(tmp_path))

    assert next_number() == before


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a regular file"):
        OpenFile(tmp_path)


def test_a_symbolic_link_is_not_followed(file: Path) -> None:
    link = file.with_name("link.jsonl")
    link.symlink_to(file)

    with pytest.raises(SourceError, match="Cannot read"):
        OpenFile(link)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.jsonl")

        with pytest.raises(SourceError):
            OpenFile("s.jsonl")


def test_a_path_below_a_file_cannot_be_read_and_says_why(file: Path) -> None:
    with pytest.raises(SourceError, match=r"Not a directory.*Check"):
        read_at(file / "below.jsonl", 0, 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_closed_to_us_says_what_to_check(file: Path) -> None:
    file.chmod(0)

    with pytest.raises(SourceError, match=r"Permission denied.*permissions"):
        read_at(file, 0, 1)


def test_a_name_no_file_can_have_is_refused() -> None:
    with pytest.raises(SourceError, match="null"):
        OpenFile("a\0b")


def test_a_place_no_file_has_is_refused(file: Path) -> None:
    with pytest.raises(SourceError, match="Invalid argument"):
        read_at(file, -1, 1)


def test_a_small_file_is_read_whole_up_to_the_limit(file: Path) -> None:
    assert (read_whole(file, 10), read_whole(file, 9)) == (b"0123456789", None)


def test_a_small_file_that_is_no_file_gives_nothing(tmp_path: Path) -> None:
    assert (read_whole(tmp_path, 9), read_whole(tmp_path / "no", 9)) == (None, None)
