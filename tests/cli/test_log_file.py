import os
import stat
from pathlib import Path

import pytest

from unspool.cli import log_file
from unspool.cli.log_file import last_message, newest_log, open_log


def write(path: Path, text: str) -> None:
    log = open_log(path)
    os.write(log, text.encode())
    os.close(log)


def test_a_log_is_appended_to_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "x.log"
    write(path, "one\n")
    write(path, "two\n")

    assert path.read_text() == "one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_long_one_starts_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "_LONGEST", 3)
    write(tmp_path / "x.log", "one\n")
    write(tmp_path / "x.log", "two\n")

    assert (tmp_path / "x.log").read_text() == "two\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ""),
        (b"one\ntwo\n \n", "two"),
        (b"unspool: The disk is full.", "The disk is full."),
        (b"\x1b[31mred\xff\n", "red\ufffd"),
        (b"x" * 9_000, "x" * 500),
    ],
)
def test_the_last_message_is_its_last_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.log").write_bytes(content)

    assert last_message(tmp_path / "x.log") == message


def test_without_a_log_there_is_no_message(tmp_path: Path) -> None:
    assert last_message(tmp_path / "x.log") == ""
    assert newest_log(tmp_path) is None


def test_the_newest_of_both_logs_counts(tmp_path: Path) -> None:
    for number, name in enumerate(("daemon.log", "writer.log")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, ns=(number, number))
    assert newest_log(tmp_path) == tmp_path / "writer.log"

    os.utime(tmp_path / "daemon.log", ns=(5, 5))
    assert newest_log(tmp_path) == tmp_path / "daemon.log"
