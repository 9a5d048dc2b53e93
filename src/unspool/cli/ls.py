"""`unspool ls`: sessions, newest first."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from itertools import islice
from typing import Final

from unspool.cli import arguments, config, empty, output
from unspool.cli.progress import ProgressBar
from unspool.engine.freshness import session_rows
from unspool.model.session import SessionSummary
from unspool.show import session_json
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line
from unspool.show.text.listing import session_table
from unspool.source.forgotten import count_forgotten

_STATUSES: Final = {
    "approval": "waiting_for_approval",
    "limited": "limited",
    "failed": "failed",
    "working": "working",
    "prompt": "waiting_for_input",
    "idle": "idle",
    "ended": "ended",
}
_SCREENFUL = 40


def run(args: list[str]) -> int:
    """List sessions."""
    options = make_parser().parse_args(args)
    # The whole history takes a while to read; who looks at a screen wants its newest part.
    screen = config.is_terminal(sys.stdout) and not options.json and options.limit is None
    limit = _SCREENFUL if screen else options.limit
    rows, redactor = _rows(options, limit), output.redactor_for(options)
    is_empty = not rows and empty.warn(options.root)
    forgotten = count_forgotten(config.open_stores(options.root).roots)
    if options.json:
        output.write_json(session_json.list_answer(rows, forgotten), redactor)
    elif rows:
        redacted = output.redacted(rows, redactor)
        output.write(session_table(redacted, config.frame(sys.stdout)))
        if screen and len(rows) == limit:
            output.write([BLANK, _said(f"Showing the newest {limit}. Use --limit for more.")])
    elif not is_empty:
        places = ", ".join(root.projects for root in config.open_stores(options.root).roots)
        matching = "matching " if options.project or options.since or options.status else ""
        output.write([_said(f"No {matching}sessions in {places}.")])
    if forgotten and not options.json:
        output.write([BLANK, _said(f"{plural(forgotten, 'session')} forgotten.")])
    return 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("ls", "List sessions, newest first.")
    arguments.add_root(parser)
    parser.add_argument("--project", metavar="P", help=arguments.PROJECT)
    parser.add_argument(
        "--since",
        type=arguments.start_time,
        metavar="D",
        help="only sessions active since: 2026-01-31, 7d, 24h, monday",
    )
    parser.add_argument(
        "--status",
        type=arguments.OneOf(_STATUSES),
        metavar="S",
        help=f"only this status: {', '.join(_STATUSES)}",
    )
    parser.add_argument(
        "--limit", type=arguments.count, metavar="N", help="list at most N sessions"
    )
    arguments.add_unredacted(parser)
    parser.add_argument("--all", action="store_true", help="include hidden and empty sessions")
    return parser


def _rows(options: Namespace, limit: int | None) -> list[SessionSummary]:
    with closing(ProgressBar("Indexing")) as bar:
        rows = session_rows(
            config.open_stores(options.root), config.now(), progress=bar,
            project=options.project or "", since=options.since, everything=options.all,
        )  # fmt: skip
        return list(islice((row for row in rows if _is_wanted(row, options)), limit))


def _is_wanted(row: SessionSummary, options: Namespace) -> bool:
    is_shown = options.all or not row.hidden
    return is_shown and options.status in (None, row.session.status.state)


def _said(text: str) -> Line:
    return (("dim", text),)
