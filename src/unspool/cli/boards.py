"""The live board of a command line: with the user's alert rules, and whom they tell."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event

from unspool.cli import config
from unspool.engine.board.feed import BoardQuery, board_query, boards
from unspool.engine.settings import settings
from unspool.model.session import Board
from unspool.show.board_view import board_alerts


def open_board(explicit: Sequence[str], say: Callable[[str], object]) -> BoardQuery:
    """The board of the roots of a command line; reports settings that cannot be used."""
    mine = settings(config.unspool_home())
    for trouble in mine.trouble:
        say(trouble)
    return board_query(config.open_stores(explicit), mine.rules, say)


def notifying_boards(query: BoardQuery, stop: Event) -> Iterator[Board]:
    """Boards as they change; alerts are passed on to the user."""
    with alert_sender(query) as tell:
        yield from boards(query, stop, tell)


@contextmanager
def alert_sender(query: BoardQuery) -> Iterator[Callable[[Board], object] | None]:
    """What passes the alerts of a board on to the user; None without rules."""
    if not query.watching.rules:
        yield None
        return
    # It needs file locks, which not every system with a terminal has.
    from unspool.cli.notify import Notifier

    notifier = Notifier(config.unspool_home(), settings(config.unspool_home()), query.say)
    try:
        yield lambda board: notifier.notify(board_alerts(board))
    finally:
        notifier.close()
