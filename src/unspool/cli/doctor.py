"""`unspool doctor`: what is odd about roots, index and archive; `schema`: what nobody knows yet."""

import sys
from argparse import Namespace
from collections.abc import Iterator

from unspool.cli import arguments, config, printing
from unspool.cli.progress import ProgressBar
from unspool.engine.health import scan_oddities
from unspool.engine.stores import Stores
from unspool.errors import StoreError
from unspool.model.health import Finding
from unspool.model.rows import SourceRow
from unspool.show import session_json
from unspool.show.numbers import plural
from unspool.show.spans import BLANK
from unspool.show.text.diagnostics import finding_lines, oddity_table


def run(args: list[str]) -> int:
    """Look, and say; with --strict, fail where anything is wrong."""
    options = _options(args)
    return _schema(options) if options.what == "schema" else _doctor(options)


def _options(args: list[str]) -> Namespace:
    made = arguments.command(
        "doctor", "Find problems on this machine, and name the command that fixes each."
    )
    arguments.reads(made)
    made.add_argument(
        "what",
        nargs="?",
        choices=("schema",),
        help="names in transcripts that this version does not know",
    )
    made.add_argument("--strict", action="store_true", help="exit 1 if anything is wrong")
    return made.parse_args(args)


def _doctor(options: Namespace) -> int:
    found = list(found_here(options.root))
    if options.json:
        printing.write_json(session_json.list_answer(found))
    else:
        printing.write(finding_lines(found, config.frame(sys.stdout)))
    return int(options.strict and any(one.grade == "wrong" for one in found))


def found_here(explicit: list[str]) -> Iterator[Finding]:
    """Everything there is to say about this machine."""
    from unspool.cli import hooks
    from unspool.cli.checks import (
        index_findings,
        price_findings,
        retention_findings,
        root_findings,
    )
    from unspool.engine import settings

    stores = config.open_stores(explicit)
    yield from root_findings(stores.roots)
    yield from retention_findings(stores.roots, _sources(stores))
    try:
        yield from index_findings(stores)
    except StoreError as error:
        yield Finding(about="index", grade="wrong", said=str(error), fix="unspool index rebuild")
    yield from price_findings()
    yield from settings.findings(config.unspool_home())
    if not explicit:  # hooks are of one's own settings
        yield from hooks.findings()


def _sources(stores: Stores) -> list[SourceRow]:
    try:
        with stores.reading() as (store, _):
            return store.sources()
    except StoreError:
        return []  # the findings about the index report it


def _schema(options: Namespace) -> int:
    bar = ProgressBar("Reading")
    try:
        found = scan_oddities(config.open_stores(options.root).roots, bar)
    finally:
        bar.close()
    if options.json:
        printing.write_json(session_json.list_answer(found))
    elif found:
        printing.write(oddity_table(found, config.frame(sys.stdout)))
        said = f"{plural(len(found), 'name')} this version does not know; all of it is kept."
        printing.write([BLANK, (("dim", said),)])
    else:
        printing.write([(("", "Every name in these transcripts is known."),)])
    return int(options.strict and bool(found))
