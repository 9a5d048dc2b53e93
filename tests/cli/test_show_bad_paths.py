"""Whatever is named: one clear sentence and the right exit code, never a traceback."""

import os
from pathlib import Path

import pytest

from tests.cli.runs import here, process
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]


def is_one_sentence(said: str) -> bool:
    return said.startswith("unspool: ") and said.count("\n") == 1 and said.endswith(".\n")


def test_a_path_that_is_not_there_is_not_found(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "show", tmp_path / "none.jsonl")

    assert said.code == 3
    assert is_one_sentence(said.err)


def test_an_id_that_is_not_there_is_not_found(capsys: Capsys) -> None:
    said = here(capsys, "show", "0000-none")

    assert said.code == 3
    assert is_one_sentence(said.err)


def test_latest_of_nothing_is_not_found(capsys: Capsys) -> None:
    assert here(capsys, "show", "latest").code == 3


@pytest.mark.parametrize("option", ["--json", "--turns", "--lines"])
def test_an_empty_file_is_called_empty(tmp_path: Path, capsys: Capsys, option: str) -> None:
    (tmp_path / "empty.jsonl").touch()
    said = here(capsys, "show", tmp_path / "empty.jsonl", option)

    assert said.code == 1
    assert "is empty" in said.err
    assert is_one_sentence(said.err)


def test_a_directory_is_no_session(tmp_path: Path, capsys: Capsys) -> None:
    said = here(capsys, "show", tmp_path)

    assert said.code == 1
    assert is_one_sentence(said.err)


def test_a_binary_file_is_no_transcript(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "a.jsonl").write_bytes(bytes(range(256)) * 40)
    said = here(capsys, "show", tmp_path / "a.jsonl")

    assert said.code == 1
    assert "is not a transcript" in said.err
    assert is_one_sentence(said.err)


def test_the_lines_of_a_binary_file_can_be_looked_at(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "a.jsonl").write_bytes(bytes(range(256)) * 40)
    said = here(capsys, "show", tmp_path / "a.jsonl", "--lines")

    assert said.code == 0
    assert "bad" in said.out


def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    said = process("show", tmp_path / "pipe.jsonl")

    assert said.code == 1
    assert is_one_sentence(said.err)


def test_a_path_below_a_file_is_not_found(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "file").touch()

    assert here(capsys, "show", tmp_path / "file" / "x.jsonl").code == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_file_nobody_may_read_is_told(tmp_path: Path, capsys: Capsys) -> None:
    path = Transcript(session="s").user("x").write(tmp_path / "s.jsonl")
    path.chmod(0)
    said = here(capsys, "show", path)

    assert said.code == 1
    assert is_one_sentence(said.err)


def test_a_name_with_a_zero_byte_is_not_found(capsys: Capsys) -> None:
    said = here(capsys, "show", "a\0b/c.jsonl")

    assert said.code in (1, 3)
    assert is_one_sentence(said.err)
