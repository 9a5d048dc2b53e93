"""Roots -> the sums of all that was spent in them: from the index, as long as nothing changed."""

import os
from collections.abc import Sequence
from contextlib import suppress

from unspool.cli.costs import days, seen
from unspool.cli.costs.asked import Asked, asked
from unspool.cli.costs.seen import Seen
from unspool.derive.usage import reports
from unspool.model.costs import Total
from unspool.source import roots
from unspool.store.sqlite.totals import read_totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.cli.costs.days import Ahead

_QUARTER = 900_000
# Bytes that are scanned in a second beside who writes: to wait longer than that would be in vain.
_SPEED = 500_000_000


def totals(explicit: Sequence[str], clock: "Ahead | None" = None) -> list[Total]:
    """What was spent, by quarters of an hour; the ledger is brought up to date first.

    Whoever asks only for the days of a clock may get whole days, without other names.
    """
    wanted = asked(explicit)
    last = wanted.seen
    is_narrow = any(place.only is not None for place in wanted.places)
    if clock and last and not is_narrow and days.changes(clock, *last.span) == last.clock:
        return last.days
    return _about(wanted, _found(wanted))


def _about(wanted: Asked, found: list[Total]) -> list[Total]:
    is_about = wanted.is_about()
    return [total for total in found if is_about(str(total[1]))]


def _found(wanted: Asked) -> list[Total]:
    note_roots(wanted)
    if wanted.is_fresh:
        return read_totals(wanted.ledger) if wanted.seen else _remembered(wanted)
    if not os.path.exists(wanted.ledger):
        return _first(wanted)
    from unspool.cli.costs.scanning import load

    load()
    from unspool.cli.costs.catch_up import caught_up

    return caught_up(wanted)


def _first(wanted: Asked) -> list[Total]:
    """Scan everything, unless another process has just done so and is writing it down."""
    from unspool.cli.costs.claim import claimed
    from unspool.cli.costs.scanning import scanned

    patience = 1 + sum(size for _, size, _ in wanted.files) / _SPEED
    with claimed(wanted.home, patience) as is_ours:
        if not os.path.exists(wanted.ledger):
            return scanned(wanted, keep=is_ours, then=remember if is_ours else None)
    return _found(asked(wanted.explicit))


def note_roots(wanted: Asked) -> None:
    """Keep the names the roots have in this ledger, and that it is in use."""
    with suppress(OSError):  # nowhere to write: the report is none the worse for it
        roots.remember(wanted.home, wanted.places)


def remember(explicit: Sequence[str]) -> None:
    """Note what there is now, where the ledger has all of it."""
    wanted = asked(explicit)
    if wanted.is_fresh and not wanted.seen:
        _remembered(wanted)


def _remembered(wanted: Asked) -> list[Total]:
    """The sums of a fresh ledger, noted so that the next report need not look for them."""
    state, found = seen.ledger_state(wanted.home), read_totals(wanted.ledger)
    folders = seen.folders(wanted.places)
    if seen.are_settled(folders):
        again = asked(wanted.explicit)  # only now: what came since the directories were looked at
        if again.is_fresh and state and seen.ledger_state(wanted.home) == state:
            sums, clock = _days(_about(wanted, found))
            known = wanted.places, wanted.prices, state, folders, again.files
            seen.write(wanted.home, Seen(*known, sums, clock))
    return found


def _days(found: list[Total]) -> tuple[list[Total], list[tuple[int, int]]]:
    """Sums of whole days on the clock of here, and that clock."""
    made = reports.report(found, reports.periods("daily", days.calendar(None)))
    every = [(model, spend) for row in made.rows for model, spend in row.models.items()]
    sums: list[Total] = [(spend.first_at, "", "", "", model, *spend) for model, spend in every]
    times = [spend.first_at for _, spend in every if spend.first_at]
    clock = days.changes(days.ahead(None), min(times, default=0), max(times, default=0))
    # A day that begins within a quarter is not told by its first response.
    return sums, [] if any(shift % _QUARTER for _, shift in clock) else clock
