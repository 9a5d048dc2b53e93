"""`unspool cost explain`: how one session's figure came to be."""

from argparse import Namespace

import msgspec
from msgspec import structs

from unspool.cli import arguments
from unspool.cli.costs import days, given, screen
from unspool.cli.costs.gather import Gathered, gathered
from unspool.cli.costs.responses import owners
from unspool.cli.stores import Stores
from unspool.derive.usage.ccusage import VERSION
from unspool.derive.usage.compare import Comparison, differences
from unspool.derive.usage.explain import Kept, charges, dropped, responses
from unspool.derive.usage.prices import PICO
from unspool.model.explained import Charge, Compared, Explanation
from unspool.model.files import TranscriptFile
from unspool.model.prices import PriceTable
from unspool.redact import redact
from unspool.show.explained import explained


def run(args: list[str]) -> int:
    """Explain a session's cost."""
    options = _options(args)
    with Stores(options.root).recalling() as recall:
        file = recall.find(options.session, project=options.project)
        session = recall.open(file)
        stated = session.document(limit=0, bodies=False).metrics.total.cost_state
        found = gathered(session.transcripts())
    made = _explanation(file, found, options, stated.total_cost_usd if stated else None)
    made = structs.replace(made, project_id=redact(made.project_id))
    if options.json:
        screen.write([msgspec.json.encode(made).decode()])
    else:
        screen.write(explained(made))
    return 0


def _options(args: list[str]) -> Namespace:
    made = arguments.command("cost explain", "How a session's cost came to be.")
    arguments.reads(made)
    made.add_argument(
        "session", metavar="SESSION", help="id, beginning of an id, path, or `latest`"
    )
    made.add_argument("--project", metavar="P", help="where two projects have the same id")
    made.add_argument("-z", "--timezone", type=days.zone, metavar="Z", help="where days begin")
    return made.parse_args(args)


def _explanation(
    file: TranscriptFile, found: Gathered, options: Namespace, stated: float | None
) -> Explanation:
    table = given.prices()
    kept = responses(found.told)
    elsewhere = _elsewhere(file, kept, options)
    ours = [response for response in kept if response.key not in elsewhere]
    made = charges(ours, table)
    total = _total(made)
    return Explanation(
        session_id=file.session_id or "",
        project_id=file.project_id,
        files=found.files,
        lines=found.lines,
        usage_lines=len(found.told),
        responses=len(ours),
        dropped=dropped(kept, elsewhere),
        elsewhere=_counted(elsewhere),
        charges=made,
        total_cost=total,
        unpriced=tuple(sorted({charge.model for charge in made if charge.cost_usd is None})),
        lower_bound=sum(not response.is_finished for response in ours),
        cost_state_usd=stated,
        cost_state_difference=None if stated is None else stated - (total or 0.0),
        ccusage=_compared(found, ours, elsewhere, table, options),
    )


def _elsewhere(file: TranscriptFile, kept: list[Kept], options: Namespace) -> dict[str, str]:
    """Responses that count for another session, and which."""
    mine = file.project_id, file.session_id
    found = owners(options.root, [response.key for response in kept])
    return {key: owner[1] for key, owner in found.items() if owner != mine}


def _counted(elsewhere: dict[str, str]) -> dict[str, int]:
    sessions = list(elsewhere.values())
    return {session: sessions.count(session) for session in sorted(set(sessions))}


def _total(made: tuple[Charge, ...]) -> float | None:
    priced = [charge.cost_usd for charge in made if charge.cost_usd is not None]
    return sum(priced) if priced or not made else None


def _compared(
    found: Gathered,
    ours: list[Kept],
    elsewhere: dict[str, str],
    table: PriceTable,
    options: Namespace,
) -> Compared:
    """ccusage for the same responses; those of another session count there for it as well."""
    reads = [line for line in found.reads if line.key not in elsewhere]
    comparison = Comparison(ours, reads, table, days.calendar(options.timezone))
    gaps = comparison.gaps()
    return Compared(
        tool=f"ccusage {VERSION}",
        total_cost=comparison.total() / PICO,
        difference=sum(gap.pico for gap in gaps) / PICO,
        because=differences(gaps),
    )
