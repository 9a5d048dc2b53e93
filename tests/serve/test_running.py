import os
import stat
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.cli.made import root
from tests.cli.servings import serving
from unspool.serve import running
from unspool.serve.running import KeptTokens, Runtime

HERE = Runtime(url="http://localhost:1", port=1, pid=os.getpid(), token="a", ingest_token="b")


def test_a_runtime_is_read_as_it_was_written(tmp_path: Path) -> None:
    running.write_runtime(tmp_path / "home", HERE)

    assert running.read_runtime(tmp_path / "home") == HERE
    assert HERE.entrance("x") == "http://localhost:1/#t=x"


def test_its_names_are_those_others_rely_on(tmp_path: Path) -> None:
    running.write_runtime(tmp_path, HERE)
    found = msgspec.json.decode((tmp_path / "runtime.json").read_bytes())

    assert set(found) == {"url", "port", "pid", "token", "ingestToken"}


def test_secrets_are_their_owners_alone_whatever_lay_there(tmp_path: Path) -> None:
    (tmp_path / "runtime.new").write_text("left by one that was killed")
    tmp_path.chmod(0o755)
    running.write_runtime(tmp_path, HERE)

    assert stat.S_IMODE((tmp_path / "runtime.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@pytest.mark.parametrize("said", [b"", b"{}", b"nonsense", b"\xff", b'{"url": 1}'])
def test_a_runtime_full_of_nonsense_is_none(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "runtime.json").write_bytes(said)
    (tmp_path / "tokens.json").write_bytes(said)

    assert running.read_runtime(tmp_path) is None
    assert running.read_kept(tmp_path) == KeptTokens()


def test_only_its_own_runtime_is_forgotten(tmp_path: Path) -> None:
    running.write_runtime(tmp_path, msgspec.structs.replace(HERE, pid=1))
    running.forget_runtime(tmp_path)
    assert running.read_runtime(tmp_path)

    running.write_runtime(tmp_path, HERE)
    running.forget_runtime(tmp_path)
    assert running.read_runtime(tmp_path) is None


def test_who_asks_is_who_connected_whatever_a_header_says(tmp_path: Path) -> None:
    with serving(root(tmp_path)) as server:
        wrong = [
            httpx.get(
                f"{server.url}/api/health",
                headers={"authorization": "Bearer no", "x-forwarded-for": f"10.0.0.{number}"},
            ).status_code
            for number in range(12)
        ]

    assert wrong == [401] * 10 + [429] * 2


def test_headers_past_the_limit_are_told_so(tmp_path: Path) -> None:
    with serving(root(tmp_path)) as server:
        long = httpx.get(f"{server.url}/api/health", headers={"x-long": "a" * 20_000})

    assert long.status_code == 431


def test_it_does_not_say_what_it_is_made_of(tmp_path: Path) -> None:
    with serving(root(tmp_path)) as server:
        assert "server" not in httpx.get(f"{server.url}/api/health").headers
