import os
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES
from tests.source.test_layout import put, root_at
from unspool.demo import generate
from unspool.source.layout import discover
from unspool.source.sweep import sweep


def discovered(path: Path) -> list[tuple[str, int, int]]:
    """What the index would read of it, hook logs and journals left out."""
    files = (file for file in discover(root_at(path)) if file.kind not in ("journal", "hook_log"))
    return sorted((file.path, file.size, file.mtime_ns) for file in files)


def swept(path: Path) -> list[tuple[str, int, int]]:
    return sorted(sweep(str(path / "projects")))


def test_a_sweep_finds_the_files_of_a_generated_root_that_an_index_finds(tmp_path: Path) -> None:
    generate(tmp_path / "root", mb=2, seed=4, prices=PRICES)

    assert len(swept(tmp_path / "root")) > 50
    assert swept(tmp_path / "root") == discovered(tmp_path / "root")


def test_a_file_is_told_by_its_path_size_and_time(tmp_path: Path) -> None:
    path = put(tmp_path / "projects" / "-repo" / "s1.jsonl", b"12345")

    assert swept(tmp_path) == [(str(path), 5, path.stat().st_mtime_ns)]


@pytest.mark.parametrize(
    "place",
    [
        "-repo/s1/subagents/agent-a1.jsonl",
        "-repo/s1/subagents/workflows/wf_1/agent-a2.jsonl",
        "-repo/agent-old.jsonl",
    ],
)
def test_agents_are_found_in_every_layout(tmp_path: Path, place: str) -> None:
    path = put(tmp_path / "projects" / place)

    assert [found for found, _, _ in swept(tmp_path)] == [str(path)]
    assert swept(tmp_path) == discovered(tmp_path)


@pytest.mark.parametrize(
    "place",
    [
        "-repo/notes.txt",
        "-repo/.jsonl",
        "-repo/agent-.jsonl",
        "-repo/s1/stray.jsonl",
        "-repo/s1/subagents/notes.jsonl",
        "-repo/s1/subagents/workflows/wf_1/journal.jsonl",
        "-repo/s1.jsonl.orphaned.jsonl",
        "-repo.superseded/s1.jsonl",
        "stray.jsonl",
        "-repo/s1.jsonl/inside.jsonl",
    ],
)
def test_what_is_no_transcript_is_left_alone(tmp_path: Path, place: str) -> None:
    put(tmp_path / "projects" / place)

    assert swept(tmp_path) == [] == discovered(tmp_path)


def test_links_and_pipes_are_left_alone(tmp_path: Path) -> None:
    project = put(tmp_path / "projects" / "-repo" / "s1.jsonl").parent
    (project / "s2.jsonl").symlink_to(project / "s1.jsonl")
    (project.parent / "-other").symlink_to(project)
    os.mkfifo(project / "s3.jsonl")

    assert [Path(path).name for path, _, _ in swept(tmp_path)] == ["s1.jsonl"]
    assert swept(tmp_path) == discovered(tmp_path)


def test_a_name_that_is_not_utf_8_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "s1.jsonl")
    (tmp_path / "projects" / "-repo" / os.fsdecode(b"\xff.jsonl")).touch()

    assert swept(tmp_path) == discovered(tmp_path)


@pytest.mark.parametrize(("session", "count"), [(b"s1", 1), (b"s2", 2)])
def test_an_agent_in_both_layouts_of_one_session_comes_once(
    tmp_path: Path, session: bytes, count: int
) -> None:
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a1.jsonl")
    put(tmp_path / "projects" / "-repo" / "agent-a1.jsonl", b'{"sessionId":"%s"}\n' % session)

    assert len(swept(tmp_path)) == count
    assert swept(tmp_path) == discovered(tmp_path)


def test_one_project_can_be_swept_alone(tmp_path: Path) -> None:
    for name in ("-one", "-two"):
        put(tmp_path / "projects" / name / "s1.jsonl")
    found = [path for path, _, _ in sweep(str(tmp_path / "projects"), "-two")]

    assert found == [str(tmp_path / "projects" / "-two" / "s1.jsonl")]


def test_where_nothing_is_nothing_is_found(tmp_path: Path) -> None:
    assert swept(tmp_path / "nowhere") == []


def test_each_file_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "projects" / "-repo" / "s1.jsonl")
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a1.jsonl")
    looks: list[str] = []
    monkeypatch.setattr(os, "scandir", _counting(os.scandir, looks))

    assert len(swept(tmp_path)) == len(looks) == 2


def _counting(scandir: object, looks: list[str]) -> object:
    """A scandir whose entries say when they are asked for their size."""

    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self._entry = entry
            self.name, self.path, self.is_dir = entry.name, entry.path, entry.is_dir

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            looks.append(self.path)
            return self._entry.stat(follow_symlinks=follow_symlinks)

    class Listing:
        def __init__(self, path: str) -> None:
            self._path = path

        def __enter__(self) -> list[Entry]:
            with scandir(self._path) as found:  # type: ignore[operator]
                return [Entry(entry) for entry in found]

        def __exit__(self, *_: object) -> None:
            pass

    return Listing
