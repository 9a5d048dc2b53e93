"""`unspool cost`: what was spent, by day, week, month, session, project, model or block."""

import gc
import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Sequence
from typing import Any

from unspool.cli import arguments, is_word, paths
from unspool.derive.usage.reports import WEEKDAYS
from unspool.engine import dates
from unspool.engine.usage.cost import GROUPS, PERIODS, CostQuery, cost_report, usage_totals
from unspool.engine.usage.totals import UsageSource
from unspool.errors import UsageError
from unspool.model.usage import Report, TotalRow

_NO_USAGE = "No usage matches these filters."


def run(args: list[str]) -> int:
    """Report, or explain one session's cost."""
    gc.disable()  # everything is needed until the end, which is soon
    try:
        at = args.index("explain") if "explain" in args else -1
        is_report = at < 0 or not is_word(args, at)
        return _report(args) if is_report else _explain(args[:at] + args[at + 1 :])
    finally:
        gc.freeze()  # nor does the end of the process look through it
        gc.enable()


def usage_source(explicit: Sequence[str] = ()) -> UsageSource:
    """The roots of a command line as the source of a cost report."""
    return UsageSource(paths.scope(explicit), paths.price_files(), paths.now())


def _report(args: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(args)
    try:
        query = _query(options)
    except UsageError as error:
        parser.error(str(error))
    totals, usage = usage_totals(usage_source(options.root), query, options.mode)
    _show(totals, query, options)
    sys.stdout.flush()  # the reader waits for the report, not for the cache
    if usage:
        usage.write_cache(time.time_ns())
    return 0


def _show(totals: list[TotalRow], query: CostQuery, options: Namespace) -> None:
    if not totals and _warn_if_empty(options) and not options.json:
        return
    if options.by == "blocks":
        _show_blocks(totals, options)
        return
    report = _redacted(cost_report(totals, query), options.by)
    if options.json:
        from unspool.show import cost_json

        _write_json(cost_json.document(report, options.by))
    elif not report.rows:
        _write([_NO_USAGE])
    else:
        from unspool.show.text import costs

        _write(costs.cost_table(report, options.by, width=_width(), breakdown=options.breakdown))


def _show_blocks(totals: list[TotalRow], options: Namespace) -> None:
    from unspool.derive.usage.quota import paces
    from unspool.engine.usage.cost import BlockQuery, block_report
    from unspool.engine.usage.quota import latest_quota
    from unspool.show.cost_json import blocks_document
    from unspool.show.text.costs import blocks_table, pace_lines, quota_lines

    query = BlockQuery(
        options.session_length,
        options.token_limit or "",
        options.recent,
        options.active,
        options.order == "desc",
    )
    now = paths.now()
    report, quota = block_report(totals, now, query), paces(latest_quota(paths.unspool_home()), now)
    if options.json:
        _write_json(blocks_document(report.blocks, report.pace, report.token_limit, quota))
    elif not report.blocks:
        _write(["No block is active." if options.active else _NO_USAGE])
    else:
        times = dates.local_times(options.timezone)
        _write(blocks_table(report.blocks, times, width=_width()))
        if report.active is not None and report.active in report.blocks:
            _write(["", *pace_lines(report.active, report.pace, now, report.token_limit)])
        if quota:
            _write(["", *quota_lines(quota)])


def _warn_if_empty(options: Namespace) -> bool:
    from unspool.cli import empty

    return empty.warn(options.root)


def _parser() -> ArgumentParser:
    parser = arguments.command_parser(
        "cost",
        "Cost reports. `unspool cost explain SESSION` shows how a session's cost is made up.",
    )
    arguments.add_root(parser)
    kinds = (*PERIODS, *GROUPS, "blocks")
    parser.add_argument("by", nargs="?", default="daily", choices=kinds, help="default: daily")
    parser.add_argument("-j", dest="json", action="store_true", help="the same as --json")
    parser.add_argument("--since", metavar="DATE", help="2026-01-31, 20260131, 7d, monday")
    parser.add_argument("--until", metavar="DATE", help="the same; that day is included")
    parser.add_argument(
        "--project", default="", metavar="P", help="only projects with P in the name"
    )
    parser.add_argument("--model", default="", metavar="M", help="only models with M in the name")
    parser.add_argument("-b", "--breakdown", action="store_true", help="each model on its own line")
    parser.add_argument(
        "-z", "--timezone", type=arguments.time_zone, metavar="ZONE",
        help="where days start: UTC, Asia/Tokyo (default: this machine's zone)",
    )  # fmt: skip
    parser.add_argument(
        "--mode", choices=("billing", "devtools"), default="billing",
        help="list prices by date, or those of claude-devtools (default: billing)",
    )  # fmt: skip
    parser.add_argument(
        "--order", choices=("asc", "desc"),
        help="by date (default: asc), or by cost where rows are not dates (default: desc)",
    )  # fmt: skip
    parser.add_argument(
        "--start-of-week", choices=WEEKDAYS, default="sunday", metavar="DAY",
        help="for weekly reports (default: sunday)",
    )  # fmt: skip
    parser.add_argument("-a", "--active", action="store_true", help="blocks: only the active one")
    parser.add_argument("-r", "--recent", action="store_true", help="blocks: only the last 3 days")
    parser.add_argument(
        "-t",
        "--token-limit",
        type=_token_limit,
        metavar="N",
        help="blocks: warn near N tokens, or `max` so far",
    )
    parser.add_argument(
        "-n", "--session-length", type=_hours, default=5, metavar="H",
        help="blocks: hours of a block (default: 5)",
    )  # fmt: skip
    return parser


def _token_limit(text: str) -> str:
    if text != "max" and not (text.isdecimal() and int(text)):
        raise ArgumentTypeError(f"{text!r} is neither a number of tokens nor `max`")
    return text


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = 0.0
    if not 0 < hours <= 24 * 365:
        raise ArgumentTypeError(f"{text!r} is not a number of hours")
    return hours


def _query(options: Namespace) -> CostQuery:
    now, zone = paths.now(), options.timezone
    return CostQuery(
        options.by,
        dates.start_time(options.since, now, zone) if options.since else None,
        dates.end_time(options.until, now, zone) if options.until else None,
        options.project,
        options.model,
        zone,
        None if options.order is None else options.order == "asc",
        options.start_of_week,
    )


def _redacted(report: Report, by: str) -> Report:
    """Session and project names come from directory names, which may hold a secret."""
    if by not in ("session", "project"):
        return report
    from unspool.redact import redact

    rows = [row._replace(name=redact(row.name), project=redact(row.project)) for row in report.rows]
    return Report(rows, report.total)


def _explain(args: list[str]) -> int:
    import msgspec
    from msgspec import structs

    from unspool.cli import naming
    from unspool.engine.usage.explain import explain_cost
    from unspool.redact import redact
    from unspool.show.text.cost_explanation import explanation_lines

    options = _explain_parser().parse_args(args)
    with naming.named_session(options) as session:
        explanation = explain_cost(session, usage_source(options.root), options.timezone)
    explanation = structs.replace(explanation, project_id=redact(explanation.project_id))
    if options.json:
        _print_json(msgspec.json.encode(explanation).decode())
    else:
        _write(explanation_lines(explanation))
    return 0


def _explain_parser() -> ArgumentParser:
    parser = arguments.command_parser("cost explain", "How the cost of one session is made up.")
    arguments.add_root(parser)
    arguments.add_session(parser)
    parser.add_argument(
        "-z", "--timezone", type=arguments.time_zone, metavar="ZONE", help="where days start"
    )
    return parser


def _width() -> int | None:
    """Columns of the terminal; None in a pipe."""
    if not sys.stdout.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _write_json(document: dict[str, Any]) -> None:
    import json

    _print_json(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def _print_json(text: str) -> None:
    if sys.stdout.isatty():
        from unspool.show import safe

        text = safe.json_text(text)
    print(text)
