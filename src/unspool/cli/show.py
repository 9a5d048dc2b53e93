"""`unspool show`: one session in the terminal, or its document."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from unspool.cli import arguments, config, naming, output, pager
from unspool.engine.sessions.session import SessionReader
from unspool.errors import SourceError
from unspool.model.document import SessionDocument
from unspool.redact import Redactor
from unspool.show import session_json
from unspool.show.spans import Line
from unspool.show.text.listing import line_table, turn_table
from unspool.show.text.session import SessionText, footer, header
from unspool.show.text.steps import AgentTrace, SessionAgents, agent_trace

# Chunks whose texts are in memory at once.
_WINDOW = 1_000


def run(args: list[str]) -> int:
    """Show a session."""
    parser = make_parser()
    options = parser.parse_args(args)
    if options.schema:
        output.write_json([session_json.schema_file().rstrip()])
        return 0
    if not options.session:
        parser.error("Name a session: an id, a unique prefix of one, a path, or `latest`")
    with naming.named_session(options) as session:
        _show(session, options, output.redactor_for(options))
    return 0


def _show(session: SessionReader, options: Namespace, redactor: Redactor | None) -> None:
    if options.lines:
        _lines(session, options, redactor)
    elif options.turns:
        _turns(session, options, redactor)
    elif options.json:
        whole = _readable(session.document(first=options.first, limit=options.limit), session)
        output.write_json(session_json.document(whole), redactor)
    else:
        pager.write(_text(session, options, redactor), has_pager=options.pager)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("show", "Show one session, as text or as a JSON document.")
    arguments.add_root(parser)
    parser.add_argument(
        "session", nargs="?", metavar="SESSION", help="id, beginning of an id, path, or `latest`"
    )
    parser.add_argument(
        "--project", metavar="P", help="which project, if several have a session with that id"
    )
    parser.add_argument("--agent", metavar="ID", help="show one of its agents instead")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--turns", action="store_true", help="one line per turn")
    instead.add_argument("--lines", action="store_true", help="one row per raw line of the file")
    parser.add_argument(
        "--first", type=arguments.count, default=0, metavar="N", help="skip N chunks"
    )
    parser.add_argument("--limit", type=arguments.count, metavar="N", help="show at most N chunks")
    parser.add_argument(
        "--no-pager", dest="pager", action="store_false", help="print, even on a terminal"
    )
    arguments.add_unredacted(parser)
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of --json")
    return parser


def _readable(document: SessionDocument, session: SessionReader) -> SessionDocument:
    path, count = session.path, document.diagnostics.lines
    if count and not document.diagnostics.entries:
        raise SourceError(
            f"{path} is not a transcript: none of its {count} lines can be read."
            " --lines shows them."
        )
    return document


def _lines(session: SessionReader, options: Namespace, redactor: Redactor | None) -> None:
    if options.json:
        output.write_json(session_json.list_answer(session.lines()), redactor)
    else:
        rows = (output.redacted(row, redactor) for row in session.lines())
        pager.write(line_table(rows, config.frame(sys.stdout)), has_pager=options.pager)


def _turns(session: SessionReader, options: Namespace, redactor: Redactor | None) -> None:
    turns = _readable(session.document(limit=0, bodies=False), session).turns
    if options.json:
        output.write_json(session_json.list_answer(turns), redactor)
    else:
        redacted = output.redacted(turns, redactor)
        pager.write(turn_table(redacted, config.frame(sys.stdout)), has_pager=options.pager)


def _text(session: SessionReader, options: Namespace, redactor: Redactor | None) -> Iterator[Line]:
    frame = config.frame(sys.stdout)
    windows = _windows(session, options.first, options.limit)
    documents = (output.redacted(window, redactor) for window in windows)
    document = _readable(next(documents), session)
    agents = SessionAgents(document.subagents, lambda id: _trace(session, id, redactor), frame)
    teller = SessionText(document, agents, frame)
    yield from header(document, frame)
    yield from teller.tell(document)
    for window in documents:
        yield from teller.tell(window)
    if not options.first and options.limit is None:
        yield from agents.rest()
    yield from footer(document, frame)


def _windows(session: SessionReader, first: int, limit: int | None) -> Iterator[SessionDocument]:
    """The document, a part of its chunks at a time: at least one."""
    end = None if limit is None else first + limit
    while True:
        size = _WINDOW if end is None else min(_WINDOW, end - first)
        document = session.document(first=first, limit=size)
        yield document
        first += size
        if len(document.chunks) < _WINDOW or first == end:
            return


def _trace(session: SessionReader, agent_id: str, redactor: Redactor | None) -> AgentTrace:
    return output.redacted(agent_trace(session.agent(agent_id).document(bodies=False)), redactor)
