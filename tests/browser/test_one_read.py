"""One read: with a board, a page and a socket open, how often is an appended line read."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.scene import Growing, Scene
from tests.cli.runs import SOURCE
from tests.serve.live.listening import Page as Listener
from tests.serve.live.listening import page as listening

WORDS = "the last word"
COUNTING = Path(__file__).parent / "counting"


class Counted(NamedTuple):
    """What one process did with a line, and how often it read all of it."""

    read: int
    decoded: int
    folded: int
    asked: int = 0  # by the page


@pytest.fixture
def counts(browser: Browser, tmp_path: Path) -> Iterator[dict[str, Counted]]:
    """By process, once everybody has shown a line that is appended, and one of another session."""
    root, log = tmp_path / "claude", tmp_path / "log"
    grows, other = Growing(root, "grows").turns(0, 30), Growing(root, "other").turns(30, 31)
    env = {"COUNTED_FILE": str(grows.path), "COUNTED_LOG": str(log), "COUNTED_WORDS": WORDS}
    env["PYTHONPATH"] = os.pathsep.join(map(str, (COUNTING, SOURCE)))
    stage = Scene(browser, root, tmp_path / "home", **env)
    try:
        board = stage.open("/", waits="text=answer 29").page
        page = stage.open(grows.address, waits="text=answer 29").page
        with listening(stage.server) as socket:
            for name in ("grows", "other"):
                socket.subscribe(name)
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            begin = grows.path.stat().st_size
            grows.made.says(f"{WORDS} {'and more ' * 100}")
            grows.write()
            expect(page.get_by_text(WORDS)).to_be_attached()
            other.turns(31, 32)
            # Whoever has not looked by now has when another session's line is everywhere.
            for text in (WORDS, "answer 31"):
                expect(board.get_by_text(text)).to_be_attached()
                assert socket.until(partial(_tells_of, text))
        found = _counted(log, stage.server.process.pid, begin, grows.path.stat().st_size)
        yield {**found, "server": found["server"]._replace(asked=len(asked))}
    finally:
        stage.close()


def _tells_of(text: str, it: Listener) -> bool:
    return text in str(it.of("event_added"))


def _counted(log: Path, server: int, begin: int, end: int) -> dict[str, Counted]:
    found: dict[str, Counter[str]] = {"writer": Counter(), "server": Counter()}
    for line in log.read_text().splitlines():
        pid, what, first, last = json.loads(line)
        # A few bytes before an end are read again and again: they prove that the file is the same.
        is_whole = what == "decoded" or (first <= begin and end - 1 <= last)
        found["server" if pid == server else "writer"][what] += is_whole
    return {
        who: Counted(some["read"], some["decoded"], some["folded"]) for who, some in found.items()
    }


def test_an_appended_line_is_read_and_folded_once_by_writer_and_server(
    counts: dict[str, Counted],
) -> None:
    assert counts["writer"] == Counted(read=1, decoded=1, folded=1)
    server = counts["server"]
    shown = server.read - 1  # what it says is in no memory: it is read again to be shown
    assert 1 <= shown <= server.asked
    # The channel shows its beginning, from the archive.
    assert (server.folded, server.decoded) == (1, 1 + shown + 1)
