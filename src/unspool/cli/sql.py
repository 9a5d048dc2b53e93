"""`unspool sql`: ask the index in SQL, over the documented tables, read-only."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from unspool.cli import arguments, config, empty, output
from unspool.cli.progress import ProgressBar
from unspool.engine.freshness import freshen
from unspool.engine.stores import Stores
from unspool.errors import UsageError
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line
from unspool.show.text.sql_results import csv_lines, result_table, schema_lines

if TYPE_CHECKING:
    from unspool.redact import Redactor

Rows: TypeAlias = Sequence[Sequence[Any]]

_ROWS: Final = 1_000
_SECONDS: Final = 60.0


def run(args: list[str]) -> int:
    """Ask."""
    parser = make_parser()
    options = parser.parse_args(args)
    if not options.tables and not options.query:
        parser.error('give a statement, as in unspool sql "SELECT …", or --tables')
    stores = config.open_stores(options.root)
    with closing(ProgressBar("Indexing")) as bar:
        freshen(stores, create=True, progress=bar)
    stores.require()
    empty.warn(options.root)
    if options.tables:
        _tell_tables(stores, options)
    else:
        text = sys.stdin.read() if options.query == "-" else options.query
        redactor = output.redactor_for(options)
        columns, rows = _query(stores, text, options.limit + 1, redactor)
        _tell(columns, _redacted(rows[: options.limit], redactor), options, len(rows))
    return 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "sql", "Query the index in SQL, read-only. docs/tables.md documents every table."
    )
    arguments.add_root(parser)
    arguments.add_unredacted(parser)
    parser.add_argument(
        "query", nargs="?", metavar="SELECT", help="one statement; - reads it from standard input"
    )
    parser.add_argument("--csv", action="store_true", help="write CSV with a header line")
    parser.add_argument("--tables", action="store_true", help="list the tables and their columns")
    parser.add_argument(
        "--limit",
        type=arguments.count,
        default=_ROWS,
        metavar="N",
        help="return at most N rows (default: 1000)",
    )
    return parser


def _redacted(rows: Rows, redactor: "Redactor | None") -> Rows:
    """The rows without secrets; numbers and bytes are as they were."""
    if redactor is None:
        return rows
    return [[redactor.text(one) if isinstance(one, str) else one for one in row] for row in rows]


def _query(
    stores: Stores, text: str, limit: int, redactor: "Redactor | None"
) -> tuple[list[str], Rows]:
    with stores.asking(redactor) as store:
        try:
            return store.sql(text, limit=limit, seconds=_SECONDS)
        except UsageError as error:
            message = str(error).rstrip(".")
            raise UsageError(f"{message}. `unspool sql --tables` lists what there is.") from error


def _tell(columns: list[str], rows: Rows, options: Namespace, found: int) -> None:
    if options.json:
        items = [dict(zip(columns, row, strict=True)) for row in rows]
        output.write_json([msgspec.json.encode({"items": items, "nextCursor": None})])
    elif not options.csv:
        output.write(result_table(columns, rows, config.frame(sys.stdout)))
        output.write(_ending(len(rows), found > len(rows)))
    elif config.is_terminal(sys.stdout):
        output.write((("", line),) for line in csv_lines(columns, rows))
    else:
        sys.stdout.writelines(f"{line}\n" for line in csv_lines(columns, rows))


def _tell_tables(stores: Stores, options: Namespace) -> None:
    with stores.asking() as store:
        found = store.tables()
    if options.json:
        items = [{"table": name, "columns": columns} for name, columns in found.items()]
        output.write_json([msgspec.json.encode({"items": items, "nextCursor": None})])
    else:
        output.write(schema_lines(found, config.frame(sys.stdout)))


def _ending(count: int, is_cut: bool) -> list[Line]:
    more = "; --limit gives more" if is_cut else ""
    return [BLANK, (("dim", f"{plural(count, 'row')}{more}"),)] if is_cut or not count else []
