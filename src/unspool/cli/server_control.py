"""The server that is running: its address, its status, and how to stop it."""

from argparse import Namespace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

import msgspec

from unspool.cli import config, output
from unspool.errors import StoreBusy, UnspoolError
from unspool.json_depth import shallow
from unspool.serve import running
from unspool.serve.auth.policy import OneTimeCode
from unspool.serve.runtime import Runtime
from unspool.store.sqlite.lock import WriterLock
from unspool.system.processes import stop_process

LOCK: Final = "serve.lock"
_ANSWERS_WITHIN: Final = 5.0
_NOT_RUNNING: Final = "unspool is not running. `unspool serve` starts it."


def run(options: Namespace) -> int:
    """`unspool serve status` and `unspool serve stop`."""
    home = config.unspool_home()
    pid = _server_pid(home)
    if options.action == "stop":
        return _stop(pid, options)
    found = running.read_runtime(home) if pid else None
    # After a crash the file of an earlier server may still be there.
    server = found if found is not None and found.pid == pid else None
    _tell_status(pid, server, options)
    return 0


def fresh_address(runtime: Runtime) -> str:
    """Ask a running server for an address with a new one-time code."""
    connection = HTTPConnection("127.0.0.1", runtime.port, timeout=_ANSWERS_WITHIN)
    headers = {"Host": f"127.0.0.1:{runtime.port}", "Authorization": f"Bearer {runtime.token}"}
    try:
        connection.request("POST", "/api/invitations", headers=headers)
        data = shallow(connection.getresponse().read())
        return msgspec.json.decode(data, type=OneTimeCode).address
    except (OSError, HTTPException, ValueError):
        return runtime.open  # over TLS, or on another address only
    finally:
        connection.close()


def _server_pid(home: Path) -> int:
    """The process that serves a home, or 0."""
    if not (home / LOCK).exists():
        return 0
    try:
        WriterLock(home / LOCK).release()
    except StoreBusy as busy:
        return busy.pid
    return 0


def _stop(pid: int, options: Namespace) -> int:
    if pid and not stop_process(pid):
        raise UnspoolError(f"Process {pid} has not stopped yet. Try again in a moment.")
    if options.json:
        output.write_json([msgspec.json.encode({"running": False, "stopped": pid or None})])
    else:
        message = f"Stopped the server: process {pid}." if pid else _NOT_RUNNING
        output.write([(("", message),)])
    return 0


def _tell_status(pid: int, server: Runtime | None, options: Namespace) -> None:
    address = fresh_address(server) if server else ""
    if options.json:
        answer = {"running": bool(pid), "pid": pid or None, "url": server and server.url}
        output.write_json([msgspec.json.encode({**answer, "open": address or None})])
        return
    if not pid:
        message = _NOT_RUNNING
    elif server is None:
        message = f"unspool is running: process {pid}. It has not reported its address yet."
    else:
        message = f"unspool is running: process {pid}."
    output.write([(("", text),) for text in (message, address) if text])
