import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from tests.source.watches import (
    NEVER,
    append,
    append_often,
    heard,
    heard_later,
    names,
    transcript,
    watcher,
)
from unspool.source.roots import find_roots
from unspool.source.watch import FileVersion, Watcher, WatchScope


def test_what_is_there_at_the_start_is_not_told(tmp_path: Path) -> None:
    transcript(tmp_path)
    with watcher(tmp_path) as watched:
        assert heard_later(watched) == []


def test_an_append_is_told_once(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    with watcher(tmp_path) as watched:
        append(path)

        assert names(heard(watched, 1)) == ["s1.jsonl"]
        assert heard_later(watched) == []


def test_a_new_session_and_its_agent_are_told(tmp_path: Path) -> None:
    transcript(tmp_path)
    with watcher(tmp_path) as watched:
        transcript(tmp_path, "s2.jsonl")
        transcript(tmp_path, "agent-a1.jsonl", project="-p/s2/subagents")
        changes = heard(watched, 2)

    assert {(one.session_id, one.is_subagent) for one in changes} == {("s2", False), ("s2", True)}


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("hooks/-p/s1.hooks.jsonl", "hook_log"),
        ("sessions/77.json", "registry"),
        ("spool/2026-11-01.spool", "spool"),
    ],
)
def test_hooks_registry_and_spool_are_told(tmp_path: Path, place: str, kind: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    with watcher(tmp_path, spool=tmp_path / "spool") as watched:
        path.write_text("{}\n")

        assert [change.kind for change in heard(watched, 1)] == [kind]


def test_a_registry_entry_rewritten_at_the_same_length_is_told(tmp_path: Path) -> None:
    entry = tmp_path / "sessions" / "77.json"
    entry.parent.mkdir()
    entry.write_text('{"status":"busy"}')
    with watcher(tmp_path) as watched:
        entry.write_text('{"status":"idle"}')

        assert names(heard(watched, 1)) == ["77.json"]


# devtools 113
def test_a_directory_that_appears_later_is_watched(tmp_path: Path) -> None:
    with watcher(tmp_path) as watched:
        path = transcript(tmp_path)
        first = heard(watched, 1)
        append(path)

        assert names(first + heard(watched, 1)) == ["s1.jsonl", "s1.jsonl"]


# devtools 113
def test_a_watch_that_fails_is_set_up_anew(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    with watcher(tmp_path) as watched:
        break_watch(watched)
        append(path)
        first = heard(watched, 1)
        append(path)

        assert names(first + heard(watched, 1)) == ["s1.jsonl", "s1.jsonl"]


def break_watch(watched: Watcher) -> None:
    notify = watched._listener._notify
    assert notify is not None
    notify.close()


def test_a_directory_made_anew_is_watched_again(tmp_path: Path) -> None:
    transcript(tmp_path)
    with watcher(tmp_path) as watched:
        (tmp_path / "projects").rename(tmp_path / "away")
        gone = heard(watched, 1)
        path = transcript(tmp_path)
        again = heard(watched, 1)
        append(path)

        assert [one.gone for one in gone + again + heard(watched, 1)] == [True, False, False]


# devtools 115
def test_an_append_the_system_did_not_tell_of_is_told_by_the_sweep(tmp_path: Path) -> None:
    """A write through another name of the file is an event of the other directory."""
    path = transcript(tmp_path)
    os.link(path, tmp_path / "other-name")
    with watcher(tmp_path, rescan=0.5) as watched:
        append(tmp_path / "other-name")

        assert names(heard(watched, 1)) == ["s1.jsonl"]
        assert heard_later(watched, 1.2) == []


def test_without_the_sweep_it_would_not_have_been_told(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    os.link(path, tmp_path / "other-name")
    with watcher(tmp_path) as watched:
        append(tmp_path / "other-name")

        assert heard_later(watched) == []


def test_a_sweep_of_many_files_finds_the_one_that_changed(tmp_path: Path) -> None:
    paths = [transcript(tmp_path, f"s{number}.jsonl") for number in range(600)]
    os.link(paths[7], tmp_path / "other-name")
    with watcher(tmp_path, rescan=0.5) as watched:
        append(tmp_path / "other-name")

        assert names(heard(watched, 1) + heard_later(watched)) == ["s7.jsonl"]


def test_where_a_sweep_takes_long_the_next_one_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps: list[float] = []

    def slow(_: WatchScope) -> Iterator[tuple[str, FileVersion]]:
        sweeps.append(monotonic())
        sleep(0.05)
        return iter(())

    with watcher(tmp_path, rescan=0.2) as watched:
        monkeypatch.setattr(WatchScope, "versions", slow)
        while not sweeps:
            watched.next(Event(), 0.05)
        heard_later(watched)

    assert len(sweeps) == 1


# devtools 115
def test_a_subagent_that_shrank_unnoticed_is_told_by_the_sweep(tmp_path: Path) -> None:
    path = transcript(tmp_path, "agent-a1.jsonl", project="-p/s1/subagents", data="{}\n{}\n")
    os.link(path, tmp_path / "other-name")
    with watcher(tmp_path, rescan=0.5) as watched:
        os.truncate(tmp_path / "other-name", 3)

        assert [one.is_subagent for one in heard(watched, 1)] == [True]


# devtools 116
def test_a_file_that_nobody_wrote_is_not_told(tmp_path: Path) -> None:
    transcript(tmp_path)
    with watcher(tmp_path, rescan=0.2) as watched:
        assert heard_later(watched) == []


@pytest.mark.parametrize("rescan", [0.2, NEVER])
def test_a_file_written_anew_at_the_same_length_is_told(tmp_path: Path, rescan: float) -> None:
    path = transcript(tmp_path)
    os.utime(path, (0, 0))
    with watcher(tmp_path, rescan=rescan) as watched:
        with path.open("r+") as file:
            file.write("[]\n")

        assert names(heard(watched, 1)) == ["s1.jsonl"]


# devtools 116
def test_a_deleted_file_is_told_once_and_forgotten(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    with watcher(tmp_path, rescan=0.2) as watched:
        path.unlink()
        gone = heard(watched, 1) + heard_later(watched)
        transcript(tmp_path)

        assert [one.gone for one in gone] == [True]
        assert [one.gone for one in heard(watched, 1)] == [False]


# devtools 117
def test_changes_while_one_is_dealt_with_give_exactly_one_more(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    with watcher(tmp_path) as watched:
        append(path)
        changes = heard(watched, 2, meanwhile=lambda: append_often(path, times=5, every=0.06))

        assert names(changes + heard_later(watched)) == ["s1.jsonl", "s1.jsonl"]


def test_a_steady_writer_is_told_of_again_and_again(tmp_path: Path) -> None:
    path, start, stop = transcript(tmp_path), monotonic(), Event()

    def write() -> None:
        while not stop.wait(0.01):
            append(path)

    writer = Thread(target=write)
    with watcher(tmp_path) as watched:
        writer.start()
        changes = heard(watched, 5)
        stop.set()
        writer.join()

    assert 5 <= len(changes) <= (monotonic() - start) / 0.1 + 1


def test_no_file_is_missed_however_fast_directories_come(tmp_path: Path) -> None:
    transcript(tmp_path)
    with watcher(tmp_path) as watched:
        for number in range(600):
            transcript(tmp_path, f"s{number % 3}.jsonl", project=f"-p{number // 3}/")
        changes = heard(watched, 600)

    assert len({change.path for change in changes}) == len(changes) == 600


def test_a_project_moved_in_as_a_whole_is_told(tmp_path: Path) -> None:
    transcript(tmp_path)
    away = transcript(tmp_path / "away").parent
    (away / "notes.txt").write_text("not a transcript")
    with watcher(tmp_path) as watched:
        away.rename(tmp_path / "projects" / "-moved")
        changes = heard(watched, 1) + heard_later(watched)

    assert [change.project_id for change in changes] == ["-moved"]


def test_a_project_taken_away_is_told_file_by_file(tmp_path: Path) -> None:
    transcript(tmp_path)
    project = transcript(tmp_path, "s2.jsonl", project="-q").parent
    with watcher(tmp_path) as watched:
        project.rename(tmp_path / "away")

        assert [(one.project_id, one.gone) for one in heard(watched, 1)] == [("-q", True)]


def test_links_pipes_and_other_files_are_not_told(tmp_path: Path) -> None:
    beside = transcript(tmp_path).parent
    with watcher(tmp_path, rescan=0.2) as watched:
        (beside / "link.jsonl").symlink_to(tmp_path)
        os.mkfifo(beside / "pipe.jsonl")
        (beside / "notes.txt").write_text("x")
        (beside / "s1.jsonl.tmp").write_text("x")

        assert heard_later(watched) == []


def test_a_legacy_agent_names_its_session_once_it_is_written(tmp_path: Path) -> None:
    path = transcript(tmp_path, "agent-a1.jsonl", data="")
    with watcher(tmp_path) as watched:
        append(path, '{"sessionId":"s9"}\n')

        assert [change.session_id for change in heard(watched, 1)] == ["s9"]


def test_looking_by_turns_finds_appends_new_files_and_lost_ones(tmp_path: Path) -> None:
    old = [transcript(tmp_path, f"{number}.jsonl") for number in range(70)]
    for path in old[:2]:
        os.utime(path, (0, 0))  # so old that only a sweep looks at them
    with watcher(tmp_path, polling=True) as watched:
        append(old[0])
        old[1].unlink()
        append(old[69])
        transcript(tmp_path, "new.jsonl")
        changes = heard(watched, 4)

    assert names(changes)[0] == "69.jsonl"  # what was written to lately is looked at first
    assert {(Path(one.path).name, one.gone) for one in changes} == {
        ("0.jsonl", False),
        ("1.jsonl", True),
        ("69.jsonl", False),
        ("new.jsonl", False),
    }


def test_an_empty_batch_comes_when_nothing_happens(tmp_path: Path) -> None:
    with watcher(tmp_path) as watched:
        assert next(watched.batches(Event(), idle=0.01)) == ()


def test_another_thread_can_stop_it(tmp_path: Path) -> None:
    stop = Event()
    with watcher(tmp_path) as watched:
        thread = Thread(target=lambda: list(watched.batches(stop)))
        thread.start()
        stop.set()
        thread.join(timeout=60)

        assert not thread.is_alive()


def test_roots_that_are_not_there_are_no_trouble(tmp_path: Path) -> None:
    roots = find_roots([], {"CLAUDE_CONFIG_DIR": str(tmp_path / "absent")}, tmp_path)
    with Watcher(roots, say=pytest.fail) as watched:
        assert heard_later(watched, 0.1) == []


def test_a_root_that_is_removed_is_told_and_may_come_back(tmp_path: Path) -> None:
    root = tmp_path / "root"
    transcript(root)
    with watcher(root) as watched:
        shutil.rmtree(root)
        gone = heard(watched, 1)
        transcript(root)

        assert [one.gone for one in gone + heard(watched, 1)] == [True, False]


def test_who_asks_for_the_next_changes_waits_no_longer_than_he_says(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    with watcher(tmp_path) as watched:
        nothing = watched.next(Event(), 0.0)
        append(path)
        batch = watched.next(Event(), 20.0)

    assert (nothing, names(list(batch))) == ((), ["s1.jsonl"])
