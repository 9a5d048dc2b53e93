"""Roots -> the board as it stands, and again whenever something has changed."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from threading import Event
from typing import Final

from msgspec import Struct

from unspool.cli import config
from unspool.cli.cost import usage_source
from unspool.cli.settings import UserSettings, settings
from unspool.cli.stores import Stores
from unspool.derive.usage.reports import added
from unspool.engine.board import LiveBoard
from unspool.engine.marked import marked_board
from unspool.engine.setting import Elsewhere, Watching
from unspool.errors import StoreError
from unspool.model.alerts import Alert
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.model.session import Board, BoardSpend
from unspool.model.usage import TotalRow
from unspool.show.board import alerts
from unspool.source.watch import Watcher
from unspool.store import MarkBook
from unspool.store.sqlite.ledger_reader import LedgerReader

_SOONEST: Final = 0.1  # seconds between two boards
_BUSY_MS: Final = 50
_IDLE: Final = 2.0  # how soon it shows that a process is gone, or that time has passed


class BoardQuery(Struct, frozen=True):
    """Whose board it is, and what it looks at."""

    roots: Sequence[Root]
    prices: PriceTable
    watching: Watching
    settings: UserSettings
    say: Callable[[str], object]
    marks: MarkBook


def board_query(explicit: Sequence[str], say: Callable[[str], object]) -> BoardQuery:
    """The query for the roots of a command line, with settings, prices and marks."""
    stores, settled = Stores(explicit), settings(config.unspool_home())
    for trouble in settled.trouble:
        say(trouble)
    watching = Watching(
        spool=stores.spool,
        midnight=midnight,
        elsewhere=_ledger(explicit),
        rules=settled.rules,
        owners=stores.owners(),
    )
    return BoardQuery(stores.roots, config.prices(), watching, settled, say, stores.marks())


def current_board(query: BoardQuery) -> Board:
    """The board now."""
    at = config.now()
    live = LiveBoard(query.roots, query.prices, query.watching, now=at)
    return marked_board(live.board(at), query.marks.all())


def boards(query: BoardQuery, stop: Event) -> Iterator[Board]:
    """The board now, and each time it may have changed, until `stop` is set."""
    spool = query.watching.spool
    with Watcher(query.roots, spool, say=query.say) as watcher, _notifying(query) as tell:
        live = LiveBoard(query.roots, query.prices, query.watching, now=config.now())
        yield marked_board(live.board(config.now()), query.marks.all())
        for batch in watcher.batches(stop, idle=_IDLE):
            live.look(batch, config.now())
            board = live.board(config.now())
            tell(alerts(board))
            yield marked_board(board, query.marks.all())
            stop.wait(_SOONEST)


@contextmanager
def _notifying(query: BoardQuery) -> Iterator[Callable[[Sequence[Alert]], object]]:
    """What passes alerts on to the user's command, where there are rules."""
    if not query.settings.rules:
        yield lambda _: None
        return
    # Not every system that has a terminal has the locks it takes.
    from unspool.cli.notify import Notifier

    notifier = Notifier(config.unspool_home(), query.settings, query.say)
    try:
        yield notifier.tell
    finally:
        notifier.close()


def midnight(now: int) -> int:
    """When today began on this machine's clock."""
    today = time.localtime(now / 1_000)
    return round(time.mktime((*today[:3], 0, 0, 0, 0, 0, -1)) * 1_000)


def _ledger(explicit: Sequence[str]) -> Elsewhere | None:
    """What the index has of sessions that are not on the board; nothing where there is none."""
    query = usage_source(explicit)
    if not os.path.exists(query.index):
        return None
    is_about = query.is_about()
    return lambda since: spent_since(query.index, since, is_about)


def spent_since(
    path: str, since: int, is_about: Callable[[str], bool] = lambda _: True
) -> Mapping[tuple[str, str], BoardSpend]:
    """What each session of some projects used since a moment, by the sums in an index."""
    try:
        with closing(LedgerReader(path, _BUSY_MS)) as ledger:
            found = ledger.totals_of("", since)
            return _by_session([total for total in found if is_about(str(total[1]))])
    except StoreError:
        return {}  # busy for now: it is asked again


def _by_session(totals: Sequence[TotalRow]) -> dict[tuple[str, str], BoardSpend]:
    groups: dict[tuple[str, str], list[TotalRow]] = {}
    for total in totals:
        groups.setdefault((str(total[1]), str(total[2])), []).append(total)
    found: dict[tuple[str, str], BoardSpend] = {}
    for name, group in groups.items():
        spend = added(total[5:] for total in group)
        models = {str(total[4]) for total in group if total[11]}
        found[name] = BoardSpend(
            tokens=spend.tokens, cost_usd=spend.usd, unpriced=tuple(sorted(models))
        )
    return found
