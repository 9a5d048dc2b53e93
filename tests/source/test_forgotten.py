"""Tombstones: what they say, which files they hide, and how much of them is obeyed."""

import json
import os
from pathlib import Path

import pytest

from unspool.errors import NotFound
from unspool.model.files import Root
from unspool.source import forgotten
from unspool.source.files import TRANSCRIPT_KINDS, file_at, scan_files
from unspool.source.forgotten import (
    count_forgotten,
    forget,
    forgotten_ids,
    forgotten_names,
    is_forgotten,
    note_obeyed,
    obeyed,
    pending,
    restore,
    tombstones,
)
from unspool.source.session_files import find_session, main_file, session_files, transcript_files
from unspool.source.watch import WatchScope


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path / "claude"
    for name in ("s1", "s2"):
        put(path / "projects" / "-repo" / f"{name}.jsonl")
        put(path / "projects" / "-repo" / name / "subagents" / "agent-a.jsonl")
        put(path / "hooks" / "-repo" / f"{name}.hooks.jsonl")
    return Root(1, str(path), "", str(path / "projects"), None, str(tmp_path / "forgotten.jsonl"))


def put(path: Path, data: bytes = b"{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def hide(root: Root, session: str = "s1", project: str = "-repo", at: int = 7) -> None:
    forget(root.tombstones, [(root.path, project, session)], at)


def test_a_tombstone_has_ids_and_a_time_and_nothing_else(root: Root) -> None:
    hide(root)

    told = json.loads(Path(root.tombstones).read_text())
    assert told == {"root": root.path, "projectId": "-repo", "sessionId": "s1", "at": 7}
    assert os.stat(root.tombstones).st_mode & 0o777 == 0o600


def test_no_walk_finds_the_files_of_a_forgotten_session(root: Root) -> None:
    hide(root)

    assert {file.session_id for file in transcript_files(root)} == {"s2"}
    assert {file.session_id for file in scan_files(root, with_sessions=False)} == {"s2"}
    assert not any(vars_of(session_files(root, f"{root.projects}/-repo", "s1")))


def vars_of(files: object) -> list[object]:
    return [getattr(files, name) for name in ("main", "subagents", "journals", "hook_logs")]


def test_nor_does_anybody_who_asks_by_path_or_name(root: Root) -> None:
    path = f"{root.projects}/-repo/s1.jsonl"
    assert (main_file(root, "-repo", "s1"), file_at(root, path)) != (None, None)
    hide(root)

    assert (main_file(root, "-repo", "s1"), file_at(root, path)) == (None, None)
    for name in ("s1", path):
        with pytest.raises(NotFound, match="s1 was forgotten" if name == path else "No session"):
            find_session([root], name)


def test_who_names_a_forgotten_session_is_told_so(root: Root) -> None:
    hide(root, "abcd-1234")

    with pytest.raises(NotFound, match="unspool forget --restore abcd-1234"):
        find_session([root], "abcd")


def test_a_legacy_agent_goes_with_its_session(root: Root) -> None:
    for name in ("s1", "s2"):
        line = b'{"sessionId":"%b","agentId":"%b"}\n' % (name.encode(), name.encode())
        put(Path(root.projects) / "-repo" / f"agent-{name}.jsonl", line)
    hide(root)

    found = scan_files(root, TRANSCRIPT_KINDS, with_sessions=False)
    assert [file.agent_id for file in found if file.kind == "legacy_subagent"] == ["s2"]


def test_a_walk_looks_at_the_log_as_often_for_many_files_as_for_few(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, look = list[str](), forgotten.log_stamp

    def counted(log: str) -> tuple[int, ...]:
        looks.append(log)
        return look(log)

    monkeypatch.setattr(forgotten, "log_stamp", counted)
    hide(root)
    list(scan_files(root))
    few = len(looks)
    for n in range(20):
        put(Path(root.path) / "projects" / "-repo" / f"more-{n}.jsonl")
        put(Path(root.path) / "hooks" / "-repo" / f"more-{n}.hooks.jsonl")
    looks.clear()

    assert len(list(scan_files(root))) == 43
    assert len(looks) == few


def test_a_walk_obeys_what_was_forgotten_since_the_last(root: Root) -> None:
    hide(root)
    list(scan_files(root))
    hide(root, "s2")

    assert list(scan_files(root)) == []


def test_a_hook_log_under_another_project_name_goes_too(root: Root) -> None:
    put(Path(root.path) / "hooks" / "elsewhere" / "s1.hooks.jsonl")
    put(Path(root.path) / "hooks" / "-other" / "s1.hooks.jsonl")
    put(Path(root.projects) / "-other" / "s1.jsonl")
    hide(root)

    logs = [file.project_id for file in transcript_files(root) if file.kind == "hook_log"]
    assert logs == ["-other", "-repo"]  # that of the other session, and of s2


def test_a_watcher_hears_no_more_of_a_file_it_knew(root: Root) -> None:
    scope, path = WatchScope([root]), f"{root.projects}/-repo/s1.jsonl"
    file = scope.file(path)
    assert file is not None
    hide(root)

    assert scope.is_forgotten(file)
    assert scope.file(path) is None


def test_the_same_id_in_another_project_or_root_is_another_session(root: Root) -> None:
    hide(root)
    other = Root(2, f"{root.path}2", "r2~", f"{root.path}2/projects", None, root.tombstones)

    assert is_forgotten(root, "-repo", "s1")
    assert not is_forgotten(root, "-other", "s1")
    assert not is_forgotten(other, "r2~-repo", "s1")


def test_a_root_is_the_same_by_whatever_path_and_prefix(root: Root, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root.path)
    linked = Root(2, str(tmp_path / "link"), "r2~", f"{tmp_path}/link/projects", None)
    hide(root)

    assert is_forgotten(replaced(linked, root), "r2~-repo", "s1")


def replaced(one: Root, other: Root) -> Root:
    return Root(one.index, one.path, one.prefix, one.projects, one.only, other.tombstones)


def test_a_restored_session_is_found_again(root: Root) -> None:
    hide(root)
    restore(root.tombstones, [(root.path, "-repo", "s1")], 8)

    assert {file.session_id for file in transcript_files(root)} == {"s1", "s2"}
    assert (count_forgotten([root]), forgotten_ids([root])) == (0, set())


def test_a_line_that_is_damaged_hides_nobody_and_spoils_no_other(root: Root) -> None:
    Path(root.tombstones).write_bytes(b'{"root": "/x", "proj')
    hide(root)
    hide(root, "s2")

    assert forgotten_ids([root]) == {"s1", "s2"}
    assert tombstones(root.tombstones).damaged == 1


@pytest.mark.parametrize("line", ["[]", "7", '{"root":1}', '{"at":"x"}', "[" * 100_000, "null"])
def test_whatever_a_line_says_it_is_read(root: Root, line: str) -> None:
    Path(root.tombstones).write_text(f"{line}\n")
    hide(root)

    assert forgotten_ids([root]) == {"s1"}


def test_a_last_line_without_its_end_does_not_count_yet(root: Root) -> None:
    hide(root)
    whole = Path(root.tombstones).read_bytes()
    Path(root.tombstones).write_bytes(whole + whole[:-1].replace(b"s1", b"s2"))

    assert forgotten_ids([root]) == {"s1"}


def test_those_of_a_narrowed_root_are_counted_alone(root: Root) -> None:
    hide(root)
    hide(root, "s9", "-other")
    only = Root(1, root.path, "", root.projects, "-repo", root.tombstones)

    assert (count_forgotten([root]), count_forgotten([only])) == (2, 1)


def test_names_are_told_apart(root: Root) -> None:
    hide(root)

    names = [("-repo", "s1"), ("-repo", "s2"), ("-other", "s1")]
    assert forgotten_names([root], names) == [("-repo", "s1")]


def test_an_index_knows_how_much_it_has_obeyed(root: Root, tmp_path: Path) -> None:
    hide(root)
    assert (obeyed(tmp_path), [one.session for one in pending(root.tombstones, tmp_path)]) == (
        0,
        ["s1"],
    )

    note_obeyed(tmp_path, tombstones(root.tombstones).size)
    assert pending(root.tombstones, tmp_path) == []
    hide(root, "s2")
    assert [one.session for one in pending(root.tombstones, tmp_path)] == ["s2"]


def test_one_that_was_restored_and_forgotten_again_is_to_be_obeyed_again(
    root: Root, tmp_path: Path
) -> None:
    hide(root)
    note_obeyed(tmp_path, tombstones(root.tombstones).size)
    restore(root.tombstones, [(root.path, "-repo", "s1")], 7)
    assert pending(root.tombstones, tmp_path) == []

    hide(root)
    assert [one.session for one in pending(root.tombstones, tmp_path)] == ["s1"]


def test_a_hook_event_goes_by_its_session_and_its_project(root: Root) -> None:
    hide(root)
    gone = tombstones(root.tombstones)

    assert gone.has_event("s1", "")
    assert gone.has_event("s1", "/any/projects/-repo/s1.jsonl")
    assert not gone.has_event("s1", "/any/projects/-other/s1.jsonl")
    assert not gone.has_event("s2", "")
