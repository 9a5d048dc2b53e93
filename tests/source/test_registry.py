import os
import subprocess
import sys
from pathlib import Path

import pytest

from unspool.source.registry import entry as registry_file
from unspool.source.registry import is_alive, registry


def entry(root: Path, name: str, data: bytes = b"{}") -> None:
    (root / "sessions").mkdir(exist_ok=True)
    (root / "sessions" / name).write_bytes(data)


def ended_pid() -> int:
    ended = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    ended.wait()
    return ended.pid


def test_an_entry_comes_as_its_bytes_with_its_process(tmp_path: Path) -> None:
    entry(tmp_path, f"{os.getpid()}.json", b'{"half')

    (found,) = registry(tmp_path)

    assert (found.pid, found.data, found.alive) == (os.getpid(), b'{"half', True)


def test_an_entry_whose_process_ended_is_not_alive(tmp_path: Path) -> None:
    entry(tmp_path, f"{ended_pid()}.json")

    assert [found.alive for found in registry(tmp_path)] == [False]


@pytest.mark.parametrize("name", ["1234.key", "1234.json.key", "abc.json", "0.json", "-1.json"])
def test_a_key_or_a_name_without_a_process_is_never_opened(tmp_path: Path, name: str) -> None:
    entry(tmp_path, name)

    assert registry(tmp_path) == []


def test_a_link_in_the_registry_is_not_followed(tmp_path: Path) -> None:
    entry(tmp_path, "real.json")
    (tmp_path / "sessions" / "12.json").symlink_to(tmp_path / "sessions" / "real.json")

    assert registry(tmp_path) == []


def test_a_root_without_a_registry_has_no_entries(tmp_path: Path) -> None:
    assert registry(tmp_path) == []


def test_the_first_process_lives_whoever_owns_it() -> None:
    assert is_alive(1)


def test_a_number_no_process_can_have_is_not_alive() -> None:
    assert not is_alive(1 << 70)


def test_one_entry_is_read_by_its_path(tmp_path: Path) -> None:
    entry(tmp_path, f"{os.getpid()}.json", b"{}")
    found = registry_file(tmp_path / "sessions" / f"{os.getpid()}.json")

    assert found is not None
    assert (found.pid, found.alive) == (os.getpid(), True)


@pytest.mark.parametrize("name", ["12.json", "12.key", "x.json"])
def test_what_is_no_entry_is_none(tmp_path: Path, name: str) -> None:
    entry(tmp_path, "12.key")

    assert registry_file(tmp_path / "sessions" / name) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_process_born_after_its_file_was_written_has_only_the_number(tmp_path: Path) -> None:
    entry(tmp_path, f"{os.getpid()}.json")
    path = tmp_path / "sessions" / f"{os.getpid()}.json"
    os.utime(path, (1_600_000_000, 1_600_000_000))

    assert [found.alive for found in registry(tmp_path)] == [False]
