"""Serve the demo with an installed unspool, and ask for the board: python wheel_smoke.py UNSPOOL.

With --offline it runs in a network namespace of its own (`unshare -rn`), where nothing but this
machine can be reached. It imports nothing but the standard library.
"""

import errno
import fcntl
import http.client
import json
import re
import socket
import struct
import subprocess
import sys

_ADDRESS = re.compile(r"http://(u-[0-9a-f]+\.localhost:(\d+))/enter#t=(\S+)")
_SET_FLAGS, _UP = 0x8914, 0x1


def be_alone() -> None:
    """Start the loopback interface, and make sure that there is no other."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))
        any_socket.settimeout(5)
        # An address for documents: with a network this would be another error.
        assert any_socket.connect_ex(("192.0.2.1", 80)) == errno.ENETUNREACH


def ask(port: str, host: str, path: str, *, cookie: str = "", token: str = "") -> tuple[int, str]:
    """Status, and the cookie that was set or the page."""
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    headers = {"Host": host, "Cookie": cookie, "Content-Type": "application/json"}
    body = json.dumps({"token": token}) if token else None
    connection.request("POST" if token else "GET", path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    given = answer.headers.get("Set-Cookie", "").partition(";")[0]
    return answer.status, given or text


def main(program: str) -> None:
    """Print what the board answers."""
    command = [program, "--demo", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            found = next(filter(None, map(_ADDRESS.search, server.stdout)))
            host, port, code = found.groups()
            _, cookie = ask(port, host, "/api/enter", token=code)
            status, page = ask(port, host, "/", cookie=cookie)
            print(json.dumps({"status": status, "page": page}))
        finally:
            server.terminate()


if __name__ == "__main__":
    if "--offline" in sys.argv:
        be_alone()
    main(sys.argv[1])
