import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.cli.made import root
from tests.cli.servings import serving
from tests.plain_http import NO_TLS
from tests.serve.served import policy
from tests.waiting import until
from unspool.serve import running
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.running import KeptTokens, RuntimeFile, ServerSecrets
from unspool.serve.runtime import Runtime

HERE = Runtime(url="http://localhost:1", port=1, pid=os.getpid(), token="a", ingest_token="b")


def runtime_file(
    home: Path, runtime: Runtime = HERE, now: Callable[[], int] = lambda: 0
) -> tuple[RuntimeFile, AccessPolicy]:
    """A file, and the policy whose codes it has."""
    by = policy(now)
    return RuntimeFile(home, runtime, by), by


def opened(home: Path) -> str:
    """The code that an address has."""
    found = running.read_runtime(home)
    return found.open.partition("#t=")[2] if found else ""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[tuple[RuntimeFile, AccessPolicy]]:
    made = runtime_file(tmp_path)
    yield made
    made[0].remove()


def test_a_runtime_is_read_as_it_was_written(tmp_path: Path) -> None:
    file, by = runtime_file(tmp_path / "home")
    written = file.write()

    assert running.read_runtime(tmp_path / "home") == written
    assert msgspec.structs.replace(written, open="") == HERE
    assert written.open.startswith(f"{by.names.browser_url}/enter#t=")
    file.remove()


def test_its_names_are_those_others_rely_on(
    tmp_path: Path, file: tuple[RuntimeFile, AccessPolicy]
) -> None:
    file[0].write()
    found = msgspec.json.decode((tmp_path / "runtime.json").read_bytes())

    assert set(found) == {"url", "port", "pid", "token", "ingestToken", "open"}


def test_secrets_are_their_owners_alone_whatever_lay_there(tmp_path: Path) -> None:
    (tmp_path / f"runtime.json.{os.getpid()}").write_text("left by one that was killed")
    tmp_path.chmod(0o755)
    file, _ = runtime_file(tmp_path)
    file.write()

    assert stat.S_IMODE((tmp_path / "runtime.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    file.remove()


def test_a_code_that_was_used_is_replaced_before_its_user_is_answered(
    tmp_path: Path, file: tuple[RuntimeFile, AccessPolicy]
) -> None:
    runtime, by = file
    runtime.write()
    first, other = opened(tmp_path), by.codes.make()
    assert by.check_sign_in(other, "here") is None
    assert opened(tmp_path) == first

    assert by.check_sign_in(first, "here") is None
    assert opened(tmp_path) != first
    assert by.check_sign_in(opened(tmp_path), "here") is None


def test_a_code_that_expires_is_replaced_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_LOOK_EVERY", 0.01)
    now = [0]
    file, by = runtime_file(tmp_path, now=lambda: now[0])
    file.write()
    first = opened(tmp_path)
    now[0] = 539_999
    file.renew()
    assert opened(tmp_path) == first

    now[0] = 540_000  # a minute before the end: who reads it has time to open it
    assert until(lambda: opened(tmp_path) != first)
    assert by.codes.state(opened(tmp_path), for_ms=540_000) == "good"
    file.remove()


def test_once_removed_it_is_not_written_again(
    tmp_path: Path, file: tuple[RuntimeFile, AccessPolicy]
) -> None:
    runtime, by = file
    runtime.write()
    code = opened(tmp_path)
    runtime.remove()
    by.check_sign_in(code, "here")

    assert not (tmp_path / "runtime.json").exists()


def test_a_disk_that_is_full_keeps_nobody_out(
    tmp_path: Path, file: tuple[RuntimeFile, AccessPolicy]
) -> None:
    runtime, by = file
    runtime.write()
    code = opened(tmp_path)
    taken = tmp_path / f"runtime.json.{os.getpid()}"
    taken.mkdir()  # cannot be written, as on a full disk

    assert by.check_sign_in(code, "here") is None
    assert opened(tmp_path) == code
    taken.rmdir()
    runtime.renew()
    assert opened(tmp_path) != code


def test_the_name_and_the_ingest_token_of_a_home_stay_and_the_token_if_it_is_to(
    tmp_path: Path,
) -> None:
    runs = [ServerSecrets(tmp_path, keep_token=keep) for keep in (False, False, True, True)]

    assert len({one.kept.name for one in runs}) == 1
    assert len({one.kept.ingest_token for one in runs}) == 1
    assert len({one.token for one in runs}) == 3
    assert runs[2].token == runs[3].token
    assert stat.S_IMODE((tmp_path / "tokens.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["", "u-1", "evil.test", "u-0123456789abcdef.evil"])
def test_a_name_that_is_none_is_made_again(tmp_path: Path, name: str) -> None:
    (tmp_path / "tokens.json").write_bytes(msgspec.json.encode({"name": name}))

    assert re.fullmatch("u-[0-9a-f]{16}", ServerSecrets(tmp_path, keep_token=False).kept.name)


@pytest.mark.parametrize("keep", [True, False])
def test_with_a_token_that_is_kept_a_cookie_that_signed_out_stays_out(
    tmp_path: Path, keep: bool
) -> None:
    tokens = ServerSecrets(tmp_path, keep_token=keep).tokens(1)
    gone, other = tokens.new_cookie(), tokens.new_cookie()
    tokens.revoke(gone)
    after = ServerSecrets(tmp_path, keep_token=keep).tokens(1)

    assert [after.is_cookie(one) for one in (gone, other)] == [False, keep]
    assert bool(running.read_kept(tmp_path).revoked) is keep


def test_a_new_token_forgets_what_signed_out_of_the_old(tmp_path: Path) -> None:
    tokens = ServerSecrets(tmp_path, keep_token=True).tokens(1)
    tokens.revoke(tokens.new_cookie())
    ServerSecrets(tmp_path, keep_token=False)

    assert running.read_kept(tmp_path).revoked == ()


@pytest.mark.parametrize(
    "said", [b"", b"{}", b"nonsense", b"\xff", b'{"url": 1}', b'{"x":' + b"[" * 100_000]
)
def test_a_runtime_full_of_nonsense_is_none(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "runtime.json").write_bytes(said)
    (tmp_path / "tokens.json").write_bytes(said)

    assert running.read_runtime(tmp_path) is None
    assert running.read_kept(tmp_path) == KeptTokens()


def test_only_its_own_runtime_is_removed(tmp_path: Path) -> None:
    other, _ = runtime_file(tmp_path, msgspec.structs.replace(HERE, pid=1))
    mine, _ = runtime_file(tmp_path)
    other.write()
    mine.remove()
    assert running.read_runtime(tmp_path)

    other.remove()
    assert running.read_runtime(tmp_path) is None


def test_who_asks_is_who_connected_whatever_a_header_says(tmp_path: Path) -> None:
    with serving(root(tmp_path)) as server:
        wrong = [
            httpx.get(
                f"{server.url}/api/health",
                headers={"authorization": "Bearer no", "x-forwarded-for": f"10.0.0.{number}"},
                timeout=60,
                verify=NO_TLS,
            ).status_code
            for number in range(12)
        ]

    assert wrong == [401] * 10 + [429] * 2


def test_headers_past_the_limit_are_told_so(tmp_path: Path) -> None:
    with serving(root(tmp_path)) as server:
        long = httpx.get(
            f"{server.url}/api/health", headers={"x-long": "a" * 20_000}, timeout=60, verify=NO_TLS
        )

    assert long.status_code == 431


def test_it_does_not_say_what_it_is_made_of(tmp_path: Path) -> None:
    with serving(root(tmp_path)) as server:
        assert (
            "server" not in httpx.get(f"{server.url}/api/health", timeout=60, verify=NO_TLS).headers
        )
