"""`unspool statusline`: Claude Code's JSON in, one line out; whatever happens, soon and exit 0."""

import os
import sys
import time
from argparse import ArgumentParser, Namespace

from unspool.cli.paths import INDEX, now, price_files, unspool_home
from unspool.decode import statusline as decode
from unspool.derive.usage.quota import paces
from unspool.derive.usage.reports import statusline_totals
from unspool.derive.usage.responses import ledger_changes, merge_lines
from unspool.engine.dates import start_of_today
from unspool.engine.quota import QuotaLog, record_quota
from unspool.engine.sessions.stopped import stop_of
from unspool.errors import StoreError
from unspool.model.usage import Quota
from unspool.show import safe
from unspool.show.text import statusline as show
from unspool.source.roots import FORGOTTEN
from unspool.source.statusline import (
    last_lines,
    read_unindexed,
    recent_files,
    unindexed_files,
)
from unspool.store.sqlite.ledger_reader import LedgerReader
from unspool.system.terminals import is_ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

    from unspool.model.usage import ApiError, StatuslineInput, StatuslineTotals
    from unspool.source.files import ScannedFile

_HOUR = 3_600_000
_TWO_BLOCKS = 10 * _HOUR
_LOOK_BACK = 8 * 24 * _HOUR  # a block begins where another ends: some days of them tell where
_PATIENCE = 1.0  # seconds
_BUSY_MS = 50
_MOST_INPUT = 1024 * 1024


def run(args: list[str]) -> int:
    """Print the line, or a few words on why it is missing."""
    try:
        options = make_parser().parse_args(args)
        print(_answer(options, _input()))
    except Exception as error:  # nothing may come between Claude Code and its user
        print(f"unspool: {safe.brief(str(error), 120) or type(error).__name__}")
    return 0


class _Parser(ArgumentParser):
    def error(self, message: str) -> "NoReturn":
        """A status bar shows what is printed, and nothing of what fails."""
        raise ValueError(message)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = _Parser(
        "unspool statusline",
        description="One line for Claude Code's status bar. Reads its JSON from standard input.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="write JSON")
    parser.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="DIR",
        help="also read this Claude Code directory; repeatable",
    )
    parser.add_argument(
        "--cost-source", choices=("auto", "unspool", "cc", "both"), default="auto",
        help="session cost to show: unspool's, with Claude Code's where they differ (auto)",
    )  # fmt: skip
    parser.add_argument(
        "--visual-burn-rate", choices=("off", "emoji", "text", "emoji-text"), default="off",
        help="how to label the burn rate",
    )  # fmt: skip
    parser.add_argument(
        "--context-low-threshold", type=float, default=50, metavar="PERCENT",
        help="percentage from which the context is yellow (50)",
    )  # fmt: skip
    parser.add_argument(
        "--context-medium-threshold", type=float, default=80, metavar="PERCENT",
        help="percentage from which the context is red (80)",
    )  # fmt: skip
    return parser


def _answer(options: Namespace, data: bytes) -> str:
    status = decode.statusline_input(data)
    if status is None:
        raise ValueError("a status line reads JSON from Claude Code; this is not JSON")
    at = now()
    quota = Quota(at, status.five_hour, status.seven_day)
    record_quota(unspool_home(), quota, status.session_id)
    (found, stop), limits = _standing(status, options.root, at), paces(quota, at)
    if options.json:
        import json

        answer = json.dumps(show.status_document(status, found, limits, stop), ensure_ascii=False)
        return safe.json_text(answer) if sys.stdout.isatty() else answer
    style = show.StatuslineStyle(
        options.cost_source,
        options.visual_burn_rate,
        options.context_low_threshold,
        options.context_medium_threshold,
        # The status bar shows colours though it is not a terminal.
        not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )
    reason = show.stop_text(stop, at) if stop else ""
    return show.status_line(status, found, style, limits, reason)


def _standing(
    status: "StatuslineInput", roots: "Sequence[str]", now: int
) -> "tuple[StatuslineTotals, ApiError | None]":
    """Totals from the index, if it can be read, and from what was written since; what stops it."""
    since = min(start_of_today(now), now - _TWO_BLOCKS)
    files = list(_files(status, roots, since * 1_000_000))
    stop = _stop(status, files, now)
    try:
        ledger = LedgerReader(os.path.join(unspool_home(), INDEX), _BUSY_MS)
        try:
            return _totals(status, files, now, ledger), stop
        finally:
            ledger.close()
    except StoreError:
        return _totals(status, files, now, None), stop


def _stop(status: "StatuslineInput", files: "Sequence[ScannedFile]", now: int) -> "ApiError | None":
    """The limit or the error that stopped the session, without its secrets."""
    own = {file.path for file in files if file.session_id == status.session_id}
    path = os.path.abspath(status.transcript) if status.transcript else ""
    lines = last_lines(path) if path in own else []
    stop = stop_of(lines, now, QuotaLog(unspool_home()))
    if stop is None:
        return None
    from unspool.redact import redact  # few sessions are stopped

    return stop._replace(text=redact(stop.text))


def _totals(
    status: "StatuslineInput",
    files: "Sequence[ScannedFile]",
    now: int,
    ledger: LedgerReader | None,
) -> "StatuslineTotals":
    day, session = start_of_today(now), status.session_id
    project = os.path.basename(os.path.dirname(status.transcript))
    totals = ledger.totals_of(session, min(day, now - _LOOK_BACK)) if ledger else []
    known = ledger.sources([file.path for file in files]) if ledger else {}
    found = read_unindexed(unindexed_files(files, known, session), now)
    answers = ((place, name, decode.line_usage(line)) for place, name, line in found.lines)
    newer = merge_lines((place, name, one) for place, name, one in answers if one)
    if newer:
        old = ledger.responses(newer) if ledger else {}
        totals += ledger_changes(newer, old, price_files().pricer().price_of)
    result = statusline_totals(totals, (project, session), day, now)
    is_cut = any(name == session and project in ("", place) for place, name in found.cut)
    return result._replace(is_session_whole=not is_cut, is_whole=not found.cut)


def _files(
    status: "StatuslineInput", roots: "Sequence[str]", since_ns: int
) -> "Iterator[ScannedFile]":
    """The files of the root the session is in, and of others that were named."""
    places = [os.path.join(root, "projects") for root in roots]
    if status.transcript:
        places.append(os.path.dirname(os.path.dirname(status.transcript)))
    for projects in dict.fromkeys(places):
        log = os.path.join(os.path.abspath(unspool_home()), FORGOTTEN)
        yield from recent_files(projects, status.session_id, since_ns, log)


def _input() -> bytes:
    """What is written to us, as soon as it is whole; a terminal writes nothing."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    fd, data, end = sys.stdin.fileno(), b"", time.monotonic() + _PATIENCE
    while len(data) < _MOST_INPUT and (left := end - time.monotonic()) > 0:
        if not is_ready(fd, left) or not (chunk := os.read(fd, 65_536)):
            break
        data += chunk
        if data.rstrip().endswith(b"}") and decode.statusline_input(data):
            break
    return data
