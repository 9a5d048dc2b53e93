"""A server on a machine without sessions: made-up ones, and the real ones once there are any."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from tests.cli.made import root, talk
from tests.cli.runs import SOURCE, here, process
from tests.cli.servings import Serving, runtime, serving, signed_in
from tests.plain_http import NO_TLS
from tests.waiting import until

SECONDS = 60
NOTE = "These sessions are made up; yours will appear here as soon as ~/.claude/projects has one."

NONE = (
    "unspool: There are no sessions in ~/.claude/projects yet. "
    "Showing made-up ones until there are."
)
FOUND = "unspool: Found a session in ~/.claude/projects: showing your sessions now."


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where servers put what is temporary: one that is killed leaves it there."""
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setenv("TMPDIR", str(made))
    return made


def sessions(server: Serving) -> list[str]:
    return [row["session"]["id"] for row in server.get("/api/sessions?limit=100")["items"]]


def until_some(server: Serving, count: int = 1) -> list[str]:
    deadline = monotonic() + SECONDS
    while len(found := sessions(server)) < count:
        assert monotonic() < deadline, f"{len(found)} sessions in a minute"
        sleep(0.05)
    return found


def until_real(server: Serving) -> None:
    deadline = monotonic() + SECONDS
    while not is_real(server):
        assert monotonic() < deadline, "still made up after a minute"
        sleep(0.05)


def is_real(server: Serving) -> bool:
    try:
        return not server.get("/api/health")["demo"] and sessions(server) != []
    except httpx.TransportError:  # the one that made them up closes its connections as it goes
        return False


def page(server: Serving, path: str = "/") -> str:
    headers = {"authorization": f"Bearer {server.token}", "accept": "text/html"}
    return httpx.get(f"{server.url}{path}", headers=headers, timeout=SECONDS, verify=NO_TLS).text


def test_the_first_session_takes_over_and_nothing_made_up_is_left(
    home: Path, temporary: Path
) -> None:
    with serving(None) as server:
        check_it_serves_made_up_sessions_and_says_so(server, home)
        check_the_first_session_takes_over_at_the_same_address(server, home)
        assert list(temporary.iterdir()) == []
        _, err = server.end()

    assert err.splitlines() == [NONE, FOUND]
    check_nothing_made_up_is_left_in_index_and_sums()


def check_it_serves_made_up_sessions_and_says_so(server: Serving, home: Path) -> None:
    until_some(server, 4)
    assert server.get("/api/health")["demo"] is True
    assert NOTE in page(server)
    assert NOTE in page(server, "/nowhere")
    assert server.said == f"{server.site}/enter#t={server.code}\n"  # on a line of its own
    assert server.url.startswith("http://localhost:")
    assert not (home / "unspool" / "index.db").exists()


def check_the_first_session_takes_over_at_the_same_address(server: Serving, home: Path) -> None:
    entered, site = signed_in(server, server.code), server.site
    before = runtime(home)
    root(home / ".claude", talk("a-real-one"))
    until_real(server)

    assert sessions(server) == ["a-real-one"]
    given = {"host": site.partition("://")[2], "cookie": entered.headers["set-cookie"]}
    assert (
        httpx.get(f"{server.url}/spend", headers=given, timeout=60, verify=NO_TLS).status_code
        == 200
    )
    assert runtime(home) == before
    assert signed_in(server, before["open"].partition("#t=")[2]).status_code == 204
    assert "made up" not in page(server) + page(server, "/nowhere")
    root(home / ".claude", talk("another", day=2))
    assert set(until_some(server, 2)) == {"a-real-one", "another"}


def check_nothing_made_up_is_left_in_index_and_sums() -> None:
    listed = json.loads(process("sql", "SELECT session_id FROM sessions", "--json").out)
    costs = json.loads(process("cost", "session", "--json").out)
    shown = json.loads(process("ls", "--json", "--all").out)
    real = ["a-real-one", "another"]
    assert sorted(row["session_id"] for row in listed["items"]) == real
    assert sorted(row["sessionId"] for row in costs["sessions"]) == real
    assert sorted(row["session"]["id"] for row in shown["items"]) == real


def test_a_place_from_the_environment_may_still_appear(tmp_path: Path) -> None:
    with serving(None, CLAUDE_CONFIG_DIR=str(tmp_path / "later")) as server:
        assert f"as soon as {tmp_path}/later/projects has one." in page(server)
        root(tmp_path / "later", talk("a-real-one"))
        until_real(server)
        assert sessions(server) == ["a-real-one"]


@pytest.mark.parametrize(
    ("number", "made"),
    [(signal.SIGTERM, ".claude"), (signal.SIGHUP, ".claude/projects/-empty")],
    ids=["SIGTERM", "SIGHUP"],
)
def test_told_to_stop_it_leaves_nothing_and_a_directory_is_no_session(
    home: Path, temporary: Path, number: int, made: str
) -> None:
    (home / made).mkdir(parents=True)
    with serving(None) as server:
        until_some(server)
        assert server.get("/api/health")["demo"] is True
        check_an_event_that_is_handed_in_is_the_readers_own(server, home)
        assert len(list(temporary.iterdir())) == 1
        assert server.end(number) == (0, f"{NONE}\n")

    assert list(temporary.iterdir()) == []
    assert not (home / "unspool" / "runtime.json").exists()
    assert not (home / "unspool" / "index.db").exists()


def check_an_event_that_is_handed_in_is_the_readers_own(server: Serving, home: Path) -> None:
    event = {"hook_event_name": "SessionStart", "session_id": "a-real-one", "cwd": "/x"}
    bearer = {"authorization": f"Bearer {runtime(home)['ingestToken']}"}
    answer = httpx.post(
        f"{server.url}/api/events", json=event, headers=bearer, timeout=SECONDS, verify=NO_TLS
    )

    assert answer.status_code == 201, answer.text
    (spooled,) = (home / "unspool" / "spool").iterdir()
    assert b"a-real-one" in spooled.read_bytes()


def test_asked_for_the_demo_it_says_so_stays_and_leaves_nothing(
    home: Path, temporary: Path
) -> None:
    root(home / ".claude")
    with serving(None, "--port", "0", "--demo") as server:
        until_some(server, 4)
        assert server.get("/api/health")["demo"] is True
        assert "These sessions are made up: unspool was started with --demo." in page(server)
        running = "/api/sessions?status=waiting_for_approval"
        assert until(lambda: server.get(running)["items"])
        assert len(list(temporary.iterdir())) == 1
        assert server.end(signal.SIGINT) == (0, "")

    assert list(temporary.iterdir()) == []
    assert not (home / "unspool").exists()


def test_told_to_stop_while_it_makes_sessions_up_it_leaves_nothing_either(temporary: Path) -> None:
    # Not `serving`, which waits for the address.
    command = [sys.executable, "-m", "unspool", "serve", "--no-browser", "--port", "0"]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=around, stdout=pipe, stderr=pipe, text=True) as starting:
        deadline = monotonic() + SECONDS
        while not list(temporary.glob("*/claude/projects")) and monotonic() < deadline:
            sleep(0.001)
        starting.send_signal(signal.SIGTERM)
        out, _ = starting.communicate(timeout=SECONDS)

    assert (starting.returncode, out) == (0, "")
    assert list(temporary.iterdir()) == []


WRITES = """
import os, signal
from unspool.cli.demonstration import demonstration
from unspool.cli.supervisor import Shutdown
os._exit = lambda _: None  # as if whoever removes it were slow to end us
with Shutdown() as stop, demonstration(stop) as demo:
    os.kill(os.getpid(), signal.SIGTERM)
    while True:
        (demo.root / "more").write_text("x")
"""


def test_what_is_still_written_while_all_is_removed_is_no_failure(temporary: Path) -> None:
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", WRITES], env=around, check=False, timeout=SECONDS)

    assert done.returncode == 0
    assert list(temporary.iterdir()) == []


HANGS = """
import os, signal, time
from unspool.cli.demonstration import demonstration
from unspool.cli.supervisor import Shutdown
with Shutdown() as stop, demonstration(stop):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(3_600)
"""


def test_something_that_does_not_end_is_no_reason_to_leave_anything(temporary: Path) -> None:
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", HANGS], env=around, check=False, timeout=SECONDS)

    assert done.returncode == 0
    assert list(temporary.iterdir()) == []


def test_an_archive_is_shown_though_the_files_are_gone_until_the_terminal_ends(home: Path) -> None:
    root(home / ".claude")
    process("index", "build")
    shutil.rmtree(home / ".claude")
    with serving(None) as server:
        assert server.get("/api/health")["demo"] is False
        assert until_some(server) == ["session-one"]
        assert server.end(signal.SIGHUP) == (0, "")

    assert not (home / "unspool" / "runtime.json").exists()
    assert not (home / "unspool" / "index.db-wal").exists()


def test_a_named_root_without_sessions_is_served_as_it_is_and_outlives_the_terminal_if_told_so(
    tmp_path: Path,
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with serving(tmp_path) as server:
            server.process.send_signal(signal.SIGHUP)
            assert server.get("/api/health")["demo"] is False
            assert sessions(server) == []
            assert "made up" not in page(server)
            root(tmp_path, talk("a-real-one"))
            assert until_some(server) == ["a-real-one"]
            assert server.process.poll() is None
            assert server.end()[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_named_root_that_is_not_there_is_not_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "serve", "--no-browser", "--root", tmp_path / "none")

    told = f"No directory at {tmp_path}/none."
    assert (said.code, said.out) == (3, "")
    assert told in said.err
