"""Servers for tests: real processes, asked over real sockets."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import httpx

from tests.cli.runs import SOURCE, own_roots
from tests.plain_http import NO_TLS


class Serving:
    """One `unspool serve` and what it says."""

    def __init__(
        self,
        place: Path | None,
        *args: str,
        browser: Path | None = None,
        before: Sequence[str] = (),
        **env: str,
    ) -> None:
        command = [*before, sys.executable, "-m", "unspool", "serve", *args]
        command += [] if place is None else ["--root", str(place)]
        command += [] if browser else ["--no-browser"]
        env = {**env, "BROWSER": str(browser)} if browser else env
        with own_roots(command):
            around = {**os.environ, "PYTHONPATH": str(SOURCE), **env}
        self._home = Path(around["UNSPOOL_HOME"])
        # With --demo all files are temporary, runtime.json too.
        self._temporary = Path(around.get("TMPDIR", gettempdir()))
        self._runtime: dict[str, Any] = {}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=around, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stdout
        self.said = self.process.stdout.readline()
        if "--json" not in args:
            self.said = self.process.stdout.readline()  # the address, alone
        assert self.runtime or not self.said, "it printed an address and has no runtime.json"

    @property
    def site(self) -> str:
        """Where a browser finds it: the address it printed, without the code."""
        return str(self.runtime["open"]).partition("/enter#t=")[0]

    @property
    def url(self) -> str:
        """Where a program finds it."""
        return str(self.runtime["url"])

    @property
    def token(self) -> str:
        """What a program shows."""
        return str(self.runtime["token"])

    @property
    def code(self) -> str:
        """What it printed after the fragment's sign."""
        return self.said.strip().partition("#t=")[2]

    @property
    def runtime(self) -> dict[str, Any]:
        """What its runtime.json says, or said last."""
        for home in (self._home, *self._temporary.glob("unspool-demo-*/home")):
            with suppress(OSError):
                found = json.loads((home / "runtime.json").read_bytes())
                if found["pid"] == self.process.pid:
                    self._runtime = found
        return self._runtime

    def invite(self) -> str:
        """A new code for a browser."""
        headers = {"authorization": f"Bearer {self.token}"}
        answer = httpx.post(
            f"{self.url}/api/invitations", headers=headers, timeout=60, verify=NO_TLS
        )
        return str(answer.json()["code"])

    def get(self, path: str) -> Any:
        """An answer's JSON."""
        headers = {"authorization": f"Bearer {self.token}"}
        answer = httpx.get(f"{self.url}{path}", headers=headers, timeout=60, verify=NO_TLS)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; its exit code and what it said of trouble."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


@contextmanager
def serving(
    place: Path | None,
    *args: str,
    browser: Path | None = None,
    before: Sequence[str] = (),
    **env: str,
) -> Iterator[Serving]:
    """A server on any free port, ended with the block; `before` is what starts it."""
    made = Serving(place, *(args or ("--port", "0")), browser=browser, before=before, **env)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
        made.process.communicate()


def signed_in(server: Serving, secret: str) -> httpx.Response:
    """What a browser gets for a code or the token, at its own address."""
    host = {"host": server.site.partition("://")[2]}
    return httpx.post(
        f"{server.url}/api/enter", headers=host, json={"token": secret}, timeout=60, verify=NO_TLS
    )


def runtime(home: Path) -> dict[str, Any]:
    """What runtime.json says."""
    found: dict[str, Any] = json.loads((home / "unspool" / "runtime.json").read_bytes())
    return found
