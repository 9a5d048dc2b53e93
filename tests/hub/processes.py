"""A hub as a process of its own, which can be killed and started again at the same address."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import sleep
from typing import Any

from tests.waiting import until
from unspool.serve.runtime import Runtime, read_runtime


class HubProcess:
    """`unspool hub serve` with a home of its own; `around` are words before its command, and
    `options` others after it.
    """

    def __init__(
        self, url: str, home: Path, around: Sequence[str] = (), options: Sequence[str] = ()
    ) -> None:
        self._home, self._port = home, 0
        self._around = around
        self._options = [*(["--database-url", url] if url else []), *options]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Runtime:
        """Start it, and wait until it listens; again where its network may be down just now."""
        for _ in range(60 if self._around else 1):
            if runtime := self._started():
                self._port = runtime.port
                return runtime
            sleep(1)
        raise AssertionError("The hub does not start.")

    def _started(self) -> Runtime | None:
        command = [*self._around, sys.executable, "-m", "unspool", "hub", "serve"]
        environment = {**os.environ, "UNSPOOL_HOME": str(self._home)}
        self._process = started = subprocess.Popen(
            [*command, *self._options, "--port", str(self._port)],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        # Long, as a crowd of senders may keep the machine busy while it starts.
        assert until(lambda: self._runtime(started) or started.poll() is not None, 300)
        return self._runtime(started)

    def stop(self) -> int:
        """End it as people do; its exit status."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "HubProcess":
        return self

    def __exit__(self, *_: Any) -> None:
        self.kill()

    def _runtime(self, process: subprocess.Popen[bytes]) -> Runtime | None:
        found = read_runtime(self._home)
        return found if found is not None and found.pid == process.pid else None
