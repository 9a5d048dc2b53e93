"""`unspool search`: lines of any session by the words in them."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from typing import Final, get_args

import msgspec
from msgspec import structs

from unspool.cli import arguments, config, empty, naming, output
from unspool.cli.progress import ProgressBar, ready_index
from unspool.engine.archive.reader import Archive
from unspool.engine.archive.redacted import RedactedArchive
from unspool.engine.search.full_text import Results, Search
from unspool.model.api import SearchResult
from unspool.model.query import TextQuery
from unspool.model.rows import TextKind
from unspool.redact import Redactor
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line
from unspool.show.text.search_results import search_lines

_KINDS: Final = tuple(kind for kind in get_args(TextKind) if kind)
_PAGE: Final = 20
_PARTIAL: Final = (
    "The search ran out of time, so lines may be missing. "
    "Narrow it with --project, --session, --since or --kind."
)


def run(args: list[str]) -> int:
    """Search."""
    options = _options(args)
    stores = config.open_stores(options.root)
    known = ready_index(stores, is_quiet=options.json)
    redactor = output.redactor_for(options)
    with stores.reading(known) as (store, archive):
        clean_archive = (
            archive if redactor is None else RedactedArchive(store, redactor, archive.sources())
        )
        with closing(clean_archive):
            roots = [root.path for root in stores.roots]
            projects = stores.groups.current().select(options.project, store.project_ids())
            query = structs.replace(_query(options), projects=projects)
            search = Search(store, clean_archive, roots)
            found = (
                _scan(search, query, clean_archive, roots) if options.regex else search.find(query)
            )
    if found.is_partial:
        print(f"unspool: {_PARTIAL}", file=sys.stderr)
    is_empty = not found.items and empty.warn(options.root)
    if options.json:
        output.write_json([_json(found)], redactor)
    elif not is_empty:
        frame = config.frame(sys.stdout)
        shown = found.items if redactor is None else [_clean(one, redactor) for one in found.items]
        output.write(search_lines(shown, frame))
        output.write(_ending(found, options))
    return int(found.is_partial)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("search", "Full-text search in all sessions, newest first.")
    arguments.add_root(parser)
    arguments.add_unredacted(parser)
    parser.add_argument("query", nargs="+", metavar="QUERY", help='words, "a phrase", a prefix*')
    parser.add_argument("--project", default="", metavar="P", help=arguments.PROJECT)
    parser.add_argument(
        "--session",
        default="",
        metavar="SESSION",
        help="only this session: id, unique prefix, or `latest`",
    )
    parser.add_argument(
        "--since",
        type=arguments.start_time,
        metavar="D",
        help="only lines since: 2026-01-31, 7d, 24h, monday",
    )
    parser.add_argument(
        "--until",
        type=arguments.end_time,
        metavar="D",
        help="only lines up to D; that day is included",
    )
    parser.add_argument(
        "--kind",
        type=arguments.OneOf(dict(zip(_KINDS, _KINDS, strict=True))),
        action="append",
        default=[],
        metavar="K",
        help=", ".join(_KINDS),
    )
    parser.add_argument(
        "--regex", action="store_true", help="QUERY is a regular expression (RE2 syntax)"
    )
    parser.add_argument(
        "--ranked", action="store_true", help="best match first, among the newest 10,000 matches"
    )
    parser.add_argument(
        "--limit",
        type=arguments.count,
        default=_PAGE,
        metavar="N",
        help="show at most N lines (default: 20)",
    )
    parser.add_argument(
        "--cursor",
        type=arguments.count,
        metavar="C",
        help="continue from the nextCursor of the previous page",
    )
    return parser


def _options(args: list[str]) -> Namespace:
    parser = make_parser()
    options = parser.parse_args(args)
    if options.regex and options.ranked:
        parser.error("--regex and --ranked cannot be combined")
    return options


def _query(options: Namespace) -> TextQuery:
    words = " ".join(options.query)
    return TextQuery(
        terms="" if options.regex else words,
        regex=words if options.regex else "",
        session=naming.session_id(options) if options.session else "",
        kinds=tuple(options.kind),
        since=options.since,
        until=options.until,
        order="ranked" if options.ranked else "newest",
        limit=options.limit,
        before=options.cursor,
    )


def _scan(search: Search, query: TextQuery, archive: Archive, roots: list[str]) -> Results:
    total = sum(source.size for source in archive.sources().values() if source.root in roots)
    with closing(ProgressBar("Searching")) as bar:
        return search.scan(query, lambda done: bar(done, total))


def _clean(one: SearchResult, redactor: Redactor) -> SearchResult:
    """Its snippet is of a line without secrets; what says whose line it is comes from elsewhere."""
    project_name, project_id = redactor.text(one.project_name), redactor.text(one.project_id)
    title = redactor.text(one.title)
    return structs.replace(one, title=title, project_name=project_name, project_id=project_id)


def _json(found: Results) -> bytes:
    cursor = None if found.cursor is None else str(found.cursor)
    answer = {"items": found.items, "nextCursor": cursor, "isPartial": found.is_partial}
    return msgspec.json.encode(answer)


def _ending(found: Results, options: Namespace) -> list[Line]:
    """What is to be said below: how many, and whether there is more."""
    if not found.items:
        return [(("dim", "Nothing found."),)]
    if found.cursor is not None:
        which = "best" if options.ranked else "newest"
        text = f"Showing the {which} {plural(len(found.items), 'line')}. Use --limit for more."
    else:
        sessions = {(one.project_id, one.session_id) for one in found.items}
        text = f"{plural(len(found.items), 'line')} in {plural(len(sessions), 'session')}."
    return [BLANK, (("dim", text),)]
