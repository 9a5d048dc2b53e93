import os
from pathlib import Path

import pytest

from unspool.source.fresh import Behind, behind, fresh, lately, session_of

LINE = b'{"usage":{"output_tokens":1}}'


def file(path: Path, data: bytes, session: str = "s1", begin: int = 0) -> Behind:
    path.write_bytes(data)
    return Behind(str(path), begin, len(data), session)


def test_lines_that_tell_of_usage_come_with_their_session(tmp_path: Path) -> None:
    found = fresh([file(tmp_path / "a", b"{}\n" + LINE + b"\n{}\n" + LINE)])

    assert found.lines == [("s1", LINE), ("s1", LINE)]
    assert not found.cut


def test_only_what_the_index_has_not_read_is_read(tmp_path: Path) -> None:
    data = LINE + b"\n" + LINE + b"\n"

    assert len(fresh([file(tmp_path / "a", data, begin=len(LINE) + 1)]).lines) == 1


def test_of_too_much_the_end_is_read(tmp_path: Path) -> None:
    last = LINE.replace(b"1", b"2")

    found = fresh([file(tmp_path / "a", (LINE + b"\n") * 100 + last + b"\n")], most=40)

    assert found.lines[-1] == ("s1", last)
    assert found.cut == {"s1"}


def test_what_comes_after_the_last_byte_that_may_be_read_is_cut(tmp_path: Path) -> None:
    first = file(tmp_path / "a", LINE, "s1")

    found = fresh([first, file(tmp_path / "b", LINE, "s2")], most=len(LINE))

    assert ([name for name, _ in found.lines], found.cut) == (["s1"], {"s2"})


def test_a_file_that_is_gone_or_no_file_is_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    paths = [str(tmp_path / name) for name in ("pipe", "link", "gone")] + [str(tmp_path), "\x00"]

    assert fresh([Behind(path, 0, 100, "s1") for path in paths]).lines == []


def test_files_the_index_has_as_they_are_are_not_behind() -> None:
    looks = [("/p/s1.jsonl", 100, 7)]

    assert behind(looks, {"/p/s1.jsonl": (100, 100, 7)}, "s1") == []


@pytest.mark.parametrize("known", [(60, 60, 7), (60, 100, 8)])
def test_a_file_of_another_size_or_time_is(known: tuple[int, int, int]) -> None:
    found = behind([("/p/s1.jsonl", 100, 7)], {"/p/s1.jsonl": known}, "s1")

    assert found == [Behind("/p/s1.jsonl", 60, 100, "s1")]


def test_a_file_that_shrank_is_read_from_its_start() -> None:
    (found,) = behind([("/p/s1.jsonl", 50, 7)], {"/p/s1.jsonl": (100, 100, 6)}, "s1")

    assert (found.begin, found.end) == (0, 50)


def test_the_sessions_own_come_first_then_the_newest() -> None:
    looks = [("/p/s2.jsonl", 1, 10), ("/p/s3.jsonl", 1, 20), ("/p/s1.jsonl", 1, 5)]

    assert [one.session for one in behind(looks, {}, "s1")] == ["s1", "s3", "s2"]


def made(root: Path, name: str, mtime: int) -> str:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}")
    os.utime(path, ns=(mtime, mtime))
    return str(path)


def looked(root: Path, session: str = "s1") -> set[str]:
    return {os.path.relpath(path, root) for path, _, _ in lately(str(root), session, since_ns=100)}


def test_files_written_since_are_found_with_their_agents(tmp_path: Path) -> None:
    made(tmp_path, "p/s2.jsonl", 100)
    made(tmp_path, "p/s2/subagents/agent-a.jsonl", 5)
    made(tmp_path, "p/s2/subagents/workflows/w/agent-b.jsonl", 5)
    made(tmp_path, "q/s3.jsonl", 99)

    assert looked(tmp_path) == {
        "p/s2.jsonl",
        "p/s2/subagents/agent-a.jsonl",
        "p/s2/subagents/workflows/w/agent-b.jsonl",
    }


def test_the_sessions_own_are_found_whenever_they_were_written(tmp_path: Path) -> None:
    made(tmp_path, "p/s1.jsonl", 1)
    made(tmp_path, "p/s1/subagents/agent-a.jsonl", 1)

    assert looked(tmp_path) == {"p/s1.jsonl", "p/s1/subagents/agent-a.jsonl"}


def test_a_look_has_size_and_time(tmp_path: Path) -> None:
    path = made(tmp_path, "p/s1.jsonl", 7)

    assert list(lately(str(tmp_path), "s1", 100)) == [(path, 2, 7)]


def test_links_pipes_and_other_files_are_not_looked_at(tmp_path: Path) -> None:
    made(tmp_path, "p/notes.txt", 200)
    made(tmp_path, "p/s1/subagents/agent-a.meta.json", 200)
    os.mkfifo(tmp_path / "p" / "pipe.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "p")
    (tmp_path / "loose.jsonl").write_bytes(b"")

    assert looked(tmp_path) == set()


@pytest.mark.parametrize("projects", ["/nowhere", "", "\x00"])
def test_where_there_are_no_projects_nothing_is_found(projects: str) -> None:
    assert list(lately(projects, "s1", 0)) == []


@pytest.mark.parametrize(
    ("path", "session"),
    [
        ("/r/projects/p/s1.jsonl", "s1"),
        ("/r/projects/p/s1/subagents/agent-a.jsonl", "s1"),
        ("/r/projects/p/s1/subagents/workflows/w/agent-a.jsonl", "s1"),
    ],
)
def test_a_path_names_its_session(path: str, session: str) -> None:
    assert session_of(path) == session
