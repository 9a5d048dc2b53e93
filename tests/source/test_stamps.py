import os
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES
from tests.source.test_layout import put, root_at
from unspool.demo import generate
from unspool.source.layout import discover
from unspool.source.stamps import stamps


def stamped(path: Path) -> list[tuple[str, tuple[int, int, int]]]:
    return sorted((path, (*found,)) for path, found in stamps(root_at(path)))


def discovered(path: Path) -> list[tuple[str, tuple[int, int, int]]]:
    files = discover(root_at(path))
    return sorted((file.path, (file.size, file.inode, file.mtime_ns)) for file in files)


def test_each_file_of_a_generated_root_stands_as_it_is_discovered(tmp_path: Path) -> None:
    generate(tmp_path / "root", mb=2, seed=4, prices=PRICES)

    assert len(stamped(tmp_path / "root")) > 50
    assert stamped(tmp_path / "root") == discovered(tmp_path / "root")


@pytest.mark.parametrize(
    "place",
    [
        "projects/-repo/s1.jsonl",
        "projects/-repo/s1/subagents/agent-a1.jsonl",
        "projects/-repo/s1/subagents/deep/er/agent-a1.jsonl",
        "projects/-repo/s1/subagents/workflows/wf_1/agent-a2.jsonl",
        "projects/-repo/s1/subagents/workflows/wf_1/journal.jsonl",
        "projects/-repo/s1/subagents/workflows/journal.jsonl",
        "projects/-repo/agent-old.jsonl",
        "hooks/-repo/s1.hooks.jsonl",
    ],
)
def test_what_is_discovered_is_looked_at(tmp_path: Path, place: str) -> None:
    path = put(tmp_path / place)

    assert [found for found, _ in stamped(tmp_path)] == [str(path)]
    assert stamped(tmp_path) == discovered(tmp_path)


@pytest.mark.parametrize(
    "place",
    [
        "projects/-repo/notes.txt",
        "projects/-repo/.jsonl",
        "projects/-repo/agent-.jsonl",
        "projects/-repo/s1/stray.jsonl",
        "projects/-repo/s1/subagents/notes.jsonl",
        "projects/-repo/s1/subagents/journal.jsonl",
        "projects/-repo/s1/subagents/workflowsx/journal.jsonl",
        "projects/-repo/s1.jsonl.orphaned.jsonl",
        "projects/-repo.superseded/s1.jsonl",
        "projects/stray.jsonl",
        "projects/-repo/s1.jsonl/inside.jsonl",
        "hooks/s1.hooks.jsonl",
        "hooks/-repo/s1.jsonl",
        "hooks/-repo/deep/s1.hooks.jsonl",
    ],
)
def test_what_is_not_discovered_is_not(tmp_path: Path, place: str) -> None:
    put(tmp_path / place)

    assert stamped(tmp_path) == [] == discovered(tmp_path)


def test_links_pipes_and_names_that_are_not_utf_8_are_left_alone(tmp_path: Path) -> None:
    project = put(tmp_path / "projects" / "-repo" / "s1.jsonl").parent
    (project / "s2.jsonl").symlink_to(project / "s1.jsonl")
    (project.parent / "-other").symlink_to(project)
    (project / os.fsdecode(b"\xff.jsonl")).touch()
    os.mkfifo(project / "s3.jsonl")

    assert [Path(path).name for path, _ in stamped(tmp_path)] == ["s1.jsonl"]
    assert stamped(tmp_path) == discovered(tmp_path)
