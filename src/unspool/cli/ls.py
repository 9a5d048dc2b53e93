"""`unspool ls`: sessions, newest first."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from unspool.cli import arguments, config, empty, printing
from unspool.cli.freshen import Freshness, freshen
from unspool.cli.stores import Stores
from unspool.errors import StoreError, StoreOutdated
from unspool.model.api import SessionItem
from unspool.model.listing import SessionSummary
from unspool.recall.listing import Listing
from unspool.recall.marked import AllMarks, marked_row
from unspool.show import encode, times
from unspool.show.spans import BLANK, Line
from unspool.show.text.listing import listing

_STATUSES: Final = {
    "approval": "waiting_for_approval",
    "working": "working",
    "prompt": "waiting_for_input",
    "idle": "idle",
    "ended": "ended",
}
_SCREENFUL = 40


def run(args: list[str]) -> int:
    """List sessions."""
    options = _options(args)
    # The whole history takes a while to read; who looks at a screen wants its newest part.
    screen = config.is_terminal(sys.stdout) and not options.json and options.limit is None
    limit = _SCREENFUL if screen else options.limit
    rows, cover = _rows(options, limit), printing.cover(options)
    is_empty = not rows and empty.warn(options.root)
    if options.json:
        printing.write_json(encode.listed(rows), cover)
    elif rows:
        shown = printing.fitting(rows, cover)
        printing.write(listing(shown, config.frame(sys.stdout)), cover)
        if screen and len(rows) == limit:
            printing.write([BLANK, _said(f"The newest {limit}. --limit shows more.")])
    elif not is_empty:
        places = ", ".join(root.projects for root in Stores(options.root).roots)
        fitting = " that fit" if options.project or options.since or options.status else ""
        printing.write([_said(f"No sessions{fitting} in {places}.")])
    return 0


def _options(args: list[str]) -> Namespace:
    made = arguments.command("ls", "Sessions, newest first.")
    arguments.reads(made)
    made.add_argument("--project", metavar="P", help="only projects whose name has P in it")
    made.add_argument(
        "--since", type=arguments.begins, metavar="D", help="2026-01-31, 7d, 24h, monday"
    )
    made.add_argument("--status", type=_status, metavar="S", help=", ".join(_STATUSES))
    made.add_argument("--limit", type=arguments.count, metavar="N", help="at most N sessions")
    arguments.covers(made)
    made.add_argument(
        "--all", action="store_true", help="also hidden sessions, and those with nothing to read"
    )
    return made.parse_args(args)


def _rows(options: Namespace, limit: int | None) -> list[SessionItem]:
    marks = Stores(options.root).marks().all()
    # For programs the files are read: they say more than the index keeps.
    if not options.json and _is_fresh(options):
        return list(islice(_shown(_from_index(options), marks, options), limit))
    is_filtered = options.since or any(mark.hidden for mark in marks.values())
    with Stores(options.root).recalling() as recall:
        found = recall.summaries(
            project=options.project,
            since=options.since,
            status=options.status,
            limit=None if is_filtered else limit,
            everything=options.all,
        )
    # A file may be younger than the last thing said in it: a copy, a restored backup.
    recent = [row for row in found if options.since is None or _last(row) >= options.since]
    newest = sorted(recent, key=_last, reverse=True)
    return list(islice(_shown(newest, marks, options), limit))


def _shown(
    rows: Iterable[SessionSummary], marks: AllMarks, options: Namespace
) -> Iterator[SessionItem]:
    """The rows as the user named them, without those that are hidden."""
    items = (marked_row(row, marks) for row in rows)
    return (item for item in items if options.all or not item.hidden)


def _is_fresh(options: Namespace) -> bool:
    try:
        return freshen(Stores(options.root)) is Freshness.FRESH
    except StoreOutdated as error:
        config.warn(str(error))
        return False
    except StoreError:
        return False  # doctor and search say what is wrong with it; the files can be read


def _from_index(options: Namespace) -> Iterator[SessionSummary]:
    stores = Stores(options.root)
    recall = stores.recall()
    with stores.reading() as (_, archive):
        recall.listen(stores.spool, archive)
        listing = Listing(archive, recall, stores.roots, config.now())
        rows = listing.summaries(
            project=options.project or "", since=options.since, everything=options.all
        )
        yield from (row for row in rows if options.status in (None, row.session.status.state))


def _last(row: SessionSummary) -> int:
    at = times.moment(row.session.end_time or row.session.start_time)
    return int(at.timestamp() * 1_000) if at else 0


def _status(said: str) -> str:
    wanted = said.lower().replace("-", "_")
    if wanted in _STATUSES.values():
        return wanted
    if wanted not in _STATUSES:
        raise ArgumentTypeError(f"{said!r} is not one of {', '.join(_STATUSES)}")
    return _STATUSES[wanted]


def _said(text: str) -> Line:
    return (("dim", text),)
