"""The server as a process: it starts, says where it is, keeps the index, and ends in time."""

import os
import signal
import socket
import ssl
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest

from tests.certificates import certificate
from tests.cli.made import root, talk
from tests.cli.runs import here, process
from tests.cli.servings import Serving, runtime, serving, signed_in
from tests.plain_http import NO_TLS
from tests.waiting import until
from unspool.system.processes import birth


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return root(tmp_path / "claude")


class Shared(NamedTuple):
    """One server for those that end nothing."""

    server: Serving
    place: Path
    home: Path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    home, place = tmp_path_factory.mktemp("home"), root(tmp_path_factory.mktemp("claude"))
    with serving(place, "--port", "0", UNSPOOL_HOME=str(home / "unspool")) as server:
        yield Shared(server, place, home)


def test_it_serves_what_is_there_and_takes_in_what_is_written(shared: Shared) -> None:
    server = shared.server
    assert until(lambda: len(server.get("/api/sessions")["items"]) >= 1)
    root(shared.place, talk("session-two", day=2))
    assert until(lambda: len(server.get("/api/sessions")["items"]) == 2)


def test_it_says_how_far_the_index_has_come(shared: Shared) -> None:
    server = shared.server
    root(shared.place, talk("session-two", day=2))
    assert until(lambda: server.get("/api/index")["sessions"] == 2)
    assert until(lambda: server.get("/api/index")["lag"] == {"files": 0, "bytes": 0})
    assert until(lambda: server.get("/api/health")["status"] == "ok")


def test_its_indexer_is_heard_in_a_log_and_on_the_health_page(shared: Shared) -> None:
    server, log = shared.server, shared.home / "unspool" / "writer.log"
    assert until(lambda: log.exists() and f"Watching {shared.place}." in log.read_text())
    with log.open("a") as file:
        file.write("2026-01-01 10:00:00 The disk is full.\n")
    headers = {"authorization": f"Bearer {server.token}"}
    page = httpx.get(f"{server.url}/health", headers=headers, timeout=60, verify=NO_TLS).text

    assert "Its last message: 2026-01-01 10:00:00 The disk is full." in page
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_its_runtime_file_is_its_owners_alone(shared: Shared) -> None:
    server, home = shared.server, shared.home
    found = runtime(home)
    modes = {
        stat.S_IMODE((home / "unspool" / name).stat().st_mode)
        for name in ("runtime.json", "tokens.json", "serve.lock")
    }

    assert set(found) == {"url", "port", "pid", "token", "ingestToken", "open"}
    assert found["url"] == f"http://localhost:{found['port']}"
    assert found["pid"] == server.process.pid
    assert modes == {0o600}
    assert stat.S_IMODE((home / "unspool").stat().st_mode) == 0o700


def test_a_child_that_dies_is_replaced_and_one_whose_server_is_killed_goes_with_it(
    place: Path,
) -> None:
    with serving(place) as server:
        first = writer(server)
        os.kill(first, signal.SIGKILL)
        assert until(lambda: server.get("/api/health")["writerPid"] not in (None, first))
        second = writer(server)
        server.end(signal.SIGKILL)

        assert until(lambda: birth(second) is None)
    with serving(place) as server:  # though the dead one left its files
        assert server.get("/api/health")["version"]


def writer(server: Serving) -> int:
    """The process of its child, once there is one."""
    assert until(lambda: server.get("/api/health")["writerPid"] is not None)
    return int(server.get("/api/health")["writerPid"])


class Run(NamedTuple):
    """One of three servers, one after the other: what it wrote, and how it ended."""

    runtime: dict[str, Any]
    tokens: str
    code: int
    err: str
    child: str | None  # its birth, if it lives
    left: list[str]
    verified: int


class Restarts(NamedTuple):
    """The runs; and how the second answered who signed out of the first, and who did not."""

    runs: list[Run]
    statuses: list[int]


@pytest.fixture(scope="module")
def restarts(tmp_path_factory: pytest.TempPathFactory) -> Restarts:
    """Two servers that keep their token, and one that does not; each is told to stop in its way."""
    home, place = tmp_path_factory.mktemp("home"), root(tmp_path_factory.mktemp("claude"))
    ours = str(home / "unspool")
    with serving(place, "--port", "0", "--keep-token", UNSPOOL_HOME=ours) as server:
        mine, other = (browser(server) for _ in range(2))
        origin = {"origin": server.site}
        httpx.post(f"{server.url}/logout", headers={**mine, **origin}, timeout=60, verify=NO_TLS)
        port = server.url.rpartition(":")[2]
        first = ended(server, signal.SIGTERM, place, home)
    with serving(place, "--port", port, "--keep-token", UNSPOOL_HOME=ours) as server:
        health = f"{server.url}/api/health"
        statuses = [
            httpx.get(health, headers=headers, timeout=60, verify=NO_TLS).status_code
            for headers in (mine, other)
        ]
        kept = ended(server, signal.SIGINT, place, home)
    with serving(place, "--port", "0", UNSPOOL_HOME=ours) as server, unfinished(server):
        last = ended(server, signal.SIGTERM, place, home)
    return Restarts([first, kept, last], statuses)


def browser(server: Serving) -> dict[str, str]:
    """The headers of one that signed in."""
    cookie = signed_in(server, server.token).headers["set-cookie"].partition(";")[0]
    return {"host": server.site.partition("://")[2], "cookie": cookie}


@contextmanager
def unfinished(server: Serving) -> Iterator[None]:
    """A request that does not end."""
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        lines = f"POST /api/x HTTP/1.1\r\nHost: localhost:{port}\r\n"
        lines += f"Authorization: Bearer {server.token}\r\nContent-Length: 10\r\n\r\n"
        slow.sendall(lines.encode())
        sleep(0.2)
        yield


def ended(server: Serving, number: int, place: Path, home: Path) -> Run:
    """Have one read all there is, and tell it to stop."""
    assert until(lambda: len(server.get("/api/sessions")["items"]) == 1)
    child, found = writer(server), runtime(home)
    code, err = server.end(number)
    tokens = (home / "unspool" / "tokens.json").read_text()
    files = [path.name for path in (home / "unspool").iterdir()]
    around = {"UNSPOOL_HOME": str(home / "unspool")}
    verified = process("index", "verify", "--root", place, **around).code
    return Run(found, tokens, code, err, birth(child), files, verified)


def test_told_to_stop_it_ends_well_and_its_child_too(restarts: Restarts) -> None:
    for run in restarts.runs[:2]:
        assert (run.code, run.err) == (0, "")
        assert run.child is None
        assert not {"runtime.json", "index.db-wal"} & set(run.left)
        assert run.verified == 0


def test_a_request_that_does_not_end_is_no_reason_to_stay(restarts: Restarts) -> None:
    assert restarts.runs[2].code == 0


def test_who_signed_out_stays_out_after_a_restart_that_keeps_the_token(restarts: Restarts) -> None:
    assert restarts.statuses == [401, 200]


def test_a_restart_has_a_new_token_unless_it_is_kept_and_the_old_ingest_token(
    restarts: Restarts,
) -> None:
    first, kept, after = (run.runtime for run in restarts.runs)
    sites = {urlsplit(run["open"]).hostname for run in (first, kept, after)}

    assert first["token"] == kept["token"]
    assert after["token"] != kept["token"]
    assert after["ingestToken"] == first["ingestToken"]
    assert len(sites) == 1  # the name of a home stays
    assert first["open"] != kept["open"]  # and no code does
    assert after["token"] not in restarts.runs[2].tokens


def test_a_second_one_says_where_the_first_listens(shared: Shared) -> None:
    server, around = shared.server, {"UNSPOOL_HOME": str(shared.home / "unspool")}
    said = process("serve", "--no-browser", "--root", shared.place, **around)

    assert (said.code, said.err) == (0, "")
    first, address, rest = said.out.split("\n")
    assert (first, rest) == ("unspool is already running.", "")
    assert address.partition("/enter#t=")[0] == server.site
    assert signed_in(server, address.partition("#t=")[2]).status_code == 204


def test_what_is_printed_and_the_browser_have_two_codes_and_never_the_token(
    place: Path, tmp_path: Path
) -> None:
    program, opened = tmp_path / "browser", tmp_path / "opened"
    program.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    program.chmod(0o700)
    with serving(place, "--port", "0", browser=program) as server:
        assert until(opened.exists)
        second = process("serve", "--root", place, BROWSER=str(program)).out
        printed = [server.said, second.splitlines()[-1]]
        addresses = opened.read_text().split()
        codes = [address.strip().partition("#t=")[2] for address in [*printed, *addresses]]
        entered = [signed_in(server, code) for code in codes]

    # Others can see the arguments of a browser: they must not tell the name either.
    assert [address.partition("/enter#")[0] for address in addresses] == [server.url] * 2
    assert [address.partition("/enter#")[0] for address in printed] == [server.site] * 2
    assert len(set(codes)) == 4
    assert server.token not in codes
    assert [answer.status_code for answer in entered] == [204] * 4


def test_through_a_tunnel_it_is_called_and_signed_in_to_by_its_public_name(place: Path) -> None:
    with serving(place, "--port", "0", "--public-url", "http://localhost:8080/") as server:
        entered = signed_in(server, server.code)
        given = {
            "host": "localhost:8080",
            "cookie": entered.headers["set-cookie"].partition(";")[0],
        }
        page = httpx.get(f"{server.url}/api/health", headers=given, timeout=60, verify=NO_TLS)

    assert server.said == f"http://localhost:8080/enter#t={server.code}\n"
    assert server.url.startswith("http://localhost:")
    assert (entered.status_code, page.status_code) == (204, 200)


def test_a_port_that_is_taken_gives_the_next_one_and_programs_are_told_in_json(
    place: Path, home: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with serving(place, "--port", str(port), "--json") as server:
            assert server.said.strip() == (home / "unspool" / "runtime.json").read_text()
            used = int(server.url.rpartition(":")[2])
            _, err = server.end()

    assert port < used < port + 100
    assert err == f"unspool: Port {port} is in use; using {used}.\n"


def test_only_this_machine_reaches_it_by_either_of_its_addresses(shared: Shared) -> None:
    port = shared.server.url.rpartition(":")[2]
    statuses = {
        httpx.get(f"http://127.0.0.1:{port}/api/health", timeout=60, verify=NO_TLS).status_code
    }
    if socket.has_ipv6:
        statuses.add(
            httpx.get(f"http://[::1]:{port}/api/health", timeout=60, verify=NO_TLS).status_code
        )

    assert statuses == {401}


def test_a_daemon_that_writes_is_left_to_it(place: Path) -> None:
    process("index", "daemon", "start", "--root", place)
    try:
        with serving(place) as server:
            assert until(lambda: len(server.get("/api/sessions")["items"]) == 1)
            writer = server.get("/api/index")["writer"]
            code, err = server.end()
    finally:
        process("index", "daemon", "stop")

    assert writer["isDaemon"]
    assert (code, err) == (0, "")


ANYWHERE = "0.0.0.0"  # noqa: S104 - what a careless reader would type


@pytest.mark.parametrize("host", [ANYWHERE, "192.0.2.1", "example.test"])
def test_beyond_this_machine_it_wants_tls_or_a_plain_word(
    place: Path, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "serve", "--no-browser", "--host", host, "--root", place)

    assert said.code == 2
    assert "Give --cert and --key, or --insecure" in said.err


def test_told_so_plainly_it_listens_to_all(place: Path) -> None:
    with serving(place, "--port", "0", "--host", ANYWHERE, "--insecure") as server:
        assert server.get("/api/health")["version"]


def test_a_certificate_that_cannot_be_read_is_told(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "serve", "--cert", place / "none.pem", "--root", place)

    assert said.code == 1
    assert "Cannot read " in said.err


def test_a_port_there_cannot_be_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "serve", "--port", "70000").code == 2


def test_with_a_certificate_it_serves_over_tls(place: Path, tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    trusted = ssl.create_default_context(cafile=cert)
    given = ("--port", "0", "--host", ANYWHERE, "--cert", cert, "--key", key)
    with serving(place, *given) as server:
        entered = httpx.post(
            f"{server.url}/api/enter", json={"token": server.code}, timeout=60, verify=trusted
        )

    assert server.url.startswith("https://localhost:")
    assert entered.status_code == 204
    assert "secure" in entered.headers["set-cookie"].lower()
