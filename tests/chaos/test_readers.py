"""Readers that take their time: nothing is lost or told twice, and what piles up is bounded."""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import pytest
from websockets.exceptions import ConnectionClosed

from tests.chaos.scene import Scene
from tests.chaos.watching import Pen
from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.serve.live.listening import Page, ids, known, page, save
from unspool.store.sqlite import connection

LIMIT = 200_000
ROUNDS, LINES = 120, 100


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """An index whose log is kept short."""
    short = connection._WRITER.replace("67108864", str(LIMIT)).replace("= 4000", "= 10")
    monkeypatch.setattr(connection, "_WRITER", short)
    monkeypatch.setattr(connection, "LONGEST_LOG", 4 * LIMIT)
    made = Scene()
    yield made
    made.clean_up()


def log(scene: Scene) -> int:
    return (scene.home / "index.db-wal").stat().st_size


def written(scene: Scene, pen: Pen, times: int) -> None:
    for _ in range(times):
        pen.write("s1", times=20)
        scene.sign(scene.path("s1"))
        scene.sweep(quiet=False)


def test_a_log_that_a_long_reader_holds_is_told_of_and_shrinks_when_it_ends(scene: Scene) -> None:
    pen = Pen(scene)
    written(scene, pen, 1)
    with closing(apsw.Connection(str(scene.home / "index.db"))) as reader:
        reader.execute("BEGIN")
        ask = "SELECT count(*) FROM line"
        before = reader.execute(ask).get
        while log(scene) <= 4 * LIMIT:
            written(scene, pen, 5)

        assert [text.partition(" ")[0] for text in scene.store.status().trouble] == ["index.db-wal"]
        assert reader.execute(ask).get == before
        reader.execute("COMMIT")
    written(scene, pen, 5)

    assert log(scene) <= 2 * LIMIT
    assert scene.store.status().trouble == ()
    ((lines,),) = scene.store.sql("SELECT count(*) FROM lines")[1]
    assert lines == pen.lines
    scene.assert_nothing_is_lost()
    scene.assert_sound()


def narrow(server: Serving) -> socket.socket:
    """A connection through which little fits that nobody reads."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    address = urlsplit(server.url)
    made.connect(("127.0.0.1", address.port or 80))
    return made


class Heard:
    """Whether a page was told of so many events; each message is looked at once."""

    def __init__(self) -> None:
        self._messages = self._events = self.goal = 0

    def __call__(self, page: Page) -> bool:
        for message in page.told[self._messages :]:
            if message["type"] == "event_added":
                self._events += len(message["data"]["events"])
        self._messages = len(page.told)
        return self._events >= self.goal


def is_told(slow: Page) -> bool:
    """Whether it hears that it has missed something; one that sleeps too long is hung up on."""
    try:
        return slow.until(lambda it: bool(it.of("timeline_invalidation")))
    except ConnectionClosed:
        return True


@pytest.mark.slow
def test_a_page_that_does_not_read_stops_nobody_and_is_told_to_fetch_again(tmp_path: Path) -> None:
    session, heard = talk("session-slow"), Heard()
    place = root(tmp_path / "claude", session)
    with serving(place, "--port", "0") as server:
        assert known(server, session.session, 5)
        asleep = page(server, max_queue=1, sock=narrow(server), ping_interval=None)
        with asleep as slow, page(server) as quick:
            for each in (slow, quick):
                each.subscribe(session.session)
            for number in range(ROUNDS):
                for line in range(LINES):
                    session.says(f"{number}.{line} {'x' * 500}")
                save(session, place)
                heard.goal += LINES
                assert quick.until(heard)
            every = ids(server, session.session)

            assert is_told(slow)
            assert len(every) == len(set(every)) == 5 + ROUNDS * LINES
            assert quick.events == every[5:]
            assert len(slow.events) == len(set(slow.events)) < len(every)
