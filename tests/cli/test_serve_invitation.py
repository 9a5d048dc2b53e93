import socket
from pathlib import Path

import httpx
import msgspec

from tests.cli.made import root
from tests.cli.servings import runtime, serving
from unspool.cli.server_control import request_invitation
from unspool.serve.running import Runtime


def test_a_code_of_the_running_server_lets_one_browser_in_once(tmp_path: Path, home: Path) -> None:
    with serving(root(tmp_path)) as server:
        known = msgspec.convert(runtime(home), Runtime)
        code = request_invitation(known)
        answers = [httpx.post(f"{server.url}/api/enter", json={"token": code}) for _ in range(2)]

    assert code not in ("", known.token)
    assert [answer.status_code for answer in answers] == [204, 401]


def test_where_nobody_answers_there_is_no_code() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gone = Runtime(url="http://localhost:1", port=port, pid=1, token="a", ingest_token="b")

    assert request_invitation(gone) == ""
