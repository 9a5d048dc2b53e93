"""`unspool cost explain`: how one session's figure came to be."""

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct, structs

from unspool.cli import arguments, config
from unspool.cli.costs import days, screen
from unspool.cli.costs.query import CostQuery
from unspool.cli.costs.usage import Usage
from unspool.cli.stores import Stores
from unspool.decode.lines import decode
from unspool.derive.reading.messages import read
from unspool.derive.usage.ccusage import VERSION, Entry, entry
from unspool.derive.usage.compare import Comparison, Read, differences, gone
from unspool.derive.usage.explain import Kept, Told, charges, dropped, responses
from unspool.derive.usage.prices import PICO
from unspool.model.explained import Charge, Compared, Explanation
from unspool.model.files import TranscriptFile
from unspool.model.usage import UsageRow
from unspool.redact import redact
from unspool.show.explained import explained

_WORDS: Final = (b'"assistant"', b'"usage"')


class UsageLines(Struct):
    """What some files say."""

    files: int = 0
    lines: int = 0
    told: list[Told] = []
    reads: list[Read] = []


def run(args: list[str]) -> int:
    """Explain a session's cost."""
    options = _options(args)
    with Stores(options.root).recalling() as recall:
        file = recall.find(options.session, project=options.project)
        session = recall.open(file)
        stated = session.document(limit=0, bodies=False).metrics.total.cost_state
        found, earlier = gather(session.transcripts()), session.earlier_responses
    made = _explanation(file, found, earlier, options)
    made = structs.replace(made, **_stated(stated.total_cost_usd if stated else None, made))
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


def _stated(stated: float | None, made: Explanation) -> dict[str, float | None]:
    difference = None if stated is None else stated - (made.total_cost or 0.0)
    return {"cost_state_usd": stated, "cost_state_difference": difference}


def _explanation(
    file: TranscriptFile, found: UsageLines, earlier: Sequence[UsageRow], options: Namespace
) -> Explanation:
    table = config.prices()
    kept = responses(found.told)
    elsewhere = _elsewhere(file, kept, options)
    ours = [response for response in kept if response.key not in elsewhere]
    rows = [*(response.row for response in ours), *earlier]
    made = charges(rows, table)
    total = _total(made)
    return Explanation(
        session_id=file.session_id or "",
        project_id=file.project_id,
        files=found.files,
        lines=found.lines,
        usage_lines=len(found.told),
        responses=len(rows),
        earlier=len(earlier),
        dropped=dropped(kept, elsewhere),
        elsewhere=_counted(elsewhere),
        charges=made,
        total_cost=total,
        unpriced=tuple(sorted({charge.model for charge in made if charge.cost_usd is None})),
        lower_bound=sum(not row.is_finished for row in rows),
        ccusage=_compared(found, ours, elsewhere, earlier, options),
    )


def _elsewhere(file: TranscriptFile, kept: list[Kept], options: Namespace) -> dict[str, str]:
    """Responses that count for another session, and which."""
    mine = file.project_id, file.session_id
    found = Usage(CostQuery(options.root)).owners(response.key for response in kept)
    return {key: owner[1] for key, owner in found.items() if owner != mine}


def _counted(elsewhere: dict[str, str]) -> dict[str, int]:
    sessions = list(elsewhere.values())
    return {session: sessions.count(session) for session in sorted(set(sessions))}


def _total(made: tuple[Charge, ...]) -> float | None:
    priced = [charge.cost_usd for charge in made if charge.cost_usd is not None]
    return sum(priced) if priced or not made else None


def _compared(
    found: UsageLines,
    ours: list[Kept],
    elsewhere: dict[str, str],
    earlier: Sequence[UsageRow],
    options: Namespace,
) -> Compared:
    """ccusage for the same responses; those of another session count there for it as well."""
    table = config.prices()
    reads = [line for line in found.reads if line.key not in elsewhere]
    comparison = Comparison(ours, reads, table, days.calendar(options.timezone))
    gaps = [*comparison.gaps(), *gone(earlier, table)]
    return Compared(
        tool=f"ccusage {VERSION}",
        total_cost=comparison.total() / PICO,
        difference=sum(gap.pico for gap in gaps) / PICO,
        because=differences(gaps),
    )


def gather(files: Iterable[tuple[TranscriptFile, Iterable[bytes]]]) -> UsageLines:
    """All lines of a session's transcripts that say what was used."""
    made = UsageLines()
    for file, lines in files:
        for number, line in enumerate(lines, 1):
            made.lines += 1
            if any(word in line for word in _WORDS):
                _take(made, file, number, line)
        made.files += 1
    return made


def _take(made: UsageLines, file: TranscriptFile, number: int, line: bytes) -> None:
    told = [
        Told(made.files, bool(file.agent_id), message, message.tokens)
        for part, record in enumerate(decode(line))
        if (message := read(record, number, part)) is not None and message.tokens is not None
    ]
    made.told += told
    theirs = entry(line, file.session_id or "")
    if told or isinstance(theirs, Entry):
        made.reads.append(Read(told[0].key if told else None, theirs))
    # Of records glued together ccusage reads none.
    why = theirs if isinstance(theirs, str) else ""
    made.reads += [Read(one.key, why) for one in told[1:]]
