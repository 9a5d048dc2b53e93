"""`unspool cost`: what was spent, by day, week, month, session, project, model, block or cause."""

import gc
import os
import re
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Sequence
from typing import Any

from unspool.cli import arguments, is_word, paths
from unspool.derive.usage.reports import WEEKDAYS
from unspool.engine import dates
from unspool.engine.usage.cost import (
    CAUSES,
    GROUPS,
    PERIODS,
    CostQuery,
    cost_report,
    usage_totals,
)
from unspool.engine.usage.totals import RootUsage, UsageSource
from unspool.errors import UsageError
from unspool.model.usage import QuotaPace, Report, TotalRow
from unspool.source.forgotten import count_forgotten

_NO_USAGE = "No usage matches these filters."
# Names of models as they are given: short words and numbers. No secret looks like one.
_PART = "(?:[a-z]{1,12}|[0-9]{1,8}|[a-z0-9]{1,3})"
_MODEL = re.compile(rf"(?:{_PART}(?:[-./:@_ ]{_PART}){{0,9}}(?:\[1m\])?|)\Z")


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
    parser = make_parser()
    options = parser.parse_args(args)
    try:
        query = _query(options)
    except UsageError as error:
        parser.error(str(error))
    source = usage_source(options.root)
    if not source.is_obedient():
        _obey(options)
    totals, usage = _totals(source, query, options)
    options.forgotten = count_forgotten(source.places)
    _show(totals, query, options)
    if options.forgotten and not options.json:
        from unspool.show.text.costs import forgotten_lines

        _write(forgotten_lines(options.forgotten))
    sys.stdout.flush()  # the reader waits for the report, not for the cache
    if usage:
        usage.write_cache(time.time_ns())
    return 0


def _totals(
    source: UsageSource, query: CostQuery, options: Namespace
) -> tuple[list[TotalRow], RootUsage | None]:
    if query.by not in CAUSES:
        return usage_totals(source, query, options.mode)
    from unspool.cli import config
    from unspool.cli.progress import ready_index
    from unspool.engine.sessions.index_scope import IndexScope
    from unspool.engine.usage.spending import index_causes

    stores = config.open_stores(options.root)
    ready_index(stores)
    with stores.reading() as (store, _):
        scope = IndexScope(store, stores.roots, stores.home).current()
        return index_causes(store, query, scope, stores.groups.current), None


def _obey(options: Namespace) -> None:
    """Finish what `unspool forget` began; while another process does, the files are read."""
    from contextlib import suppress

    from unspool.cli import config
    from unspool.errors import StoreError

    with suppress(StoreError):
        config.open_stores(options.root).obey_tombstones()


def _show(totals: list[TotalRow], query: CostQuery, options: Namespace) -> None:
    totals = _without_secrets(totals)
    if not totals and _warn_if_empty(options) and not options.json:
        return
    if options.by == "blocks":
        _show_blocks(totals, options)
        return
    report = _redacted(cost_report(totals, query), options.by)
    if options.json:
        from unspool.show import cost_json

        quota = cost_json.quota_document(_limits())
        document = cost_json.document(report, options.by)
        _write_json({**document, "quota": quota, "forgotten": options.forgotten})
    elif not report.rows:
        _write([_NO_USAGE])
    else:
        from unspool.show.text import costs

        _write(costs.cost_table(report, options.by, width=_width(), breakdown=options.breakdown))


def _show_blocks(totals: list[TotalRow], options: Namespace) -> None:
    from unspool.engine.usage.cost import BlockQuery, block_report
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
    report, quota = block_report(totals, now, query), _limits()
    if options.json:
        document = blocks_document(report.blocks, report.pace, report.token_limit, quota)
        _write_json({**document, "forgotten": options.forgotten})
    elif not report.blocks:
        _write(["No block is active." if options.active else _NO_USAGE])
    else:
        times = dates.local_times(options.timezone)
        _write(blocks_table(report.blocks, times, width=_width()))
        if report.active is not None and report.active in report.blocks:
            _write(["", *pace_lines(report.active, report.pace, now, report.token_limit)])
        if quota:
            _write(["", *quota_lines(quota)])


def _limits() -> list[QuotaPace]:
    """The usage limits that are known now."""
    from unspool.derive.usage.quota import paces
    from unspool.engine.quota import latest_quota

    return paces(latest_quota(paths.unspool_home()), paths.now())


def _warn_if_empty(options: Namespace) -> bool:
    from unspool.cli import empty

    return empty.warn(options.root)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "cost",
        "Cost reports. `unspool cost explain SESSION` shows how a session's cost is made up.",
    )
    arguments.add_root(parser)
    kinds = (*PERIODS, *GROUPS, "blocks", *CAUSES)
    parser.add_argument("by", nargs="?", default="daily", choices=kinds, help="default: daily")
    parser.add_argument("-j", dest="json", action="store_true", help="the same as --json")
    parser.add_argument("--since", metavar="DATE", help="2026-01-31, 20260131, 7d, monday")
    parser.add_argument("--until", metavar="DATE", help="the same formats; that day is included")
    parser.add_argument("--project", default="", metavar="P", help=arguments.PROJECT)
    parser.add_argument(
        "--separate", action="store_true", help="project: list each worktree and clone separately"
    )
    parser.add_argument("--model", default="", metavar="M", help="only models with M in the name")
    parser.add_argument("-b", "--breakdown", action="store_true", help="each model on its own line")
    parser.add_argument(
        "-z", "--timezone", type=arguments.time_zone, metavar="ZONE",
        help="time zone for day boundaries: UTC, Asia/Tokyo (default: this machine's)",
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
        help="blocks: warn near N tokens; `max`: the most in a block so far",
    )
    parser.add_argument(
        "-n", "--session-length", type=_hours, default=5, metavar="H",
        help="blocks: hours per block (default: 5)",
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
        options.separate,
    )


def _without_secrets(totals: list[TotalRow]) -> list[TotalRow]:
    """The same, without secrets in names of models: anything can be in a transcript."""
    unusual = {name for total in totals if not _MODEL.match(name := str(total[4]))}
    if not unusual:
        return totals
    from unspool.redact import redact

    names = {name: redact(name) for name in unusual}
    return [(*total[:4], names.get(str(total[4]), total[4]), *total[5:]) for total in totals]


def _redacted(report: Report, by: str) -> Report:
    """Names come from directories, and from what was called: they may hold a secret."""
    if by in (*PERIODS, "model"):
        return report
    from unspool.redact import redact

    rows = [row._replace(name=redact(row.name), project=redact(row.project)) for row in report.rows]
    return Report(rows, report.total)


def _explain(args: list[str]) -> int:
    import msgspec

    from unspool.cli import naming
    from unspool.engine.usage.explain import explain_cost
    from unspool.redact import Redactor
    from unspool.show.text.cost_explanation import explanation_lines

    options = explain_parser().parse_args(args)
    with naming.named_session(options) as session:
        explanation = explain_cost(session, usage_source(options.root), options.timezone)
    explanation = Redactor().value(explanation)
    if options.json:
        _print_json(msgspec.json.encode(explanation).decode())
    else:
        _write(explanation_lines(explanation))
    return 0


def explain_parser() -> ArgumentParser:
    """The arguments of `cost explain`."""
    parser = arguments.command_parser("cost explain", "How the cost of one session is made up.")
    arguments.add_root(parser)
    arguments.add_session(parser)
    parser.add_argument(
        "-z", "--timezone", type=arguments.time_zone, metavar="ZONE",
        help="time zone for day boundaries",
    )  # fmt: skip
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
