"""`unspool cost`: what was spent, by day, week, month, session, project, model or block."""

import gc
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from unspool.cli import arguments
from unspool.cli.costs import days, screen
from unspool.cli.costs.ledger import totals
from unspool.derive.usage import reports
from unspool.model.costs import Report, Total

PERIODS = ("daily", "weekly", "monthly")
THINGS = ("session", "project", "model")


def run(args: list[str]) -> int:
    """Report, or explain one session's figure."""
    gc.disable()  # all of it is needed until the end, which is soon
    try:
        return _run(args)
    finally:
        gc.enable()


def _run(args: list[str]) -> int:
    if args[:1] == ["explain"]:
        from unspool.cli.costs import explain

        return explain.run(args[1:])
    made = _parser()
    options = made.parse_args(args)
    found = _wanted(_totals(options), made, options)
    is_empty = not found and _warn(options)
    if options.by == "blocks":
        from unspool.cli.costs import blocks

        return 0 if is_empty and not options.json else blocks.run(found, options)
    report = _report(found, options)
    if options.json:
        from unspool.show import costs_json

        screen.write_json(costs_json.document(report, options.by))
    elif is_empty:
        pass  # that is all there is to say
    elif not report.rows:
        screen.write(["Nothing was spent in what fits."])
    else:
        from unspool.show import costs

        told = costs.table(report, options.by, width=screen.width(), breakdown=options.breakdown)
        screen.write(told)
    return 0


def _warn(options: Namespace) -> bool:
    from unspool.cli import empty

    return empty.warn(options.root)


def _parser() -> ArgumentParser:
    made = arguments.command("cost", "What was spent. `cost explain SESSION` says how a sum came.")
    arguments.reads(made)
    kinds = (*PERIODS, *THINGS, "blocks")
    made.add_argument("by", nargs="?", default="daily", choices=kinds, help="(daily)")
    made.add_argument("-j", dest="json", action="store_true", help="the same as --json")
    made.add_argument("--since", metavar="D", help="2026-01-31, 20260131, 7d, monday")
    made.add_argument("--until", metavar="D", help="the same, that day included")
    made.add_argument("--project", default="", metavar="P", help="only projects with P in the name")
    made.add_argument("--model", default="", metavar="M", help="only models with M in the name")
    made.add_argument("-b", "--breakdown", action="store_true", help="each model on its own line")
    made.add_argument("-z", "--timezone", type=days.zone, metavar="Z", help="where days begin")
    made.add_argument("--mode", choices=("billing", "devtools"), default="billing")
    made.add_argument("--order", choices=("asc", "desc"))
    made.add_argument("--start-of-week", choices=reports.WEEKDAYS, default="sunday", metavar="DAY")
    made.add_argument("-a", "--active", action="store_true", help="(blocks) only the one that runs")
    made.add_argument("-r", "--recent", action="store_true", help="(blocks) of the last three days")
    made.add_argument("-t", "--token-limit", metavar="N", help="(blocks) warn by this, or by `max`")
    made.add_argument("-n", "--session-length", type=float, default=5, metavar="H")
    return made


def _totals(options: Namespace) -> list[Total]:
    if options.mode == "billing":
        narrowed = options.since or options.until or options.project or options.model
        is_by_day = options.by in PERIODS and not narrowed
        return totals(options.root, days.ahead(options.timezone) if is_by_day else None)
    from unspool.cli.costs.devtools import devtools_totals

    return devtools_totals(options.root)


def _wanted(found: Iterable[Total], made: ArgumentParser, options: Namespace) -> list[Total]:
    """Those that fit what was asked for."""
    try:
        first = days.begins(options.since, options.timezone) if options.since else None
        last = days.ends(options.until, options.timezone) if options.until else None
    except ValueError as error:
        made.error(str(error))
    project, model = options.project.lower(), options.model.lower()
    return [
        total
        for total in found
        if project in str(total[1]).lower()
        and model in str(total[4]).lower()
        and (first is None or int(total[15]) >= first)
        and (last is None or 0 < int(total[14]) < last)
    ]


def _report(found: list[Total], options: Namespace) -> Report:
    if options.by in PERIODS:
        place = days.calendar(options.timezone)
        made = reports.report(found, reports.periods(options.by, place, options.start_of_week))
        return Report(made.rows[::-1], made.total) if options.order == "desc" else made
    made = reports.report(found, reports.things(options.by))
    if options.by != "model":
        made = _clean(made)
    return reports.dearest(made, first=options.order != "asc")


def _clean(made: Report) -> Report:
    """A directory may be called by a secret, and so is its project."""
    from unspool.redact import redact

    rows = [row._replace(name=redact(row.name), project=redact(row.project)) for row in made.rows]
    return Report(rows, made.total)
