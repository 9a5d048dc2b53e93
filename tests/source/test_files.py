import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from unspool.model.files import FileKind, Root, SkippedFile, TranscriptFile
from unspool.source.files import (
    TRANSCRIPT_KINDS,
    classify,
    file_at,
    is_gone,
    scan_files,
    scan_folders,
    stat_file,
)
from unspool.source.session_files import transcript_files


def root_at(path: Path, prefix: str = "", only: str | None = None) -> Root:
    return Root(1, str(path), prefix, str(path / "projects"), only)


def put(path: Path, data: bytes = b"{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def found(path: Path) -> list[TranscriptFile]:
    return list(transcript_files(root_at(path)))


def kinds(path: Path) -> dict[str, FileKind]:
    return {Path(file.path).name: file.kind for file in found(path)}


def left_alone(path: Path) -> dict[str, str]:
    skipped: list[SkippedFile] = []
    assert list(transcript_files(root_at(path), skipped)) == []
    return {Path(skip.path).name: skip.reason for skip in skipped}


def test_a_main_transcript_is_named_by_its_stem_and_its_directory(tmp_path: Path) -> None:
    path = put(tmp_path / "projects" / "-repo" / "s1.jsonl", b"12345")
    (file,) = found(tmp_path)

    assert (file.kind, file.project_id, file.session_id) == ("main", "-repo", "s1")
    assert (file.path, file.relpath) == (str(path), "projects/-repo/s1.jsonl")
    assert (file.size, file.inode) == (5, path.stat().st_ino)


def test_a_second_root_s_projects_carry_its_prefix(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "s1.jsonl")

    assert [f.project_id for f in transcript_files(root_at(tmp_path, "r2~"))] == ["r2~-repo"]


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
    skipped: list[SkippedFile] = []

    assert len(list(transcript_files(root_at(tmp_path), skipped))) == 2
    assert skipped == []


def test_the_same_agent_id_in_two_sessions_is_two_agents(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    put(project / "s1" / "subagents" / "agent-a.jsonl")
    put(project / "agent-a.jsonl", b'{"sessionId":"s2"}\n')

    assert [file.session_id for file in found(tmp_path)] == ["s1", "s2"]


def test_a_hook_log_is_found_beside_the_projects(tmp_path: Path) -> None:
    put(tmp_path / "hooks" / "repo" / "s1.hooks.jsonl")
    put(tmp_path / "hooks" / "repo" / "notes.jsonl")
    (file,) = found(tmp_path)

    assert (file.kind, file.session_id, file.project_id) == ("hook_log", "s1", "repo")


def test_a_narrowed_root_shows_its_one_project(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-a" / "s1.jsonl")
    put(tmp_path / "projects" / "-b" / "s2.jsonl")

    assert [f.session_id for f in transcript_files(root_at(tmp_path, only="-b"))] == ["s2"]


@pytest.mark.parametrize("name", ["s1.orphaned.jsonl", "s1.jsonl.superseded.jsonl"])
def test_a_file_put_aside_is_left_alone(tmp_path: Path, name: str) -> None:
    put(tmp_path / "projects" / "-repo" / name)

    assert left_alone(tmp_path) == {name: "set aside by Claude Code"}


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


def test_every_file_of_the_published_corpus_has_a_kind(corpus: Path) -> None:
    skipped: list[SkippedFile] = []
    roots = [place for place in corpus.iterdir() if (place / "projects").is_dir()]
    files = [file for place in roots for file in transcript_files(root_at(place), skipped)]

    assert skipped == []
    assert len(files) == sum(1 for place in roots for _ in place.glob("projects/**/*.jsonl"))


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
def test_what_a_walk_finds_is_found_by_its_path(tmp_path: Path, place: str) -> None:
    path = str(put(tmp_path / place, b"{"))
    (file,) = scan_files(root_at(tmp_path))

    assert file.path == path
    assert file == file_at(root_at(tmp_path), path)
    assert file[1:5] == classify(root_at(tmp_path), path)


@pytest.mark.parametrize(
    "place",
    [
        "projects/-repo/notes.txt",
        "projects/-repo/.jsonl",
        "projects/-repo/agent-.jsonl",
        "projects/-repo/agent-+bad.jsonl",
        "projects/-repo/s1/stray.jsonl",
        "projects/-repo/s1/subagents/notes.jsonl",
        "projects/-repo/s1/subagents/journal.jsonl",
        "projects/-repo/s1/subagents/workflowsx/journal.jsonl",
        "projects/-repo/s1.jsonl.orphaned.jsonl",
        "projects/-repo/s1.orphaned/subagents/agent-a.jsonl",
        "projects/-repo.superseded/s1.jsonl",
        "projects/stray.jsonl",
        "projects/-repo/s1.jsonl/inside.jsonl",
        "hooks/s1.hooks.jsonl",
        "hooks/-repo/s1.jsonl",
        "hooks/-repo/deep/s1.hooks.jsonl",
        "sessions/12.key",
    ],
)
def test_what_a_walk_leaves_alone_is_nothing_by_its_path_either(tmp_path: Path, place: str) -> None:
    path = str(put(tmp_path / place))

    assert [*scan_files(root_at(tmp_path))] == []
    assert file_at(root_at(tmp_path), path) is None
    assert classify(root_at(tmp_path), path) is None


def test_the_copy_of_an_agent_in_the_old_layout_is_nothing_by_its_path(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    put(project / "s1" / "subagents" / "workflows" / "w" / "agent-a.jsonl")
    copy = put(project / "agent-a.jsonl", b'{"sessionId":"s1"}\n')
    other = put(project / "agent-b.jsonl", b'{"sessionId":"s1"}\n')
    found = [file_at(root_at(tmp_path), str(path)) for path in (copy, other)]

    assert [file and file.session_id for file in found] == [None, "s1"]


def test_a_narrowed_root_has_no_event_logs_of_other_projects(tmp_path: Path) -> None:
    logs = [put(tmp_path / "hooks" / name / "s1.hooks.jsonl") for name in ("-a", "-b")]
    root = root_at(tmp_path, only="-b")

    assert [file.path for file in scan_files(root)] == [str(logs[1])]
    assert [bool(classify(root, str(path))) for path in logs] == [False, True]


def test_a_link_to_itself_hides_nothing(tmp_path: Path) -> None:
    project = put(tmp_path / "projects" / "-repo" / "s1.jsonl").parent
    for name in ("a", "z", "z.jsonl"):
        (project / name).symlink_to(project / name)
    skipped: list[SkippedFile] = []

    assert [file.session_id for file in transcript_files(root_at(tmp_path), skipped)] == ["s1"]
    assert [skip.reason for skip in skipped] == ["a symbolic link"]


def test_event_logs_of_a_root_whose_projects_lie_beside_them_are_no_sessions(
    tmp_path: Path,
) -> None:
    root = Root(1, str(tmp_path), "", str(tmp_path))
    log = str(put(tmp_path / "hooks" / "-p" / "s1.hooks.jsonl"))

    assert [file.kind for file in scan_files(root)] == ["hook_log"]
    assert file_at(root, log) == next(scan_files(root))


def test_old_agents_are_opened_only_for_those_who_want_to_know_whose_they_are(
    tmp_path: Path,
) -> None:
    put(tmp_path / "projects" / "-repo" / "agent-a.jsonl", b'{"sessionId":"s1"}\n')
    with opens() as opened:
        (file,) = scan_files(root_at(tmp_path), with_sessions=False)
    assert (file.session_id, opened) == (None, [])

    (file,) = scan_files(root_at(tmp_path))
    assert file.session_id == "s1"


@contextmanager
def opens() -> Iterator[list[str]]:
    """The transcripts that are opened meanwhile."""
    found: list[str] = []
    opened = os.open

    def noting(path: str, *args: int, **more: int) -> int:
        found.extend([path] if str(path).endswith(".jsonl") else [])
        return opened(path, *args, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", noting)
        yield found


def test_each_file_is_looked_at_once_and_each_directory_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "projects" / "-repo" / "s1.jsonl")
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a1.jsonl")
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "workflows" / "journal.jsonl")
    listings: list[list[str]] = []
    monkeypatch.setattr(os, "scandir", _counting(os.scandir, listings))

    assert len([*scan_files(root_at(tmp_path), TRANSCRIPT_KINDS, with_sessions=False)]) == 2
    # projects, -repo, subagents, workflows; nobody asked for journals
    assert [looks for looks in listings if looks] == [["s1.jsonl"], ["agent-a1.jsonl"]]
    assert len(listings) == 4


def _counting(scandir: object, listings: list[list[str]]) -> object:
    """A scandir that tells whose size was asked, directory by directory."""

    class Entry:
        def __init__(self, entry: os.DirEntry[str], looks: list[str]) -> None:
            self._entry, self._looks = entry, looks
            self.name, self.is_dir = entry.name, entry.is_dir

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            self._looks.append(self.name)
            return self._entry.stat(follow_symlinks=follow_symlinks)

    class Listing:
        def __init__(self, path: str) -> None:
            self._path, self._looks = path, list[str]()
            listings.append(self._looks)

        def __enter__(self) -> list[Entry]:
            with scandir(self._path) as found:  # type: ignore[operator]
                return [Entry(entry, self._looks) for entry in found]

        def __exit__(self, *_: object) -> None:
            pass

    return Listing


def test_a_transcript_can_appear_in_these_directories(tmp_path: Path) -> None:
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "workflows" / "w" / "agent-a.jsonl")
    found = [
        os.path.relpath(path, tmp_path / "projects") for path in scan_folders(root_at(tmp_path))
    ]

    below = ["s1", "s1/subagents", "s1/subagents/workflows", "s1/subagents/workflows/w"]
    assert found == [".", "-repo", *(f"-repo/{name}" for name in below)]


@pytest.mark.parametrize("path", ["", "\x00", "/" + "x" * 5_000])
def test_there_is_no_file_at_a_path_that_cannot_be(path: str) -> None:
    assert stat_file(path) is None


def test_a_file_that_is_not_there_is_gone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    gone = [is_gone(str(tmp_path / name)) for name in ("file", "none", "file/below", "")]

    assert gone == [False, True, True, True]  # a directory in its place is not the file


def test_a_file_that_cannot_be_looked_at_is_not_gone() -> None:
    assert not is_gone("/" + "x" * 5_000)
