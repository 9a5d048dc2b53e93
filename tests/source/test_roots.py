import os
from pathlib import Path

import pytest

from unspool.errors import NotFound
from unspool.source.roots import (
    KnownRoot,
    Scope,
    adopted,
    find_roots,
    find_scope,
    known_roots,
    remember,
)


def paths(explicit: list[Path], env: dict[str, str], home: Path) -> list[str]:
    return [root.path for root in find_roots(explicit, env, home)]


def transcript(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}\n")
    return path


def test_nothing_said_means_the_claude_directory_of_the_home_given(tmp_path: Path) -> None:
    assert paths([], {}, tmp_path) == [str(tmp_path / ".claude")]


def test_the_xdg_directory_joins_only_when_it_exists(tmp_path: Path) -> None:
    (tmp_path / ".config" / "claude").mkdir(parents=True)

    assert paths([], {}, tmp_path) == [str(tmp_path / ".claude"), str(tmp_path / ".config/claude")]


def test_the_config_variable_is_a_comma_list_and_beats_the_other(tmp_path: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": f"{tmp_path}/a, {tmp_path}/b,", "CLAUDE_ROOT": f"{tmp_path}/c"}

    assert paths([], env, tmp_path) == [f"{tmp_path}/a", f"{tmp_path}/b"]


def test_an_empty_config_variable_leaves_the_word_to_the_root_variable(tmp_path: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": " ", "CLAUDE_ROOT": f"{tmp_path}/c"}

    assert paths([], env, tmp_path) == [f"{tmp_path}/c"]


def test_a_tilde_is_the_home_given(tmp_path: Path) -> None:
    assert paths([], {"CLAUDE_ROOT": "~/other"}, tmp_path) == [str(tmp_path / "other")]


def test_what_was_asked_for_beats_every_variable(tmp_path: Path) -> None:
    (tmp_path / "mine" / "projects").mkdir(parents=True)

    found = paths([tmp_path / "mine"], {"CLAUDE_CONFIG_DIR": "/elsewhere"}, tmp_path)

    assert found == [str(tmp_path / "mine")]


def test_later_roots_carry_a_prefix(tmp_path: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": f"{tmp_path}/a,{tmp_path}/b,{tmp_path}/c"}

    assert [root.prefix for root in find_roots([], env, tmp_path)] == ["", "r2~", "r3~"]


def test_the_same_directory_by_two_names_is_one_root(tmp_path: Path) -> None:
    (tmp_path / "a" / "projects").mkdir(parents=True)
    (tmp_path / "b").symlink_to(tmp_path / "a")

    assert len(find_roots([tmp_path / "a", tmp_path / "b"], {}, tmp_path)) == 1


def test_a_projects_directory_stands_for_the_root_above_it(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()

    assert paths([tmp_path / "projects"], {}, tmp_path) == [str(tmp_path)]


def test_a_project_directory_narrows_its_root(tmp_path: Path) -> None:
    (tmp_path / "projects" / "-repo").mkdir(parents=True)

    (root,) = find_roots([tmp_path / "projects" / "-repo"], {}, tmp_path)

    assert (root.path, root.only) == (str(tmp_path), "-repo")


def test_a_narrowed_root_gives_way_to_the_whole_of_it(tmp_path: Path) -> None:
    (tmp_path / "projects" / "-repo").mkdir(parents=True)

    found = find_roots([tmp_path / "projects" / "-repo", tmp_path], {}, tmp_path)

    assert [(root.index, root.only) for root in found] == [(1, None)]


def test_a_directory_of_transcripts_anywhere_is_a_project(tmp_path: Path) -> None:
    transcript(tmp_path / "saved" / "s1.jsonl")

    (root,) = find_roots([tmp_path / "saved"], {}, tmp_path)

    assert (root.projects, root.only) == (str(tmp_path), "saved")


def test_a_directory_of_such_directories_is_taken_for_projects(tmp_path: Path) -> None:
    transcript(tmp_path / "copies" / "-repo" / "s1.jsonl")

    (root,) = find_roots([tmp_path / "copies"], {}, tmp_path)

    assert (root.projects, root.only) == (str(tmp_path / "copies"), None)


def test_a_history_file_alone_does_not_make_a_root_a_project(tmp_path: Path) -> None:
    transcript(tmp_path / "history.jsonl")

    (root,) = find_roots([tmp_path], {}, tmp_path)

    assert root.projects == str(tmp_path / "projects")


def test_a_root_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="No directory at"):
        find_roots([tmp_path / "nowhere"], {}, tmp_path)


def scope(explicit: list[Path], own: list[Path], home: Path) -> Scope:
    env = {"CLAUDE_CONFIG_DIR": ",".join(map(str, own))}
    return find_scope([str(path) for path in explicit], env, str(home), str(home / "unspool"))


def names(found: Scope) -> list[tuple[str, str]]:
    return [(Path(place.path).name, place.prefix) for place in found.places]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two Claude directories."""
    for name in ("a", "b"):
        (tmp_path / name / "projects" / "-repo").mkdir(parents=True)
    return tmp_path / "a", tmp_path / "b"


def test_the_users_own_roots_have_their_index_in_the_home(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    a, b = two

    assert scope([], [a, b], tmp_path).home == str(tmp_path / "unspool")
    assert scope([b], [a, b], tmp_path).home == str(tmp_path / "unspool")
    assert names(scope([b], [a, b], tmp_path)) == [("b", "r2~")]


def test_another_root_has_its_index_elsewhere_and_no_prefix(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    a, b = two
    found = scope([b], [a], tmp_path)

    assert Path(found.home).parent == tmp_path / "unspool" / "roots"
    assert names(found) == [("b", "")]


def test_a_project_of_an_own_root_is_own(two: tuple[Path, Path], tmp_path: Path) -> None:
    a, b = two
    found = scope([b / "projects" / "-repo"], [a, b], tmp_path)

    assert (found.home, names(found)) == (str(tmp_path / "unspool"), [("b", "r2~")])


def test_a_remembered_root_keeps_its_prefix_and_a_new_one_takes_the_next(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    a, b = two
    remember(str(tmp_path / "unspool"), [KnownRoot(str(a), ""), KnownRoot(str(b), "r2~")])
    (tmp_path / "c").mkdir()

    assert names(scope([], [b], tmp_path)) == [("b", "r2~")]
    assert names(scope([], [tmp_path / "c", b, a], tmp_path)) == [
        ("c", "r3~"),
        ("b", "r2~"),
        ("a", ""),
    ]


def test_a_remembered_root_is_known_by_every_path_that_leads_to_it(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    a, _ = two
    remember(str(tmp_path / "unspool"), [KnownRoot(str(a), "")])
    (tmp_path / "link").symlink_to(a)
    found = scope([], [tmp_path / "link"], tmp_path)

    assert [(place.path, place.projects) for place in found.places] == [
        (str(a), str(a / "projects"))
    ]


def test_what_is_remembered_twice_is_written_once(tmp_path: Path) -> None:
    remember(str(tmp_path), [KnownRoot("/a", "")])
    written = (tmp_path / "roots.json").stat().st_ino
    remember(str(tmp_path), [KnownRoot("/a", "")])

    assert (tmp_path / "roots.json").stat().st_ino == written
    assert known_roots(str(tmp_path)) == [KnownRoot("/a", "")]


def test_the_time_of_what_is_remembered_says_when_it_was_last_used(tmp_path: Path) -> None:
    path = tmp_path / "roots.json"
    remember(str(tmp_path), [KnownRoot("/a", "")])
    os.utime(path, (1, 1))
    remember(str(tmp_path), [KnownRoot("/a", "")])

    assert path.stat().st_mtime > 1


@pytest.mark.parametrize("text", ["", "[]", '{"roots": [{"path": 1}]}', "nonsense"])
def test_a_damaged_note_of_roots_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "roots.json").write_text(text)

    assert known_roots(str(tmp_path)) == []


def test_roots_that_shared_a_prefix_get_one_each_and_the_users_own_choose_first() -> None:
    archived = [("/copy", "", 9), ("/own", "", 3), ("/own", "r4~", 1), ("/work", "r2~", 2)]

    assert adopted(archived, ["/own", "/work"]) == [
        KnownRoot("/own", ""),
        KnownRoot("/work", "r2~"),
        KnownRoot("/copy", "r3~"),
    ]
