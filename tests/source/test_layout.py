import os
import socket
from pathlib import Path

import pytest

from unspool.model.files import FileKind, Root, Skipped, TranscriptFile
from unspool.source.layout import classify, discover


def root_at(path: Path, prefix: str = "", only: str | None = None) -> Root:
    return Root(1, str(path), prefix, str(path / "projects"), only)


def put(path: Path, data: bytes = b"{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def found(path: Path) -> list[TranscriptFile]:
    return list(discover(root_at(path)))


def kinds(path: Path) -> dict[str, FileKind]:
    return {Path(file.path).name: file.kind for file in found(path)}


def left_alone(path: Path) -> dict[str, str]:
    skipped: list[Skipped] = []
    assert list(discover(root_at(path), skipped)) == []
    return {Path(skip.path).name: skip.reason for skip in skipped}


def test_a_main_transcript_is_named_by_its_stem_and_its_directory(tmp_path: Path) -> None:
    path = put(tmp_path / "projects" / "-repo" / "s1.jsonl", b"12345")
    (file,) = found(tmp_path)

    assert (file.kind, file.project_id, file.session_id) == ("main", "-repo", "s1")
    assert (file.path, file.relpath) == (str(path), "projects/-repo/s1.jsonl")
    assert (file.size, file.inode) == (5, path.stat().st_ino)


def test_a_second_root_s_projects_carry_its_prefix(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "s1.jsonl")

    assert [f.project_id for f in discover(root_at(tmp_path, "r2~"))] == ["r2~-repo"]


def test_an_agent_belongs_to_the_session_whose_directory_holds_it(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a1.jsonl")
    (file,) = found(tmp_path)

    assert (file.kind, file.session_id, file.agent_id) == ("subagent", "s1", "a1")


# devtools 79
def test_agents_of_workflows_are_found_with_their_journal(tmp_path: Path) -> None:
    run = tmp_path / "projects" / "-repo" / "s1" / "subagents" / "workflows" / "wf_1-2"
    put(run / "agent-w1.jsonl")
    put(run / "journal.jsonl")

    assert kinds(tmp_path) == {"agent-w1.jsonl": "workflow_subagent", "journal.jsonl": "journal"}


# devtools 66
def test_both_layouts_are_found_and_a_legacy_agent_says_whose_it_is(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    put(project / "s1" / "subagents" / "agent-new.jsonl")
    put(project / "agent-old.jsonl", b'{"sessionId":"s1"}\n')
    put(project / "agent-other.jsonl", b'{"sessionId":"s2"}\n')

    ours = [file.agent_id for file in found(tmp_path) if file.session_id == "s1"]
    assert ours == ["new", "old"]


# devtools 80
def test_an_agent_in_both_layouts_comes_once_from_the_new_one(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    put(project / "s1" / "subagents" / "agent-a.jsonl")
    put(project / "agent-a.jsonl", b'{"sessionId":"s1"}\n')

    assert [file.kind for file in found(tmp_path)] == ["subagent"]


def test_a_session_with_a_journal_is_reported_as_nobody_s_double(tmp_path: Path) -> None:
    main = put(tmp_path / "projects" / "-repo" / "s1.jsonl")
    put(main.with_suffix("") / "subagents" / "workflows" / "wf_1" / "journal.jsonl")
    skipped: list[Skipped] = []

    assert len(list(discover(root_at(tmp_path), skipped))) == 2
    assert skipped == []


def test_the_same_agent_id_in_two_sessions_is_two_agents(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    put(project / "s1" / "subagents" / "agent-a.jsonl")
    put(project / "agent-a.jsonl", b'{"sessionId":"s2"}\n')

    assert [file.session_id for file in found(tmp_path)] == ["s1", "s2"]


# peers 16
def test_a_legacy_agent_beside_the_sessions_is_not_a_session(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "agent-1234abcd.jsonl", b"not json\n")
    (file,) = found(tmp_path)

    assert (file.kind, file.session_id) == ("legacy_subagent", None)


def test_a_hook_log_is_found_beside_the_projects(tmp_path: Path) -> None:
    put(tmp_path / "hooks" / "repo" / "s1.hooks.jsonl")
    put(tmp_path / "hooks" / "repo" / "notes.jsonl")
    (file,) = found(tmp_path)

    assert (file.kind, file.session_id, file.project_id) == ("hook_log", "s1", "repo")


def test_a_narrowed_root_shows_its_one_project(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-a" / "s1.jsonl")
    put(tmp_path / "projects" / "-b" / "s2.jsonl")

    assert [f.session_id for f in discover(root_at(tmp_path, only="-b"))] == ["s2"]


@pytest.mark.parametrize("name", ["s1.orphaned.jsonl", "s1.jsonl.superseded.jsonl"])
def test_a_file_put_aside_is_left_alone(tmp_path: Path, name: str) -> None:
    put(tmp_path / "projects" / "-repo" / name)

    assert left_alone(tmp_path) == {name: "put aside by Claude Code"}


def test_links_pipes_and_directories_are_named_and_left_alone(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    outside = put(tmp_path / "outside.jsonl")
    (project / "dir.jsonl").mkdir(parents=True)
    (project / "link.jsonl").symlink_to(outside)
    os.mkfifo(project / "pipe.jsonl")

    shapes = {"dir": "a directory", "link": "a symbolic link", "pipe": "a named pipe"}
    assert left_alone(tmp_path) == {f"{name}.jsonl": shape for name, shape in shapes.items()}


def test_a_socket_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "projects" / "-repo").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "projects" / "-repo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.jsonl")

    assert left_alone(tmp_path) == {"s.jsonl": "a socket"}


def test_a_link_to_a_directory_is_not_entered(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "s1.jsonl")
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "-repo").symlink_to(tmp_path / "elsewhere")

    assert left_alone(tmp_path) == {"-repo": "a symbolic link"}


def test_a_directory_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    put(tmp_path / "projects", b"a file where a directory should be")

    assert left_alone(tmp_path) == {"projects": "Not a directory"}


def test_a_name_that_is_not_utf8_is_reported_in_words_that_are(tmp_path: Path) -> None:
    directory = os.fsencode(tmp_path / "projects" / "-repo")
    os.makedirs(directory)
    os.close(os.open(directory + b"/\xff.jsonl", os.O_CREAT))

    assert left_alone(tmp_path) == {"\\udcff.jsonl": "its name is not UTF-8"}


def test_a_strange_name_among_the_agents_is_reported(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "notes.jsonl")
    put(tmp_path / "projects" / "-repo" / "agent-.jsonl")

    assert set(left_alone(tmp_path)) == {"notes.jsonl", "agent-.jsonl"}


def test_an_empty_root_has_nothing_and_complains_of_nothing(tmp_path: Path) -> None:
    assert left_alone(tmp_path / "nowhere") == {}


def test_files_that_only_lie_near_transcripts_are_not_looked_at(tmp_path: Path) -> None:
    session = tmp_path / "projects" / "-repo" / "s1"
    put(session / "tool-results" / "out.jsonl")
    put(session.parent / "memory" / "notes.md")
    put(session / "subagents" / "agent-a.meta.json")

    assert left_alone(tmp_path) == {}


@pytest.mark.parametrize("agent", ["a", "reviewer@team-1", "x" * 128, "a.b_c-d"])
def test_an_agent_id_has_letters_digits_and_four_marks(agent: str) -> None:
    parts = ["-repo", "s1", "subagents", f"agent-{agent}.jsonl"]

    assert classify(parts) == ("subagent", "s1", agent)


@pytest.mark.parametrize("agent", ["", "-a", ".a", "a b", "é", "x" * 129, "a\n"])
def test_any_other_agent_id_is_refused(agent: str) -> None:
    assert classify(["-repo", "s1", "subagents", f"agent-{agent}.jsonl"]) is None


def test_a_file_deep_in_a_session_but_not_among_agents_has_no_kind() -> None:
    assert classify(["-repo", "s1", "other", "agent-a.jsonl"]) is None


def test_every_file_of_the_published_corpus_has_a_kind(corpus: Path) -> None:
    skipped: list[Skipped] = []
    roots = [place for place in corpus.iterdir() if (place / "projects").is_dir()]
    files = [file for place in roots for file in discover(root_at(place), skipped)]

    assert skipped == []
    assert len(files) == sum(1 for place in roots for _ in place.glob("projects/**/*.jsonl"))
