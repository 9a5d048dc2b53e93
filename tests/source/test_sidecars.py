import os
import subprocess
import sys
from pathlib import Path

import pytest

from unspool.model.files import Root
from unspool.source import sidecars
from unspool.source.roots import find_roots
from unspool.source.sidecars import (
    cleanup_days,
    history,
    job_states,
    output_files,
    plan_file,
    pointer_in,
    read_output,
    registry,
    task_lists,
    todo_lists,
)
from unspool.source.sidecars import read_entry as registry_file


def entry(root: Path, name: str, data: bytes = b"{}") -> None:
    (root / "sessions").mkdir(exist_ok=True)
    (root / "sessions" / name).write_bytes(data)


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def root_of(path: Path) -> Root:
    return Root(1, str(path), "", str(path / "projects"))


def ended_pid() -> int:
    ended = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    ended.wait()
    return ended.pid


def test_an_entry_comes_as_its_bytes_with_its_process(tmp_path: Path) -> None:
    entry(tmp_path, f"{os.getpid()}.json", b'{"half')

    (found,) = registry(tmp_path)

    assert (found.pid, found.data, found.alive) == (os.getpid(), b'{"half', True)


def test_an_entry_whose_process_ended_is_not_alive(tmp_path: Path) -> None:
    entry(tmp_path, f"{ended_pid()}.json")

    assert [found.alive for found in registry(tmp_path)] == [False]


@pytest.mark.parametrize("name", ["1234.key", "1234.json.key", "abc.json", "0.json", "-1.json"])
def test_a_key_or_a_name_without_a_process_is_never_opened(tmp_path: Path, name: str) -> None:
    entry(tmp_path, name)

    assert registry(tmp_path) == []


def test_a_link_in_the_registry_is_not_followed(tmp_path: Path) -> None:
    entry(tmp_path, "real.json")
    (tmp_path / "sessions" / "12.json").symlink_to(tmp_path / "sessions" / "real.json")

    assert registry(tmp_path) == []


def test_a_root_without_a_registry_has_no_entries(tmp_path: Path) -> None:
    assert registry(tmp_path) == []


def test_one_entry_is_read_by_its_path(tmp_path: Path) -> None:
    entry(tmp_path, f"{os.getpid()}.json", b"{}")
    found = registry_file(tmp_path / "sessions" / f"{os.getpid()}.json")

    assert found is not None
    assert (found.pid, found.alive) == (os.getpid(), True)


@pytest.mark.parametrize("name", ["12.json", "12.key", "x.json"])
def test_what_is_no_entry_is_none(tmp_path: Path, name: str) -> None:
    entry(tmp_path, "12.key")

    assert registry_file(tmp_path / "sessions" / name) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_process_born_after_its_file_was_written_has_only_the_number(tmp_path: Path) -> None:
    entry(tmp_path, f"{os.getpid()}.json")
    path = tmp_path / "sessions" / f"{os.getpid()}.json"
    os.utime(path, (1_600_000_000, 1_600_000_000))

    assert [found.alive for found in registry(tmp_path)] == [False]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    results = tmp_path / "s1" / "tool-results"
    results.mkdir(parents=True)
    (results / "out.txt").write_bytes(b"all of it")
    (tmp_path / "secret.txt").write_bytes(b"not yours")
    return tmp_path / "s1"


def test_a_pointer_from_another_machine_is_found_here(session: Path) -> None:
    assert read_output(session, "/home/other/.claude/projects/-x/s0/tool-results/out.txt") == (
        b"all of it"
    )


def test_a_pointer_from_windows_is_found_too(session: Path) -> None:
    assert read_output(session, "C:\\Users\\x\\tool-results\\out.txt\n") == b"all of it"


@pytest.mark.parametrize(
    "pointer", ["../../secret.txt", "/etc/passwd", "..", ".", "", "/", "a\0b", "x" * 5000]
)
def test_nothing_outside_the_session_s_results_is_read(session: Path, pointer: str) -> None:
    assert read_output(session, pointer) is None


def test_a_link_out_of_the_results_is_not_followed(session: Path) -> None:
    (session / "tool-results" / "link.txt").symlink_to(session.parent / "secret.txt")

    assert read_output(session, "link.txt") is None


def test_results_that_are_themselves_a_link_are_not_followed(session: Path) -> None:
    other = session.parent / "s2"
    other.mkdir()
    (other / "tool-results").symlink_to(session / "tool-results")

    assert read_output(other, "out.txt") is None


def test_a_result_longer_than_the_limit_is_not_given(session: Path) -> None:
    assert read_output(session, "out.txt", limit=8) is None
    assert read_output(session, "out.txt", limit=9) == b"all of it"


def test_a_pipe_among_the_results_does_not_hold_us(session: Path) -> None:
    os.mkfifo(session / "tool-results" / "pipe.txt")

    assert read_output(session, "pipe.txt") is None


def test_a_session_without_results_has_none(tmp_path: Path) -> None:
    assert read_output(tmp_path, "out.txt") is None


def test_every_output_of_a_root_is_listed_with_its_session(tmp_path: Path) -> None:
    for session in ("s1", "s2"):
        directory = tmp_path / "projects" / "-repo" / session / "tool-results"
        directory.mkdir(parents=True)
        (directory / f"{session}.json").write_bytes(b"12345")
    (directory / "a\\b.txt").write_bytes(b"no pointer leads here")
    (root,) = find_roots([tmp_path], {}, tmp_path)
    found = list(output_files(root))

    assert [(one.session_id, one.path, one.size) for one in found] == [
        ("s1", "projects/-repo/s1/tool-results/s1.json", 5),
        ("s2", "projects/-repo/s2/tool-results/s2.json", 5),
    ]


def test_a_line_names_the_file_of_its_output() -> None:
    said = "<persisted-output>\nToo large. Full output saved to: /a/b.txt \n\nPreview"

    assert (pointer_in(said), pointer_in("nothing")) == ("/a/b.txt", "")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ('{"cleanupPeriodDays": 365}', 365),
        ('{\n  "env": {},\n  "cleanupPeriodDays" :\n 7\n}', 7),
        ('{"env": {}}', None),
        (r'{"note": "\"cleanupPeriodDays\": 9"}', None),
        ('{"cleanupPeriodDays": "soon"}', None),
        ("", None),
        ('{"cleanupPeriodDays": 5', 5),
    ],
)
def test_days_are_read_from_the_settings(tmp_path: Path, text: str, days: int | None) -> None:
    (tmp_path / "settings.json").write_text(text)

    assert cleanup_days(str(tmp_path)) == days


def test_without_settings_nothing_is_said_about_days(tmp_path: Path) -> None:
    assert cleanup_days(str(tmp_path)) is None


def test_a_directory_instead_of_settings_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "settings.json").mkdir()

    assert cleanup_days(str(tmp_path)) is None


def test_history_is_given_line_by_line_the_last_one_whole_or_not(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_bytes(b"one\ntwo\nthr")

    assert [line for line in history(str(tmp_path)) if line] == [b"one", b"two", b"thr"]


def test_a_line_longer_than_one_read_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecars, "_STRIDE", 3)
    (tmp_path / "history.jsonl").write_bytes(b"one\ntwenty-two\n3")

    assert [line for line in history(str(tmp_path)) if line] == [b"one", b"twenty-two", b"3"]


def test_without_a_history_there_are_no_lines(tmp_path: Path) -> None:
    assert list(history(str(tmp_path))) == []


def test_tasks_are_those_of_the_session_or_of_its_team_by_number(tmp_path: Path) -> None:
    for name in ("12345678-9abc/10.json", "12345678-9abc/9.json", "session-12345678/1.json"):
        put(tmp_path / "tasks" / name, name)
    for other in ("12345678-9abc/.lock", "12345678-9abc/9.txt", "12345678/1.json"):
        put(tmp_path / "tasks" / other, other)

    assert task_lists(root_of(tmp_path), "12345678-9abc") == [
        b"session-12345678/1.json",
        b"12345678-9abc/9.json",
        b"12345678-9abc/10.json",
    ]


def test_todos_are_the_session_s_own(tmp_path: Path) -> None:
    for name in ("s1.json", "s1-agent-s1.json", "s1-agent-a7.json", "s11.json"):
        put(tmp_path / "todos" / name, name)

    assert todo_lists(root_of(tmp_path), "s1") == [b"s1-agent-s1.json", b"s1.json"]


@pytest.mark.parametrize("slug", ["", "other", "../plans/kite", "a/b"])
def test_a_plan_is_named_after_the_slug(tmp_path: Path, slug: str) -> None:
    put(tmp_path / "plans" / "kite.md", "# Plan")

    assert plan_file(root_of(tmp_path), "kite") == str(tmp_path / "plans" / "kite.md")
    assert plan_file(root_of(tmp_path), slug) is None


def test_jobs_are_named_after_their_directories(tmp_path: Path) -> None:
    for name in ("a1/state.json", "a1/timeline.jsonl", "a2/tmp/state.json", "pins.json"):
        put(tmp_path / "jobs" / name, name)

    assert list(job_states(root_of(tmp_path))) == [("a1", b"a1/state.json")]
