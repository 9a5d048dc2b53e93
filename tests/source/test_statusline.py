import os
from pathlib import Path

import pytest

from unspool.source.claude_code import QUIET_MS
from unspool.source.files import ScannedFile
from unspool.source.statusline import UnindexedFile, read_unindexed, recent_files, unindexed_files

LINE = b'{"usage":{"output_tokens":1}}'
NOW = 1_800_000_000_000


def file(path: Path, data: bytes, session: str = "s1", begin: int = 0) -> UnindexedFile:
    path.write_bytes(data)
    return UnindexedFile(str(path), begin, len(data), "p", session, 0)


def scanned(path: str, size: int, mtime_ns: int) -> ScannedFile:
    """A main transcript of this size and time."""
    fields = [0, 0, 0, 0, 0, 0, size, 0, 0, 0, 0.0, 0.0, 0.0, 0, mtime_ns, 0]
    session = os.path.basename(path).removesuffix(".jsonl")
    return ScannedFile(path, "main", "p", session, None, os.stat_result(fields))


def test_lines_with_usage_come_with_their_project_and_session(tmp_path: Path) -> None:
    found = read_unindexed([file(tmp_path / "a", b"{}\n" + LINE + b"\n{}\n" + LINE)], NOW)

    assert found.lines == [("p", "s1", LINE), ("p", "s1", LINE)]
    assert not found.cut


def test_an_unfinished_last_line_waits_until_nobody_writes(tmp_path: Path) -> None:
    made = file(tmp_path / "a", LINE + b"\n" + LINE)
    counts = [
        len(read_unindexed([made._replace(mtime_ns=(NOW - late) * 1_000_000)], NOW).lines)
        for late in (0, QUIET_MS - 1, QUIET_MS)
    ]

    assert counts == [1, 1, 2]


def test_only_what_the_index_has_not_read_is_read(tmp_path: Path) -> None:
    data = LINE + b"\n" + LINE + b"\n"

    assert len(read_unindexed([file(tmp_path / "a", data, begin=len(LINE) + 1)], NOW).lines) == 1


def test_of_too_much_the_end_is_read(tmp_path: Path) -> None:
    last = LINE.replace(b"1", b"2")

    found = read_unindexed(
        [file(tmp_path / "a", (LINE + b"\n") * 100 + last + b"\n")], NOW, most=40
    )

    assert found.lines[-1] == ("p", "s1", last)
    assert found.cut == {("p", "s1")}


def test_what_comes_after_the_last_byte_that_may_be_read_is_cut(tmp_path: Path) -> None:
    first = file(tmp_path / "a", LINE, "s1")

    found = read_unindexed([first, file(tmp_path / "b", LINE, "s2")], NOW, most=len(LINE))

    assert ([name for _, name, _ in found.lines], found.cut) == (["s1"], {("p", "s2")})


def test_a_file_that_is_gone_or_no_file_is_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    paths = [str(tmp_path / name) for name in ("pipe", "link", "gone")] + [str(tmp_path), "\x00"]

    files = [UnindexedFile(path, 0, 100, "p", "s1", 0) for path in paths]

    assert read_unindexed(files, NOW).lines == []


def test_files_the_index_has_as_they_are_are_not_behind() -> None:
    files = [scanned("/p/s1.jsonl", 100, 7)]

    assert unindexed_files(files, {"/p/s1.jsonl": (100, 100, 7)}, "s1") == []


@pytest.mark.parametrize("known", [(60, 60, 7), (60, 100, 8)])
def test_a_file_of_another_size_or_time_is(known: tuple[int, int, int]) -> None:
    found = unindexed_files([scanned("/p/s1.jsonl", 100, 7)], {"/p/s1.jsonl": known}, "s1")

    assert found == [UnindexedFile("/p/s1.jsonl", 60, 100, "p", "s1", 7)]


def test_a_file_that_shrank_is_read_from_its_start() -> None:
    (found,) = unindexed_files(
        [scanned("/p/s1.jsonl", 50, 7)], {"/p/s1.jsonl": (100, 100, 6)}, "s1"
    )

    assert (found.begin, found.end) == (0, 50)


def test_the_sessions_own_come_first_then_the_newest() -> None:
    files = [
        scanned("/p/s2.jsonl", 1, 10),
        scanned("/p/s3.jsonl", 1, 20),
        scanned("/p/s1.jsonl", 1, 5),
    ]

    assert [one.session for one in unindexed_files(files, {}, "s1")] == ["s1", "s3", "s2"]


def made(root: Path, name: str, mtime: int) -> str:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}")
    os.utime(path, ns=(mtime, mtime))
    return str(path)


def looked(root: Path, session: str = "s1") -> set[str]:
    return {os.path.relpath(file.path, root) for file in recent_files(str(root), session, 100)}


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

    assert [file.state for file in recent_files(str(tmp_path), "s1", 100)] == [(path, 2, 7)]


def test_links_pipes_and_other_files_are_not_looked_at(tmp_path: Path) -> None:
    made(tmp_path, "p/notes.txt", 200)
    made(tmp_path, "p/s1/subagents/agent-a.meta.json", 200)
    os.mkfifo(tmp_path / "p" / "pipe.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "p")
    (tmp_path / "loose.jsonl").write_bytes(b"")

    assert looked(tmp_path) == set()


@pytest.mark.parametrize("projects", ["/nowhere", "", "\x00"])
def test_where_there_are_no_projects_nothing_is_found(projects: str) -> None:
    assert list(recent_files(projects, "s1", 0)) == []


def test_an_old_agent_is_booked_under_the_session_it_names(tmp_path: Path) -> None:
    path = tmp_path / "p" / "agent-q1.jsonl"
    path.parent.mkdir()
    path.write_bytes(b'{"sessionId":"s1"}\n')
    (file,) = recent_files(str(tmp_path), "s1", 0)

    assert [one.session for one in unindexed_files([file], {}, "s1")] == ["s1"]


def test_what_the_index_leaves_alone_is_not_looked_at(tmp_path: Path) -> None:
    made(tmp_path, "p/s1/subagents/agent-q1.jsonl", 200)
    made(tmp_path, "p/s1.jsonl", 200)
    copy = Path(made(tmp_path, "p/agent-q1.jsonl", 200))
    copy.write_bytes(b'{"sessionId":"s1"}\n')
    for name in ("p/s2.orphaned.jsonl", "p/agent-+bad.jsonl", "p.orphaned/s3.jsonl"):
        made(tmp_path, name, 200)

    assert looked(tmp_path) == {"p/s1.jsonl", "p/s1/subagents/agent-q1.jsonl"}


def test_of_a_file_that_was_touched_and_has_not_grown_nothing_is_read_twice() -> None:
    known = {"/p/s1.jsonl": (100, 100, 7)}
    (found,) = unindexed_files([scanned("/p/s1.jsonl", 100, 8)], known, "s1")

    assert (found.begin, found.end) == (100, 100)
