"""Beside a long-running command: look at the sessions at work, and tell what the rules ask for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from msgspec import structs

from unspool.cli import config
from unspool.cli.settings import settings
from unspool.model.board import Board

if TYPE_CHECKING:
    from unspool.cli.alerting import Alerting

_LAST_LOOK: Final = 1.0


@contextmanager
def ringing(explicit: Sequence[str], say: Callable[[str], object]) -> Iterator[None]:
    """Tell alerts for as long as this lasts; without rules nothing is looked at."""
    home = config.unspool_home()
    made = settings(home)
    for trouble in made.trouble:
        say(trouble)
    if not made.rules:
        yield
        return
    from unspool.cli.alerting import Alerting

    alerting, stop = Alerting(home, made, say), Event()
    looking = Thread(target=_look, args=(explicit, alerting, stop, say), daemon=True)
    looking.start()
    try:
        yield
    finally:
        stop.set()
        looking.join(_LAST_LOOK)
        alerting.close()


def ring(boards: Iterable[Board], alerting: "Alerting") -> None:
    """Tell what stands on each board as it comes."""
    for board in boards:
        of_sessions = (one for row in board.rows for one in row.alerts)
        alerting.told((*board.alerts, *of_sessions))


def _look(
    explicit: Sequence[str], alerting: "Alerting", stop: Event, say: Callable[[str], object]
) -> None:
    from unspool.cli.topping.boards import asked, boards

    try:
        wanted = asked(explicit, say)
        terms = structs.replace(wanted.watching, rules=alerting.rules, told=alerting.keys)
        ring(boards(structs.replace(wanted, watching=terms), stop), alerting)
    except Exception as error:
        say(f"No alerts any more: {error}")
