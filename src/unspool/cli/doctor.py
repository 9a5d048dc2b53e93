"""`unspool doctor`: problems of roots, index and archive; `schema`: unknown names."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from unspool.cli import arguments, config, empty, output
from unspool.cli.progress import ProgressBar
from unspool.engine.health import scan_oddities
from unspool.engine.stores import Stores
from unspool.errors import StoreError
from unspool.model.health import Finding
from unspool.model.rows import SourceRow
from unspool.redact import Redactor
from unspool.show import session_json
from unspool.show.numbers import plural
from unspool.show.spans import BLANK
from unspool.show.text.diagnostics import finding_lines, oddity_table


def run(args: list[str]) -> int:
    """Print the findings; with --strict, exit 1 if anything is wrong."""
    options = make_parser().parse_args(args)
    return _schema(options) if options.what == "schema" else _doctor(options)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "doctor", "Find problems on this machine, and name the command that fixes each."
    )
    arguments.add_root(parser)
    parser.add_argument(
        "what",
        nargs="?",
        choices=("schema",),
        help="names in transcripts that this version does not know",
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 if anything is wrong")
    return parser


def _doctor(options: Namespace) -> int:
    empty.warn(options.root)
    found = Redactor().value(list(findings_here(options.root)))
    if options.json:
        output.write_json(session_json.list_answer(found))
    else:
        output.write(finding_lines(found, config.frame(sys.stdout)))
    return int(options.strict and any(one.grade == "wrong" for one in found))


def findings_here(explicit: list[str]) -> Iterator[Finding]:
    """All findings of this machine."""
    from unspool.cli import hooks, notify
    from unspool.cli.checks import (
        forgotten_findings,
        index_findings,
        price_findings,
        retention_findings,
        root_findings,
    )
    from unspool.engine import settings

    stores = config.open_stores(explicit)
    yield from root_findings(stores.roots)
    yield from forgotten_findings(stores.tombstones)
    yield from retention_findings(stores.roots, _sources(stores))
    try:
        yield from index_findings(stores)
    except StoreError as error:
        yield Finding(about="index", grade="wrong", said=str(error), fix="unspool index rebuild")
    yield from price_findings()
    yield from settings.findings(config.unspool_home())
    yield from notify.findings(config.unspool_home())
    if not explicit:  # hooks belong to the user's own settings
        yield from hooks.findings()


def _sources(stores: Stores) -> list[SourceRow]:
    try:
        with stores.reading() as (store, _):
            return store.sources()
    except StoreError:
        return []  # the findings about the index report it


def _schema(options: Namespace) -> int:
    empty.warn(options.root)
    bar = ProgressBar("Reading")
    try:
        found = scan_oddities(config.open_stores(options.root).roots, bar)
    finally:
        bar.close()
    found = Redactor().value(found)
    if options.json:
        output.write_json(session_json.list_answer(found))
    elif found:
        output.write(oddity_table(found, config.frame(sys.stdout)))
        message = (
            f"{plural(len(found), 'name')} are unknown to this version; their lines are archived."
        )
        output.write([BLANK, (("dim", message),)])
    else:
        output.write([(("", "Every name in these transcripts is known."),)])
    return int(options.strict and bool(found))
