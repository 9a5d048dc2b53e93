"""`unspool serve status` and `unspool serve stop`."""

import json
import signal
import socket
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.cli.runs import Said, here
from tests.cli.servings import Serving, serving, signed_in
from unspool.cli.server_control import fresh_address
from unspool.serve.runtime import Runtime

Capsys = pytest.CaptureFixture[str]
NOT_RUNNING = "unspool is not running. `unspool serve` starts it.\n"


def entered(server: Serving, address: str) -> list[int]:
    """What a browser gets that opens an address twice."""
    site, _, code = address.strip().partition("/enter#t=")
    assert site == server.site
    return [signed_in(server, code).status_code for _ in range(2)]


def check_status_prints_an_address_that_opens_once(server: Serving, capsys: Capsys) -> None:
    said = here(capsys, "serve", "status")
    message, address = said.out.splitlines()

    assert (said.code, said.err) == (0, "")
    assert message == f"unspool is running: process {server.process.pid}."
    assert server.token not in said.out
    assert entered(server, address) == [204, 401]


def check_status_for_programs_has_no_token(server: Serving, capsys: Capsys) -> None:
    said = here(capsys, "serve", "status", "--json")
    found = json.loads(said.out)

    assert (found["running"], found["pid"]) == (True, server.process.pid)
    assert found["url"] == server.url
    assert server.token not in said.out
    assert found["open"] != server.runtime["open"]
    assert entered(server, found["open"]) == [204, 401]


def test_status_tells_of_a_server_and_stop_ends_it_and_leaves_nothing(
    tmp_path: Path, home: Path, capsys: Capsys
) -> None:
    with serving(root(tmp_path)) as server:
        check_status_prints_an_address_that_opens_once(server, capsys)
        check_status_for_programs_has_no_token(server, capsys)
        said = here(capsys, "serve", "stop")

        assert said == Said(0, f"Stopped the server: process {server.process.pid}.\n", "")
        assert server.process.wait(60) == 0
    assert not (home / "unspool" / "runtime.json").exists()
    assert here(capsys, "serve", "status") == Said(0, NOT_RUNNING, "")


def test_where_none_runs_both_say_so(capsys: Capsys, home: Path) -> None:
    assert here(capsys, "serve", "status") == Said(0, NOT_RUNNING, "")
    assert here(capsys, "serve", "stop") == Said(0, NOT_RUNNING, "")
    assert json.loads(here(capsys, "serve", "status", "--json").out) == {
        "running": False,
        "pid": None,
        "url": None,
        "open": None,
    }
    assert json.loads(here(capsys, "serve", "stop", "--json").out) == {
        "running": False,
        "stopped": None,
    }
    assert not (home / "unspool").exists()


def test_a_runtime_file_of_a_dead_server_is_not_believed(tmp_path: Path, capsys: Capsys) -> None:
    with serving(root(tmp_path)) as server:
        server.end(signal.SIGKILL)

    assert here(capsys, "serve", "status") == Said(0, NOT_RUNNING, "")


@pytest.mark.parametrize("content", [None, "{"])
def test_a_damaged_runtime_file_does_not_hide_a_server(
    tmp_path: Path, home: Path, capsys: Capsys, content: str | None
) -> None:
    with serving(root(tmp_path)) as server:
        file = home / "unspool" / "runtime.json"
        file.unlink() if content is None else file.write_text(content)
        pid = server.process.pid

        assert here(capsys, "serve", "status").out.startswith(f"unspool is running: process {pid}.")
        assert here(capsys, "serve", "stop").code == 0
        assert server.process.wait(60) == 0


def test_where_nobody_answers_the_last_known_address_will_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gone = Runtime(
        url="http://localhost:1", port=port, pid=1, token="a", ingest_token="b", open="x"
    )

    assert fresh_address(gone) == "x"
