"""A workspace that is asked as a user asks: commands in processes of their own, a real server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.cli.runs import SOURCE
from tests.cli.servings import Serving, serving
from tests.e2e.workspaces import Workspace
from tests.plain_http import NO_TLS

# Only the clock that `cli` owns stands still; what waits goes by another one.
CLOCK = "import time\ntime.time_ns = lambda: {}_000_000\n"


class ProcessWorkspace(Workspace):
    """The same root and home; nothing but the library runs in this process."""

    before: tuple[str, ...] = ()  # what starts its processes

    @classmethod
    def of(cls, workspace: Workspace) -> "ProcessWorkspace":
        """Another workspace, now."""
        return cls(workspace.root, workspace.home, workspace.now)

    def index(self) -> None:
        """Bring the index up to date."""
        assert self.run("index", "build") is not None

    @contextmanager
    def answering(self) -> Iterator["Client"]:
        """`unspool serve` on a port of its own."""
        around: dict[str, Any] = self._environment()
        with (
            serving(None, "--port", "0", before=self.before, **around) as server,
            httpx.Client(base_url=server.url, timeout=60, verify=NO_TLS) as client,
        ):
            yield Client(server, client)
            # Its writer ends with it, however busy the machine: who comes next may write.
            assert server.end()[0] == 0

    def run(self, *args: str, home: Path | None = None, given: bytes = b"") -> str | None:
        """What a command prints that is given this to read; None where it fails."""
        command = [*self.before, sys.executable, "-m", "unspool", *args]
        around = {**os.environ, **self._environment(home)}
        done = subprocess.run(command, env=around, input=given, capture_output=True, check=False)
        return None if done.returncode else done.stdout.decode()

    def _environment(self, home: Path | None = None) -> dict[str, str]:
        clock = self.home.with_name("clock")
        clock.mkdir(exist_ok=True)
        (clock / "sitecustomize.py").write_text(CLOCK.format(self.now))
        return {
            "CLAUDE_CONFIG_DIR": str(self.root),
            "UNSPOOL_HOME": str(home or self.home),
            "PYTHONPATH": os.pathsep.join((str(clock), str(SOURCE))),
        }


class Client:
    """Requests over the network, with the server's token."""

    def __init__(self, server: Serving, client: httpx.Client) -> None:
        self._token, self._client = server.token, client

    def ask(self, path: str, method: str = "GET", **given: Any) -> httpx.Response:
        """One request."""
        headers = {"authorization": f"Bearer {self._token}"}
        return self._client.request(method, path, headers=headers, **given)
