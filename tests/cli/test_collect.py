"""`unspool hub` and `unspool collect` together, as somebody sets them up."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import SOURCE
from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.waiting import until
from unspool.cli import collect, config, main
from unspool.demo import Transcript
from unspool.hub.collector.settings import HubSettings, write_settings
from unspool.hub.machines import machine_rows
from unspool.store.sqlite.lock import WriterLock


def test_a_machine_is_enrolled_and_sends_until_it_is_revoked(
    hub: HubDatabase, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript("s1").user("hello").says("hi").save(home / ".claude")
    at = ["--database-url", hub.url]
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        assert runtime.token.startswith("up_")
        assert main(["hub", "enrol", "--json", *at]) == 0
        code = json.loads(capsys.readouterr().out)["code"]
        assert main(["index", "build"]) == 0
        send = ["collect", "--once", "--mode", "raw", "--hub", runtime.url]
        assert main([*send, "--code", code, "--name", "laptop"]) == 0
        assert main(["collect", "--once"]) == 0
        capsys.readouterr()
        assert main(["hub", "machines", "--json", *at]) == 0
        (machine,) = json.loads(capsys.readouterr().out)
        assert (machine["name"], machine["sources"]) == ("laptop", 1)
        assert main(["hub", "rotate", "laptop", "--json", *at]) == 0
        again = json.loads(capsys.readouterr().out)["code"]
        assert main([*send, "--code", again]) == 0
        assert main(["hub", "revoke", "laptop", *at]) == 0
        assert main([*send, "--code", again]) == 1

    owner = hub.people.people()[0].owner
    assert [row.project_id for row in hub.store(owner).sources()] == ["laptop~-repo"]
    assert main(["hub", "init", *at]) == 1  # it has an admin already


def test_a_machine_without_an_index_has_one_written_while_it_sends(
    hub: HubDatabase, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript("s1").user("hello").says("hi").save(home / ".claude")
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        assert main(["hub", "enrol", "--json", "--database-url", hub.url]) == 0
        code = json.loads(capsys.readouterr().out)["code"]
        command = [sys.executable, "-m", "unspool", "collect", "--hub", runtime.url]
        around = {**os.environ, "PYTHONPATH": str(SOURCE)}
        with subprocess.Popen([*command, "--code", code, "--name", "laptop"], env=around) as sender:
            store = hub.store(hub.people.people()[0].owner)
            arrived = until(lambda: sender.poll() is not None or store.sources())
            sender.terminate()

    assert (arrived, sender.returncode) == (True, 0)
    assert [row.project_id for row in store.sources()] == ["laptop~-repo"]
    assert "Watching" in (home / "unspool" / "writer.log").read_text()


def test_wrong_usage_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect"]) == 2
    assert "not enrolled" in capsys.readouterr().err
    assert main(["collect", "--hub", "http://hub.example.com", "--code", "x"]) == 2
    assert "https://" in capsys.readouterr().err
    assert main(["hub", "serve"]) == 2
    assert "--database-url" in capsys.readouterr().err
    assert main(["hub", "revoke"]) == 2


def test_a_machine_is_called_by_its_host_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for host, name in (("Ada's-Mac.local", "ada-s-mac"), ("r2", "machine"), ("", "machine")):
        monkeypatch.setattr("socket.gethostname", lambda host=host: host)
        assert collect._host_name() == name


@pytest.mark.slow
def test_a_server_sends_beside_its_pages_and_nobody_else_does(
    hub: HubDatabase, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Transcript("s1").user("hello").says("hi").save(home / ".claude")
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}

    def is_connected() -> bool:
        return any(one.connected_at is not None for one in machine_rows(hub.people, config.now()))

    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        code = hub.people.new_code(hub.people.people()[0].owner, config.now())
        assert main(["index", "build"]) == 0
        enrol = ["collect", "--once", "--hub", runtime.url, "--code", code, "--name", "laptop"]
        assert main(enrol) == 0
        command = [sys.executable, "-m", "unspool", "serve", "--no-browser", "--port", "0"]
        with subprocess.Popen(command, env=around, stdout=subprocess.DEVNULL) as server:
            try:
                assert until(is_connected)
                capsys.readouterr()
                assert main(["collect", "--once"]) == 1
                assert "already sends the sessions of this home" in capsys.readouterr().err
            finally:
                server.terminate()
        assert until(lambda: not is_connected())


def test_a_collector_runs_beside_a_server_only_where_it_should(home: Path) -> None:
    place = home / "unspool"
    may = collect.supervisor(place, lambda _: None)._may
    assert not may()  # not enrolled
    write_settings(place, HubSettings(url="http://localhost:1", machine="laptop", key="uk_x"))
    assert not may()  # nobody keeps the index
    writer = WriterLock(place / "index.lock")
    assert may()
    other = WriterLock(place / collect.COLLECT_LOCK)
    assert not may()  # somebody sends already
    other.release()
    assert may()
    writer.release()
