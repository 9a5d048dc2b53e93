"""Paths of other machines are told from ours, and nothing is found or opened there."""

import os
from pathlib import Path

import pytest

from unspool.errors import ConfigError, NotFound
from unspool.remote_paths import is_remote, machine_of, path_there, remote_path
from unspool.source.files import is_gone, projects, scan_files, stat_file
from unspool.source.roots import remote_root
from unspool.source.safe_open import OpenFile, allowed_roots, read_whole
from unspool.source.session_files import session_files, written_at
from unspool.source.sidecars import registry


@pytest.mark.parametrize(
    "path", ["/home/dev/.claude", "/a:b/c", r"C:\Users\dev", "c:/Users", "", "x"]
)
def test_our_own_paths_are_not_remote(path: str) -> None:
    assert (is_remote(path), machine_of(path), path_there(path)) == (False, "", path)


@pytest.mark.parametrize("path", ["/home/dev/.claude", r"C:\Users\dev\.claude"])
def test_a_path_of_a_machine_leads_back_to_both(path: str) -> None:
    there = remote_path("laptop", path)

    assert (is_remote(there), machine_of(there), path_there(there)) == (True, "laptop", path)


def test_roots_of_a_machine_have_prefixes_of_their_own() -> None:
    first, second = remote_root("laptop", "/a"), remote_root("laptop", "/b", 2)

    assert (first.path, first.projects, first.prefix) == (
        "laptop:/a",
        os.path.join("laptop:/a", "projects"),
        "laptop~",
    )
    assert second.prefix == "laptop~r2~"


def test_a_drive_is_no_name_of_a_machine() -> None:
    with pytest.raises(ConfigError):
        remote_root("c", "/home")


def test_nothing_is_found_at_such_a_path_even_where_there_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = "laptop:/home/projects/-repo/s1.jsonl"
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text("{}\n")
    Path("laptop:/home/sessions").mkdir()
    Path("laptop:/home/sessions/1.json").write_text("{}")
    root = remote_root("laptop", "/home")

    assert (stat_file(path), is_gone(path), read_whole(path, 100)) == (None, True, None)
    assert (written_at(os.path.dirname(path)), registry(root.path)) == (0, [])
    assert [*projects(root), *scan_files(root)] == []
    assert session_files(root, os.path.dirname(path), "s1").main is None
    with pytest.raises(NotFound):
        OpenFile(path)
    with pytest.raises(FileNotFoundError):
        list(allowed_roots.scan(os.path.dirname(path)))
