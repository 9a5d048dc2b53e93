"""The board of a server tells of alerts from what its pages have read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import structs

from tests.serve.live.listening import save
from tests.serve.served import Served, indexed, server_context
from tests.serve.test_one_read import counted
from tests.waiting import until
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.engine.sessions.options import BoardOptions
from unspool.model.alerts import ErrorRule
from unspool.model.api import MarksUpdate
from unspool.model.session import Board
from unspool.serve.context import ServerContext
from unspool.show.board_view import board_alerts

NAME = "-home-dev-kettle", "lately"
ERRORS = BoardOptions(rules=(ErrorRule(name="error"),))


@pytest.fixture
def made(place: Path) -> Transcript:
    """A session of today, which the index has."""
    talk = Transcript("lately", "/home/dev/kettle", start=iso(config.now()) or "").user("go")
    talk.says("well").save(place)
    indexed(place)
    return talk


@contextmanager
def telling(place: Path, boards: list[Board]) -> Iterator[Served]:
    """A server whose boards are told of."""
    with server_context(place, watching=ERRORS) as given:
        context = ServerContext(structs.replace(given.config, tell=boards.append))
        try:
            yield Served(context)
        finally:
            context.board.close()


def test_an_alert_is_told_of_before_anybody_asks_also_of_a_hidden_session(
    place: Path, made: Transcript
) -> None:
    boards: list[Board] = []
    with telling(place, boards) as site:
        site.context.marks.change(*NAME, MarksUpdate(hidden=True))
        assert until(lambda: boards)
        save(made.calls("Bash", command="x").returns("no", failed=True), place)

        assert until(lambda: [one.rule for one in board_alerts(boards[-1])] == ["error"])
        assert not site.context.board.current().rows


@pytest.mark.parametrize("is_page_first", [True, False])
def test_alerts_board_and_page_share_what_is_read(
    place: Path, made: Transcript, *, is_page_first: bool
) -> None:
    path = next(place.glob("projects/*/lately.jsonl"))
    boards: list[Board] = []
    page = f"/s/{NAME[0]}/{NAME[1]}"
    with telling(place, boards) as site:
        if is_page_first:
            site.ask(page)
        assert until(lambda: boards)
        site.ask(page)
        with counted(path) as reads:
            save(made.calls("Bash", command="x").returns("no", failed=True), place)
            assert until(lambda: board_alerts(boards[-1]))
            assert until(lambda: "Bash" in site.ask(page).text)

    assert (reads.lines, reads.bytes) == (2, path.stat().st_size - reads.start)
