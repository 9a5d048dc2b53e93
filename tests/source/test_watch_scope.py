from pathlib import Path

import pytest

from tests.source.watches import transcript
from unspool.model.files import WatchEvent
from unspool.source.roots import find_roots
from unspool.source.watch import WatchScope


def watched(*roots: Path, spool: Path | None = None) -> WatchScope:
    return WatchScope(find_roots(roots, {}, roots[0]), str(spool) if spool else None)


def file(root: Path, path: Path, **more: Path) -> WatchEvent:
    found = watched(root, **more).file(str(path))
    assert found is not None
    return found


def test_a_main_transcript_names_its_project_and_session(tmp_path: Path) -> None:
    found = file(tmp_path, transcript(tmp_path))

    assert (found.kind, found.project_id, found.session_id) == ("main", "-p", "s1")
    assert not found.is_subagent


def test_a_subagent_belongs_to_the_session_above_it(tmp_path: Path) -> None:
    path = transcript(tmp_path, "agent-a1.jsonl", project="-p/s1/subagents")

    found = file(tmp_path, path)

    assert (found.kind, found.session_id, found.is_subagent) == ("subagent", "s1", True)


def test_a_workflow_agent_is_told_of_too(tmp_path: Path) -> None:
    path = transcript(tmp_path, "agent-a1.jsonl", project="-p/s1/subagents/workflows/w1")

    assert file(tmp_path, path).kind == "workflow_subagent"


def test_a_legacy_agent_belongs_to_the_session_its_first_line_names(tmp_path: Path) -> None:
    path = transcript(tmp_path, "agent-a1.jsonl", '{"sessionId":"s9"}\n')

    found = file(tmp_path, path)

    assert (found.kind, found.session_id, found.is_subagent) == ("legacy_subagent", "s9", True)


def test_an_event_log_names_its_session(tmp_path: Path) -> None:
    found = file(tmp_path, tmp_path / "hooks" / "-p" / "s1.hooks.jsonl")

    assert (found.kind, found.project_id, found.session_id) == ("hook_log", "-p", "s1")


def test_the_registry_and_the_spool_belong_to_no_session(tmp_path: Path) -> None:
    entry = file(tmp_path, tmp_path / "sessions" / "123.json")
    spooled = file(tmp_path, tmp_path / "sp" / "2026-11-01.spool", spool=tmp_path / "sp")

    assert (entry.kind, spooled.kind) == ("registry", "spool")
    assert (entry.session_id, spooled.session_id) == (None, None)


@pytest.mark.parametrize(
    "path",
    [
        "sessions/123.key",
        "sessions/sub/123.json",
        "projects/-p/s1/tool-results/x.txt",
        "projects/-p/s1/notes.jsonl",
        "projects/-p.orphaned/s1.jsonl",
        "projects/s1.jsonl",
        "hooks/s1.hooks.jsonl",
        "hooks/-p/other.jsonl",
        "history.jsonl",
        "sp/hook.py",
        "sp/notes.spool",
        "projects/-p/s1.orphaned.jsonl",
        "projects/-p/s1.orphaned/subagents/agent-a.jsonl",
        "projects/-p/agent-+bad.jsonl",
        "projects",
    ],
)
def test_what_nobody_reads_is_no_file(tmp_path: Path, path: str) -> None:
    assert watched(tmp_path, spool=tmp_path / "sp").file(str(tmp_path / path)) is None


def test_a_file_behind_a_link_is_no_file(tmp_path: Path) -> None:
    path = transcript(tmp_path / "elsewhere")
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "-link").symlink_to(path.parent)

    assert watched(tmp_path).file(str(tmp_path / "projects" / "-link" / "s1.jsonl")) is None


def test_the_second_root_has_its_prefix(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    path = transcript(second)
    transcript(first)

    found = watched(first, second).file(str(path))

    assert found is not None
    assert found.project_id == "r2~-p"


def test_a_root_narrowed_to_a_project_knows_no_other(tmp_path: Path) -> None:
    ours, other = transcript(tmp_path), transcript(tmp_path, project="-q")
    places = watched(tmp_path / "projects" / "-p")

    assert (bool(places.file(str(ours))), bool(places.file(str(other)))) == (True, False)
    assert str(tmp_path / "projects" / "-p") in places.directories()


def test_directories_are_named_before_they_are_there(tmp_path: Path) -> None:
    found = watched(tmp_path, spool=tmp_path / "sp").directories()

    assert found == [str(tmp_path / name) for name in ("projects", "hooks", "sessions", "sp")]


def one_of_each(root: Path) -> WatchScope:
    transcript(root)
    transcript(root, "agent-a1.jsonl", project="-p/s1/subagents")
    for path in ("hooks/-p/s1.hooks.jsonl", "sessions/12.json", "sp/2026-11-01.spool"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("{}\n")
    return watched(root, spool=root / "sp")


def test_all_files_are_those_that_paths_name(tmp_path: Path) -> None:
    places = one_of_each(tmp_path)

    found = list(places.all())

    assert len(found) == 5
    assert all(places.file(known.file.path) == known.file for known in found)
    assert all(Path(known.file.path).stat().st_ino == known.version.inode for known in found)


def test_each_file_has_a_version(tmp_path: Path) -> None:
    places = one_of_each(tmp_path)
    (tmp_path / "sessions" / "12.key").write_text("a secret")
    (tmp_path / "sp" / "notes.spool").write_text("not ours")

    found = dict(places.versions())

    assert found == {known.file.path: known.version for known in places.all()}
    assert len(found) == 5


def test_the_copy_of_an_agent_in_the_old_layout_is_no_file(tmp_path: Path) -> None:
    transcript(tmp_path, "agent-a1.jsonl", project="-p/s1/subagents")
    copy = transcript(tmp_path, "agent-a1.jsonl", '{"sessionId":"s1"}\n')

    assert watched(tmp_path).file(str(copy)) is None
    assert str(copy) not in dict(watched(tmp_path).versions())


def test_a_narrowed_root_knows_no_event_logs_of_other_projects(tmp_path: Path) -> None:
    transcript(tmp_path)
    logs = [tmp_path / "hooks" / name / "s1.hooks.jsonl" for name in ("-p", "-q")]
    for log in logs:
        log.parent.mkdir(parents=True)
        log.write_text("{}\n")
    places = watched(tmp_path / "projects" / "-p")

    assert [bool(places.file(str(log))) for log in logs] == [True, False]
    assert [*places.below(str(tmp_path / "hooks"))] == [str(logs[0])]
