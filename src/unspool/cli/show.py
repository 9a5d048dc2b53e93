"""`unspool show`: one session in the terminal, or its document."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from unspool.cli import arguments, config, printing
from unspool.engine.recall import Recall
from unspool.engine.session import SessionReader
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
    made = _parser()
    options = made.parse_args(args)
    if options.schema:
        printing.write_json([session_json.schema_file().rstrip()])
        return 0
    if not options.session:
        made.error("Name a session: an id, a unique prefix of one, a path, or `latest`")
    with config.open_stores(options.root).recalling() as recall:
        _show(_session(recall, options), options, printing.cover(options))
    return 0


def _show(session: SessionReader, options: Namespace, cover: Redactor | None) -> None:
    if options.lines:
        _lines(session, options, cover)
    elif options.turns:
        _turns(session, options, cover)
    elif options.json:
        whole = _readable(session.document(first=options.first, limit=options.limit), session)
        printing.write_json(session_json.document(whole), cover)
    else:
        printing.write(_text(session, options, cover), cover)


def _parser() -> ArgumentParser:
    made = arguments.command("show", "Show one session, as text or as a JSON document.")
    arguments.reads(made)
    made.add_argument(
        "session", nargs="?", metavar="SESSION", help="id, beginning of an id, path, or `latest`"
    )
    made.add_argument("--project", metavar="P", help="where two projects have the same id")
    made.add_argument("--agent", metavar="ID", help="show one of its agents instead")
    made.add_argument("--turns", action="store_true", help="one line per turn")
    made.add_argument(
        "--lines", action="store_true", help="one line per line of the file, as it is there"
    )
    made.add_argument("--first", type=arguments.count, default=0, metavar="N", help="skip N chunks")
    made.add_argument("--limit", type=arguments.count, metavar="N", help="show at most N chunks")
    arguments.covers(made)
    made.add_argument("--schema", action="store_true", help="print the JSON Schema of --json")
    return made


def _session(recall: Recall, options: Namespace) -> SessionReader:
    session = recall.open(recall.find(options.session, project=options.project))
    return session.agent(options.agent) if options.agent else session


def _readable(document: SessionDocument, session: SessionReader) -> SessionDocument:
    path, count = session.path, document.diagnostics.lines
    if count and not document.diagnostics.entries:
        raise SourceError(
            f"{path} is no transcript: none of its {count} lines can be read. --lines shows them."
        )
    return document


def _lines(session: SessionReader, options: Namespace, cover: Redactor | None) -> None:
    if options.json:
        printing.write_json(session_json.list_answer(session.lines()), cover)
    else:
        shown = (printing.fitting(row, cover) for row in session.lines())
        printing.write(line_table(shown, config.frame(sys.stdout)), cover)


def _turns(session: SessionReader, options: Namespace, cover: Redactor | None) -> None:
    made = _readable(session.document(limit=0, bodies=False), session).turns
    if options.json:
        printing.write_json(session_json.list_answer(made), cover)
    else:
        shown = printing.fitting(made, cover)
        printing.write(turn_table(shown, config.frame(sys.stdout)), cover)


def _text(session: SessionReader, options: Namespace, cover: Redactor | None) -> Iterator[Line]:
    frame = config.frame(sys.stdout)
    windows = _windows(session, options.first, options.limit)
    documents = (printing.fitting(window, cover) for window in windows)
    document = _readable(next(documents), session)
    agents = SessionAgents(document.subagents, lambda id: _trace(session, id, cover), frame)
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


def _trace(session: SessionReader, agent_id: str, cover: Redactor | None) -> AgentTrace:
    return printing.fitting(agent_trace(session.agent(agent_id).document(bodies=False)), cover)
