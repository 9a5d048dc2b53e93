"""`unspool hub serve` as people start it: with its own PostgreSQL, with a certificate, twice."""

import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.certificates import certificate
from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.store.made import Source
from tests.store.postgres.conftest import empty as empty
from tests.store.postgres.test_schema import noted
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.hub.envelope import sealed
from unspool.serve.runtime import Runtime
from unspool.store.postgres.database import open_pool
from unspool.store.postgres.schema import migrations


@pytest.fixture
def street() -> Iterator[Path]:
    """Where the embedded PostgreSQL may run as another user: not below pytest's own directory."""
    made = Path(mkdtemp(prefix="unspool-embedded-"))
    yield made
    rmtree(made, ignore_errors=True)


def asked(runtime: Runtime, path: str, token: str = "") -> httpx.Response:
    headers = {"authorization": f"Bearer {token or runtime.token}"}
    return httpx.get(runtime.url + path, headers=headers, timeout=60, verify=NO_TLS)


def test_a_hub_with_a_postgresql_of_its_own_takes_what_a_machine_sends(
    home: Path, street: Path
) -> None:
    """The guide's five minutes."""
    Transcript("s1").user("count the kettles").says("Three.").save(home / ".claude")
    assert main(["index", "build"]) == 0
    with HubProcess("", street / "hub", options=["--embedded"]) as process:
        runtime = process.start()
        said = subprocess.run(
            [sys.executable, "-m", "unspool", "hub", "enrol", "--embedded"],
            env={**os.environ, "UNSPOOL_HOME": str(street / "hub")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        (code,) = set(re.findall(r"ue_[\w-]+", said))
        assert main(["collect", "--once", "--hub", runtime.url, "--code", code]) == 0
        assert "count the kettles" in asked(runtime, "/api/sessions").text
        assert (street / "hub-postgres" / "postmaster.pid").exists()
        assert process.stop() == 0

    assert until(lambda: not (street / "hub-postgres" / "postmaster.pid").exists())


def test_what_one_of_two_hubs_takes_is_on_the_pages_of_the_other(
    hub: HubDatabase, tmp_path: Path
) -> None:
    token = hub.person("lea", "lead")
    hub.machine("laptop", "ada")
    first, second = (HubProcess(hub.url, tmp_path / name) for name in ("first", "second"))
    with first, second:
        here, there = first.start(), second.start()
        assert asked(there, "/api/sessions", token).json()["items"] == []
        batch = Source(5).line("text").tells(title="Kettles", last_activity=config.now()).batch()
        with connect(
            there.url.replace("http", "ws", 1) + "/api/dashboard",
            origin=Origin(there.url),
            additional_headers={"authorization": f"Bearer {token}"},
            open_timeout=60,
        ) as socket:
            assert '"init"' in str(socket.recv(timeout=60))
            answer = httpx.post(
                f"{here.url}/api/ingest",
                content=sealed(envelope(shipment(batch))),
                headers={
                    "authorization": f"Bearer {hub.keys['laptop']}",
                    "content-encoding": "zstd",
                },
                timeout=60,
                verify=NO_TLS,
            )
            assert answer.status_code == 200
            while "Kettles" not in str(socket.recv(timeout=60)):
                pass
        found = asked(there, "/api/sessions", token).json()["items"]

    assert [one["session"]["title"] for one in found] == ["Kettles"]


def test_with_a_certificate_a_machine_sends_over_tls(
    hub: HubDatabase, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Transcript("s1").user("count the kettles").save(home / ".claude")
    assert main(["index", "build"]) == 0
    token, (cert, key) = hub.person(), certificate(tmp_path)
    code = hub.people.new_code(1, config.now())
    options = ["--cert", cert, "--key", key]
    with HubProcess(hub.url, tmp_path / "hub", options=options) as process:
        runtime = process.start()
        send = ["collect", "--once", "--hub", runtime.url, "--code", code]
        assert main(send) != 0  # nobody trusts it, so it gets no code
        monkeypatch.setenv("SSL_CERT_FILE", cert)
        assert main(send) == 0
        trusted = ssl.create_default_context(cafile=cert)
        headers = {"authorization": f"Bearer {token}"}
        url = f"{runtime.url}/api/sessions"
        found = httpx.get(url, headers=headers, timeout=60, verify=trusted).text
        with pytest.raises(httpx.HTTPError):
            httpx.get(url.replace("https", "http"), headers=headers, timeout=60, verify=NO_TLS)

    assert runtime.url.startswith("https://localhost:")
    assert "count the kettles" in found


def test_migrate_brings_a_database_up_to_this_version(
    empty: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *_ = steps = migrations()
    migrate = ["hub", "migrate", "--database-url", empty]
    with monkeypatch.context() as patch:
        patch.setattr("unspool.store.postgres.schema.migrations", lambda: [first])
        assert main(migrate) == 0
    before = noted(empty)
    assert [main(migrate), main(migrate)] == [0, 0]

    assert [name for name, _ in before] == ["migration 0001"]
    assert noted(empty) == [(f"migration {number:04}", name) for number, name, _ in steps]
    pool = open_pool(empty)
    with pool.connection() as connection:
        connection.execute("INSERT INTO unspool.meta VALUES ('migration 0099', '0099_later')")
    pool.close()
    assert main(migrate) != 0
    assert "install the newer unspool" in capsys.readouterr().err
