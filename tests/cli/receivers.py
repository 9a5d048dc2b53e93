"""Places that notices are sent to: real HTTP servers and programs that note what they get."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

NOTES = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["NOTED"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
"""


class Post(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """An HTTP server on this machine; it answers with a status, or never."""

    def __init__(self, status: int) -> None:
        self.posts: list[Post] = []
        self.released = Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.posts.append(Post(self.path, dict(self.headers), body))
                if not status:
                    receiver.released.wait(60)
                    return
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@contextmanager
def receiving(status: int = 200) -> Iterator[Receiver]:
    """A server for a while; status 0 never answers."""
    receiver = Receiver(status)
    serving = Thread(target=receiver.server.serve_forever, args=(0.02,), daemon=True)
    serving.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        receiver.server.shutdown()
        receiver.server.server_close()
        serving.join()


def noting_program(path: Path) -> None:
    """A program that appends its arguments to the file NOTED, as JSON."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(NOTES)
    path.chmod(0o755)
