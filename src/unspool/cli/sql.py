"""`unspool sql`: ask the index in SQL, over the documented tables, read-only."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import closing
from typing import Any, Final, TypeAlias

import msgspec

from unspool.cli import arguments, config, printing
from unspool.cli.progress import ProgressBar
from unspool.engine.freshness import freshen
from unspool.engine.stores import Stores
from unspool.errors import StoreError
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line
from unspool.show.text.sql_results import csv_lines, result_table, schema_lines

Rows: TypeAlias = Sequence[Sequence[Any]]

_ROWS: Final = 1_000
_SECONDS: Final = 60.0


def run(args: list[str]) -> int:
    """Ask."""
    made = _parser()
    options = made.parse_args(args)
    if not options.tables and not options.query:
        made.error('give a statement, as in unspool sql "SELECT …", or --tables')
    stores = config.open_stores(options.root)
    with closing(ProgressBar("Indexing")) as bar:
        freshen(stores, create=True, progress=bar)
    stores.require()
    if options.tables:
        _tell_tables(stores, options)
    else:
        text = sys.stdin.read() if options.query == "-" else options.query
        _tell(*_asked(stores, text, options.limit + 1), options)
    return 0


def _parser() -> ArgumentParser:
    made = arguments.command(
        "sql", "Query the index in SQL, read-only. docs/tables.md documents every table."
    )
    arguments.reads(made)
    arguments.covers(made)
    made.add_argument(
        "query", nargs="?", metavar="SELECT", help="one statement; - reads it from standard input"
    )
    made.add_argument("--csv", action="store_true", help="write CSV with a header line")
    made.add_argument("--tables", action="store_true", help="list the tables and their columns")
    made.add_argument(
        "--limit",
        type=arguments.count,
        default=_ROWS,
        metavar="N",
        help="return at most N rows (default: 1000)",
    )
    return made


def _covered(rows: Rows, options: Namespace) -> Rows:
    """The rows without secrets; numbers and bytes are as they were."""
    cover = printing.cover(options)
    if cover is None:
        return rows
    return [[cover.text(one) if isinstance(one, str) else one for one in row] for row in rows]


def _asked(stores: Stores, text: str, limit: int) -> tuple[list[str], Rows]:
    with stores.asking() as store:
        try:
            return store.sql(text, limit=limit, seconds=_SECONDS)
        except StoreError as error:
            said = str(error).rstrip(".")
            raise StoreError(f"{said}. `unspool sql --tables` lists what there is.") from error


def _tell(columns: list[str], rows: Rows, options: Namespace) -> None:
    shown = _covered(rows[: options.limit], options)
    if options.json:
        items = [dict(zip(columns, row, strict=True)) for row in shown]
        printing.write_json([msgspec.json.encode({"items": items, "nextCursor": None})])
    elif not options.csv:
        printing.write(result_table(columns, shown, config.frame(sys.stdout)))
        printing.write(_ending(len(shown), len(rows) > len(shown)))
    elif config.is_terminal(sys.stdout):
        printing.write((("", line),) for line in csv_lines(columns, shown))
    else:
        sys.stdout.writelines(f"{line}\n" for line in csv_lines(columns, shown))


def _tell_tables(stores: Stores, options: Namespace) -> None:
    with stores.asking() as store:
        found = store.tables()
    if options.json:
        items = [{"table": name, "columns": columns} for name, columns in found.items()]
        printing.write_json([msgspec.json.encode({"items": items, "nextCursor": None})])
    else:
        printing.write(schema_lines(found, config.frame(sys.stdout)))


def _ending(count: int, is_cut: bool) -> list[Line]:
    more = "; --limit gives more" if is_cut else ""
    return [BLANK, (("dim", f"{plural(count, 'row')}{more}"),)] if is_cut or not count else []
