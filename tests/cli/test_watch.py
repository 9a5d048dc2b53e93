import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from time import sleep

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import SOURCE, here, process
from tests.source.repositories import repository, worktree
from tests.waiting import until
from unspool.cli.config import open_stores
from unspool.cli.progress import ProgressBar
from unspool.cli.watch import WatchReporter
from unspool.engine.indexing import follow
from unspool.engine.indexing.indexer import Indexer, SweepReport
from unspool.engine.sessions.project_groups import ProjectGroups, read_book
from unspool.errors import StoreFull
from unspool.source.session_files import project_slug
from unspool.source.spool import append


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_it_takes_in_until_it_is_told_to_stop(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "unspool", "index", "watch", "--root", str(root(tmp_path))]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout
        first = [watching.stdout.readline(), watching.stdout.readline()]
        root(tmp_path, talk("session-two"))
        later = watching.stdout.readline()
        watching.send_signal(number)
        rest = watching.stdout.read()

    assert first[0].rstrip().endswith(f"Watching {tmp_path}.")
    assert "5 lines, " in first[1]
    assert "5 lines, " in later
    assert (rest.rstrip().endswith("Stopped."), watching.returncode) == (True, 0)


def test_a_worktree_that_comes_and_goes_while_it_watches_is_remembered(
    tmp_path: Path, home: Path
) -> None:
    main, claude = repository(tmp_path / "shop"), root(tmp_path / "claude")
    command = [sys.executable, "-m", "unspool", "index", "watch"]
    around = {**os.environ, "PYTHONPATH": str(SOURCE), "CLAUDE_CONFIG_DIR": str(claude)}
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout
        watching.stdout.readline()
        linked = worktree(main, tmp_path / "wt")
        root(claude, talk("session-two", cwd=str(linked)))
        id = project_slug(str(linked))
        assert until(lambda: id in read_book(str(home / "unspool")))
        watching.send_signal(signal.SIGTERM)

    assert read_book(str(home / "unspool"))[id].main == str(main)


def test_a_full_disk_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full, done = StoreFull("no room"), SweepReport(lines=3, changed=1)
    given: list[StoreFull | SweepReport] = [full, full, done]
    answers = iter(given)

    def sweep(_: Indexer, __: int, between: object) -> SweepReport:
        answer = next(answers)
        if isinstance(answer, StoreFull):
            raise answer
        return answer

    monkeypatch.setattr(Indexer, "sweep", sweep)
    monkeypatch.setattr(Indexer, "link", interrupted)
    monkeypatch.setattr(follow, "RETRY", 0)
    before = signal.getsignal(signal.SIGTERM)
    said = here(capsys, "index", "watch", "--root", root(tmp_path))

    assert signal.getsignal(signal.SIGTERM) is before
    assert [line[20:] for line in said.out.splitlines()][1:] == [
        "no room",
        "3 lines, 0 bytes from 1 file",
        "The index can be written again; nothing was lost.",
        "Stopped.",
    ]


def interrupted(_: Indexer) -> int:
    raise KeyboardInterrupt


def test_what_is_said_during_a_scan_does_not_stand_behind_the_bar(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    bar = ProgressBar("Indexing")
    reporter = WatchReporter(bar, None, ProjectGroups(home=str(home)), is_quiet=False)
    bar(1, 100)
    reporter(follow.WakeUp(seq=1, messages=("no room",)))

    assert "Indexing" in screen.getvalue()
    assert screen.getvalue().rpartition("\x1b[K")[2][20:] == "no room\n"


def test_events_of_hooks_are_taken_in_as_they_come(tmp_path: Path, home: Path) -> None:
    process("index", "daemon", "start", "--root", root(tmp_path))
    append(home / "unspool" / "spool", [b'{"hook_event_name":"Stop","session_id":"s9"}'], 0)
    asked = "sql", "SELECT session_id FROM hook_events"

    assert until(lambda: "s9" in process(*asked).out)
    process("index", "daemon", "stop")


def test_workers_end_without_a_word(tmp_path: Path, home: Path) -> None:
    (root(tmp_path) / "projects" / "-p").mkdir()
    (tmp_path / "projects" / "-p" / "long.jsonl").write_bytes(b'{"type":"mode"}\n' * 1_500_000)
    process("index", "daemon", "start", "--root", tmp_path)
    sleep(0.5)
    said = process("index", "daemon", "stop")
    log = (home / "unspool" / "daemon.log").read_text().splitlines()

    assert said.code == 0
    assert [line[20:] for line in log] == [f"Watching {tmp_path}.", "Stopped."]


def test_only_one_may_watch(tmp_path: Path) -> None:
    store = open_stores().writing()
    said = process("index", "watch", "--root", root(tmp_path))
    store.close()

    assert said.code == 1
    assert f"process {os.getpid()} is writing" in said.err
