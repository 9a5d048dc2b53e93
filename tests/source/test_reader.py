import os
import socket
from pathlib import Path

import pytest

from unspool.errors import NotFound, SourceError
from unspool.source.reader import FileLines, read_at, read_whole


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
    with FileLines(file) as lines:
        os.unlink(file)

        assert lines.read(0, 3) == b"012"


def test_a_file_that_is_not_there_is_said_to_be_gone(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is gone"):
        read_at(tmp_path / "no.jsonl", 0, 1)


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")

    with pytest.raises(SourceError, match="not a regular file"):
        read_at(tmp_path / "pipe.jsonl", 0, 1)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a regular file"):
        FileLines(tmp_path)


def test_a_symbolic_link_is_not_followed(file: Path) -> None:
    link = file.with_name("link.jsonl")
    link.symlink_to(file)

    with pytest.raises(SourceError, match="Cannot read"):
        FileLines(link)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.jsonl")

        with pytest.raises(SourceError):
            FileLines("s.jsonl")


def test_a_path_below_a_file_cannot_be_read_and_says_why(file: Path) -> None:
    with pytest.raises(SourceError, match=r"Not a directory.*Check"):
        read_at(file / "below.jsonl", 0, 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_closed_to_us_says_what_to_check(file: Path) -> None:
    file.chmod(0)

    with pytest.raises(SourceError, match=r"Permission denied.*who may read it"):
        read_at(file, 0, 1)


def test_a_name_no_file_can_have_is_refused() -> None:
    with pytest.raises(SourceError, match="null"):
        FileLines("a\0b")


def test_a_place_no_file_has_is_refused(file: Path) -> None:
    with pytest.raises(SourceError, match="Invalid argument"):
        read_at(file, -1, 1)


def test_a_small_file_is_read_whole_up_to_the_limit(file: Path) -> None:
    assert (read_whole(file, 10), read_whole(file, 9)) == (b"0123456789", None)


def test_a_small_file_that_is_no_file_gives_nothing(tmp_path: Path) -> None:
    assert (read_whole(tmp_path, 9), read_whole(tmp_path / "no", 9)) == (None, None)
