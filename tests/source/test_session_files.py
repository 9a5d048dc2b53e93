import os
from pathlib import Path

import pytest

from unspool.errors import Ambiguous, NotFound, SourceError
from unspool.model.files import Root, SessionFiles
from unspool.source.session_files import (
    agents_alone,
    find_session,
    main_files,
    main_place,
    session_files,
    transcript_at,
    transcript_files,
)


def root_at(path: Path, prefix: str = "") -> Root:
    return Root(1, str(path), prefix, str(path / "projects"))


def put(path: Path, age: int = 0, data: bytes = b"{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def session(root: Path, name: str, project: str = "-repo", age: int = 0) -> Path:
    return put(root / "projects" / project / f"{name}.jsonl", age)


def found(root: Path, name: str) -> str:
    return find_session([root_at(root)], name).path


def files_of(root: Path, name: str = "s1") -> SessionFiles:
    return session_files(root_at(root), root / "projects" / "-repo", name)


def test_a_session_is_found_by_its_whole_id(tmp_path: Path) -> None:
    path = session(tmp_path, "abcd1")
    session(tmp_path, "abcd12")

    assert found(tmp_path, "abcd1") == str(path)


def test_a_session_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    path = session(tmp_path, "abcd1234")
    session(tmp_path, "abce1234")

    assert found(tmp_path, "abcd") == str(path)


def test_a_beginning_of_three_characters_is_too_short(tmp_path: Path) -> None:
    session(tmp_path, "abcd1234")

    with pytest.raises(NotFound, match="at least 4"):
        found(tmp_path, "abc")


def test_a_whole_id_may_be_short(tmp_path: Path) -> None:
    path = session(tmp_path, "s1")

    assert found(tmp_path, "s1") == str(path)


def test_a_beginning_that_fits_two_sessions_names_them_newest_first(tmp_path: Path) -> None:
    session(tmp_path, "abcd1", age=9)
    session(tmp_path, "abcd2", age=1)

    with pytest.raises(Ambiguous, match="matches 2 sessions") as caught:
        found(tmp_path, "abcd")
    assert caught.value.candidates == ("abcd2", "abcd1")


def test_one_id_in_two_projects_gives_the_newest(tmp_path: Path) -> None:
    session(tmp_path, "abcd1", project="-old", age=9)
    path = session(tmp_path, "abcd1", project="-new", age=1)

    assert found(tmp_path, "abcd1") == found(tmp_path, "abcd") == str(path)


def test_a_project_chooses_between_them(tmp_path: Path) -> None:
    path = session(tmp_path, "abcd1", project="-old", age=9)
    session(tmp_path, "abcd1", project="-new", age=1)

    assert find_session([root_at(tmp_path)], "abcd1", project="-old").path == str(path)


# peers 15
def test_a_session_of_a_worktree_is_found_in_its_own_project(tmp_path: Path) -> None:
    session(tmp_path, "plan1", project="-repo")
    path = session(tmp_path, "impl1", project="-repo--worktrees-x")

    assert found(tmp_path, "impl1") == str(path)


def test_latest_is_the_session_written_last_of_all_roots(tmp_path: Path) -> None:
    session(tmp_path / "a", "s1", age=9)
    path = session(tmp_path / "b", "s2", age=1)

    roots = [root_at(tmp_path / "a"), root_at(tmp_path / "b", "r2~")]
    assert find_session(roots, "latest").path == str(path)


# peers 16
def test_latest_is_never_a_legacy_agent(tmp_path: Path) -> None:
    path = session(tmp_path, "s1", age=9)
    session(tmp_path, "agent-1234abcd")

    assert found(tmp_path, "latest") == str(path)


def test_latest_of_nothing_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=f"No sessions in {tmp_path}/projects"):
        found(tmp_path, "latest")


def test_an_unknown_id_names_the_place_that_was_searched(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=f"No session matches .* in {tmp_path}"):
        found(tmp_path, "abcdef")


def test_a_path_inside_a_root_is_named_as_the_root_names_it(tmp_path: Path) -> None:
    path = session(tmp_path, "s1")
    file = find_session([root_at(tmp_path, "r2~")], str(path))

    assert (file.root.index, file.project_id, file.relpath) == (
        1,
        "r2~-repo",
        "projects/-repo/s1.jsonl",
    )


def test_a_loose_path_takes_its_directory_for_a_project(tmp_path: Path) -> None:
    path = put(tmp_path / "saved" / "s1.jsonl")
    file = find_session([root_at(tmp_path / "root")], str(path))

    assert (file.root.index, file.kind, file.project_id) == (0, "main", "saved")
    assert (file.session_id, file.path, file.relpath) == ("s1", str(path), "s1.jsonl")


def test_a_loose_path_finds_the_agents_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "saved" / "s1" / "subagents" / "agent-a.jsonl")
    file = find_session([], str(put(tmp_path / "saved" / "s1.jsonl")))
    beside = session_files(file.root, os.path.dirname(file.path), "s1")

    assert beside.main == file
    assert [agent.agent_id for agent in beside.subagents] == ["a"]


def test_a_loose_agent_knows_its_session(tmp_path: Path) -> None:
    path = put(tmp_path / "saved" / "s1" / "subagents" / "agent-a.jsonl")
    file = find_session([], str(path))

    assert (file.project_id, file.session_id, file.agent_id) == ("saved", "s1", "a")


def test_a_path_below_some_projects_directory_has_that_root(tmp_path: Path) -> None:
    file = find_session([], str(session(tmp_path, "s1")))

    assert (file.root.path, file.relpath) == (str(tmp_path), "projects/-repo/s1.jsonl")


def test_a_link_to_a_transcript_may_be_given(tmp_path: Path) -> None:
    path = put(tmp_path / "saved" / "s1.jsonl")
    (tmp_path / "link.jsonl").symlink_to(path)

    assert find_session([], str(tmp_path / "link.jsonl")).path == str(path)


def test_a_loose_file_that_fits_no_layout_is_a_session_of_its_stem(tmp_path: Path) -> None:
    file = find_session([], str(put(tmp_path / "saved" / "agent-.jsonl")))

    assert (file.kind, file.session_id) == ("main", "agent-")


def test_a_path_beside_a_narrowed_root_is_loose(tmp_path: Path) -> None:
    root = Root(1, str(tmp_path / "saved"), "", str(tmp_path), only="saved")
    file = find_session([root], str(put(tmp_path / "other" / "s1.jsonl")))

    assert (file.root.index, file.relpath) == (0, "s1.jsonl")


@pytest.mark.parametrize("name", ["no.jsonl", "/no/such", "a/\0b", "/\ud800"])
def test_a_path_to_nothing_is_not_found(name: str) -> None:
    with pytest.raises(NotFound, match="No file at"):
        find_session([], name)


def test_a_path_to_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a regular file"):
        find_session([], f"{tmp_path}/")


# devtools 66
def test_a_session_gathers_agents_of_both_layouts_and_no_one_else_s(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    put(project / "s1" / "subagents" / "agent-new.jsonl")
    put(project / "agent-old.jsonl", data=b'{"sessionId":"s1"}\n')
    put(project / "agent-other.jsonl", data=b'{"sessionId":"s2"}\n')
    put(project / "agent-broken.jsonl", data=b"\xff\n")

    assert [agent.agent_id for agent in files_of(tmp_path).subagents] == ["new", "old"]


# devtools 80
def test_a_session_has_an_agent_of_both_layouts_once(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    new = put(project / "s1" / "subagents" / "agent-a.jsonl")
    put(project / "agent-a.jsonl", data=b'{"sessionId":"s1"}\n')

    assert [agent.path for agent in files_of(tmp_path).subagents] == [str(new)]


# devtools 79
def test_workflow_agents_come_with_their_sidecars_and_journal(tmp_path: Path) -> None:
    session_dir = tmp_path / "projects" / "-repo" / "s1"
    run = session_dir / "subagents" / "workflows" / "wf_1"
    names = ("agent-w.jsonl", "agent-w.meta.json", "journal.jsonl")
    agent, meta, journal = (str(put(run / name)) for name in names)
    files = files_of(tmp_path)

    assert [file.path for file in (*files.subagents, *files.journals)] == [agent, journal]
    assert files.metas == {agent: meta}


def test_a_sidecar_is_kept_before_its_agent_has_written(tmp_path: Path) -> None:
    meta = put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a.meta.json")

    assert list(files_of(tmp_path).metas.values()) == [str(meta)]


def test_hook_logs_are_found_under_any_project_s_name(tmp_path: Path) -> None:
    log = put(tmp_path / "hooks" / "another-name" / "s1.hooks.jsonl")
    put(tmp_path / "hooks" / "another-name" / "s2.hooks.jsonl")

    assert [file.path for file in files_of(tmp_path).hook_logs] == [str(log)]


def test_a_hook_log_of_another_project_s_session_is_not_ours(tmp_path: Path) -> None:
    put(tmp_path / "hooks" / "-other" / "s1.hooks.jsonl")
    put(tmp_path / "projects" / "-other" / "s1.jsonl")

    assert files_of(tmp_path).hook_logs == ()


def test_what_does_not_exist_is_none(tmp_path: Path) -> None:
    assert files_of(tmp_path) == SessionFiles()


def test_what_exists_is_named(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()

    assert files_of(tmp_path).registry == str(tmp_path / "sessions")


@pytest.mark.parametrize("name", ["", ".", "..", "../-other/s1", "a\0b"])
def test_an_id_that_is_a_path_leads_nowhere(tmp_path: Path, name: str) -> None:
    session(tmp_path, "s1", project="-other")

    assert files_of(tmp_path, name) == SessionFiles()


def test_a_path_is_the_transcript_a_walk_finds_there(tmp_path: Path) -> None:
    session(tmp_path, "s1")
    put(tmp_path / "projects" / "-repo" / "s1" / "subagents" / "agent-a.jsonl")
    put(tmp_path / "hooks" / "-repo" / "s1.hooks.jsonl")
    root = root_at(tmp_path, "r2~")

    assert len([*transcript_files(root)]) == 3
    for file in transcript_files(root):
        assert transcript_at([root], file.path) == file
        assert transcript_at([root], file.path, is_scanned=True) == file


@pytest.mark.parametrize("name", ["s1.txt", "missing.jsonl", "s1/notes.jsonl", "../x.jsonl"])
def test_there_is_no_transcript_at_any_other_path(tmp_path: Path, name: str) -> None:
    directory = session(tmp_path, "s1").parent

    assert transcript_at([root_at(tmp_path)], str(directory / name)) is None


def test_a_link_is_no_transcript(tmp_path: Path) -> None:
    link = session(tmp_path, "s1").with_name("s2.jsonl")
    link.symlink_to(link.with_name("s1.jsonl"))

    assert transcript_at([root_at(tmp_path)], str(link)) is None


def test_an_entry_of_the_registry_is_no_transcript(tmp_path: Path) -> None:
    entry = put(tmp_path / "sessions" / "12.json")

    assert transcript_at([root_at(tmp_path)], str(entry)) is None


def test_a_path_outside_a_narrowed_root_is_not_its_own(tmp_path: Path) -> None:
    path = session(tmp_path, "s1")
    narrow = Root(1, str(tmp_path), "", str(tmp_path / "projects"), only="other")

    assert transcript_at([narrow], str(path)) is None


def test_main_transcripts_are_those_of_all_projects_or_of_one(tmp_path: Path) -> None:
    session(tmp_path, "s1", project="-a")
    session(tmp_path, "s2", project="-b")
    session(tmp_path, "agent-x", project="-b")
    root = root_at(tmp_path, "r2~")

    assert [file.session_id for file in main_files(root)] == ["s1", "s2"]
    assert [file.session_id for file in main_files(root, "r2~-b")] == ["s2"]


# peers 16
@pytest.mark.parametrize(
    ("data", "session"),
    [
        (b"", None),
        (b"not js", None),
        (b"not json\n", "1234abcd"),
        (b'{"sessionId":"../s1"}\n', "1234abcd"),
        (b'{"sessionId":"s1"', "s1"),
    ],
)
def test_a_legacy_agent_is_of_the_session_it_names_or_of_one_of_its_own(
    tmp_path: Path, data: bytes, session: str | None
) -> None:
    put(tmp_path / "projects" / "-repo" / "agent-1234abcd.jsonl", data=data)
    (file,) = transcript_files(root_at(tmp_path))

    assert (file.kind, file.session_id) == ("legacy_subagent", session)


def test_a_session_of_which_agents_are_left_has_a_place(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-repo"
    session(tmp_path, "s1")
    put(project / "s1" / "subagents" / "agent-a.jsonl")
    put(project / "s2" / "subagents" / "agent-a.jsonl", age=9)
    put(project / "s2" / "subagents" / "workflows" / "w" / "agent-b.jsonl", age=5)
    put(project / "agent-c.jsonl", data=b'{"sessionId":"s3"}\n')
    put(project / "s4" / "subagents" / "agent-d.jsonl", data=b"")
    places = list(agents_alone(root_at(tmp_path, "r2~")))

    assert [(one.path, one.project_id) for one in places] == [
        (str(project / "s2.jsonl"), "r2~-repo"),
        (str(project / "s3.jsonl"), "r2~-repo"),
    ]
    assert places[0].mtime_ns == (1_000_000 - 5) * 10**9


@pytest.mark.parametrize(
    ("project", "session"),
    [("-repo", ".."), ("..", "s1"), ("-repo", "a/b"), ("a/b", "s1"), ("", "s1"), ("-repo", "a\0b")],
)
def test_no_place_lies_outside_the_projects(tmp_path: Path, project: str, session: str) -> None:
    assert main_place(root_at(tmp_path), project, session) is None
