"""`unspool top`: the live board of all sessions, in the terminal."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

import msgspec

from unspool.cli import arguments, config, empty, output
from unspool.cli.boards import notifying_boards, open_board
from unspool.engine.archive.redacted import TextCleaner, cleaner
from unspool.engine.board.feed import BoardQuery, current_board
from unspool.model.session import Board
from unspool.redact import Redactor
from unspool.show.board_view import SORTS, BoardView
from unspool.show.text.board import Screen, board_screen
from unspool.system.terminals import has_key_mode

_DEFAULT_WIDTH: Final = 160


def run(args: list[str]) -> int:
    """Show the board: live on a terminal, once where nobody can press a key."""
    parser = make_parser()
    options = parser.parse_args(args)
    if options.follow and not options.json:
        parser.error("--follow needs --json; without --json the board is live anyway")
    redactor = output.redactor_for(options)
    clean = cleaner(redactor)
    query = open_board(options.root, config.warn)
    is_live = not (options.json or options.once) and _has_person()
    if is_live and not has_key_mode():
        config.warn("Keys cannot be read on this system, so the board is printed once.")
        is_live = False
    if not is_live:
        empty.warn(options.root)
    if options.follow:
        _follow(query, redactor)
    elif options.json:
        _write_json(current_board(query), redactor)
    elif is_live:
        _live(query, options, clean)
    else:
        _print(current_board(query), options, clean)
    return 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "top", "The live board: what is waiting for you, and what is working."
    )
    arguments.add_root(parser)
    parser.add_argument("--once", action="store_true", help="print the board once and exit")
    parser.add_argument("--follow", action="store_true", help="with --json: one line per change")
    parser.add_argument("--sort", choices=SORTS, default="status", help="sort order (status)")
    parser.add_argument("--filter", default="", metavar="WORDS", help="only sessions that match")
    arguments.add_unredacted(parser)
    return parser


def _has_person() -> bool:
    """Whether somebody looks and types; Windows sets no TERM."""
    is_plain = has_key_mode() and os.environ.get("TERM") in (None, "", "dumb")
    return not is_plain and sys.stdin.isatty() and config.is_terminal(sys.stdout)


def _print(board: Board, options: Namespace, clean: TextCleaner) -> None:
    width = config.frame(sys.stdout).width or _DEFAULT_WIDTH
    paper = Screen(width=width, now=board.at, clean=clean.text)
    output.write(board_screen(board, _view(options), paper).lines)


def _write_json(board: Board, redactor: Redactor | None) -> None:
    output.write_json([msgspec.json.encode(board)], redactor)
    sys.stdout.flush()


def _follow(query: BoardQuery, redactor: Redactor | None) -> None:
    last: object = None
    with config.stop_event() as stop:
        for board in notifying_boards(query, stop):
            content = board.rows, board.today, board.alerts
            if content != last:
                _write_json(board, redactor)
                last = content


def _live(query: BoardQuery, options: Namespace, clean: TextCleaner) -> None:
    from unspool.cli.top.loop import BoardLoop, BoardThread, LoopContext
    from unspool.cli.top.pager import session_lines
    from unspool.cli.top.terminal import open_terminal

    troubles, no_sessions = [""], empty.note(options.root)

    def trouble() -> str:
        board = thread.board
        return troubles[-1] or ("" if board and board.rows else no_sessions)

    context = LoopContext(
        config.now,
        lambda row, width: session_lines(options.root, row, width, clean),
        trouble,
        clean.text,
        config.has_colour(sys.stdout),
    )
    quiet = msgspec.structs.replace(query, say=troubles.append)
    ends = sys.stdin.fileno(), sys.stdout.fileno()
    with (
        open_terminal(*ends, sys.stdout.encoding) as terminal,
        BoardThread(lambda stop: notifying_boards(quiet, stop), terminal.wake) as thread,
    ):
        BoardLoop(terminal, thread, context, _view(options)).run()


def _view(options: Namespace) -> BoardView:
    return BoardView(sort=options.sort, needle=options.filter)
