import os
from pathlib import Path

import pytest
from msgspec import structs

from tests.engine.indexing.roots import age, root_of, saved, taken
from unspool.demo import Transcript
from unspool.engine.indexing.survey import Survey, changed, survey
from unspool.model.files import Root
from unspool.model.rows import SourceRow
from unspool.source.roots import find_roots
from unspool.source.session_files import transcript_at


def known(root: Root) -> dict[int, SourceRow]:
    """The root's one file, taken in."""
    source = taken(root)[-1][1].source
    return {source.source_id: source}


def looked(root: Root) -> Survey:
    return survey([root], known(root))


def named(seen: Survey) -> list[str]:
    return [os.path.basename(one.file.path) for one in seen.found]


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path, Transcript().user("hello"))


def path_of(root: Root) -> Path:
    return Path(root.projects, "-repo", "s1.jsonl")


def test_a_file_nobody_knows_has_to_be_taken_in(root: Root) -> None:
    (found,) = survey([root], {}).found

    assert (found.known, found.new_bytes) == (None, found.file.size)


def test_a_file_that_is_as_it_was_has_nothing_new(root: Root) -> None:
    seen = looked(root)

    assert (seen.files, seen.found, seen.gone) == (1, [], [])


def test_a_file_that_grew_has(root: Root) -> None:
    before = known(root)
    with open(path_of(root), "ab") as file:
        file.write(b"more\n")
    (found,) = survey([root], before).found

    assert found.new_bytes == 5


def test_a_file_that_shrank_is_read_from_its_start(root: Root) -> None:
    before = known(root)
    path_of(root).write_bytes(b"{}\n")
    (found,) = survey([root], before).found

    assert found.new_bytes == 3


def test_another_file_of_the_same_size_and_time_is_looked_at(root: Root) -> None:
    before, path = known(root), path_of(root)
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    os.replace(age(copy), path)

    assert named(survey([root], before)) == ["s1.jsonl"]


def test_a_file_of_which_something_waits_is_looked_at_again(root: Root) -> None:
    ((id, source),) = known(root).items()

    assert named(survey([root], {id: structs.replace(source, mtime_ns=0)})) == ["s1.jsonl"]


def test_a_file_that_was_gone_and_is_back_is_looked_at(root: Root) -> None:
    ((id, source),) = known(root).items()

    assert named(survey([root], {id: structs.replace(source, gone_at=1)})) == ["s1.jsonl"]


def test_a_file_that_is_missing_is_gone_once(root: Root) -> None:
    ((id, source),) = known(root).items()
    path_of(root).unlink()

    assert survey([root], {id: source}).gone == [id]
    assert survey([root], {id: structs.replace(source, gone_at=1)}).gone == []


def test_a_file_whose_project_became_a_file_is_gone(root: Root) -> None:
    before = known(root)
    path_of(root).unlink()
    path_of(root).parent.rmdir()
    path_of(root).parent.touch()

    assert survey([root], before).gone == list(before)


def test_a_file_that_gave_way_to_a_pipe_is_gone(root: Root) -> None:
    before = known(root)
    path_of(root).unlink()
    os.mkfifo(path_of(root))

    assert survey([root], before).gone == list(before)


def test_a_file_of_another_root_is_not_ours_to_miss(root: Root, tmp_path: Path) -> None:
    before = known(root)
    path_of(root).unlink()

    assert survey([root_of(tmp_path / "other")], before).gone == []


def test_a_root_narrowed_to_one_project_misses_nothing_of_the_others(root: Root) -> None:
    before = known(root)
    path_of(root).unlink()
    other = Path(root.projects, "other")
    other.mkdir()
    narrow = find_roots([other], {}, other)

    assert (survey(narrow, before).gone, narrow[0].path) == ([], root.path)


def test_the_newest_session_comes_first_with_all_its_files(tmp_path: Path) -> None:
    root = saved(
        tmp_path,
        Transcript("old").user("a"),
        Transcript("new").user("a"),
        Transcript("new", agent="a1").user("a"),
    )
    age(Path(root.projects, "-repo", "new.jsonl"), seconds=1)
    order = [(one.file.session_id, one.file.agent_id) for one in survey([root], {}).found]

    assert order == [("new", None), ("new", "a1"), ("old", None)]


def test_files_named_one_by_one_are_compared_the_same_way(root: Root) -> None:
    file = transcript_at([root], str(path_of(root)))

    assert file is not None
    assert (changed([file], known(root)), len(changed([file], {}))) == ([], 1)
