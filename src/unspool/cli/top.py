"""`unspool top`: the live board of all sessions, in the terminal."""

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

import msgspec

from unspool.cli import arguments, config, empty, printing
from unspool.cli.topping.boards import Asked, asked, boards, once
from unspool.cli.topping.clean import Clean, cleaner
from unspool.cli.topping.stopping import stopping
from unspool.model.board import Board
from unspool.redact import Redactor
from unspool.show import safe
from unspool.show.board import SORTS, View
from unspool.show.text.board import Paper, screenful

_WIDE: Final = 160  # where nothing says how wide the paper is


def run(args: list[str]) -> int:
    """Show the board: live on a terminal, once where nobody can press a key."""
    made = _parser()
    options = made.parse_args(args)
    if options.follow and not options.json:
        made.error("--follow goes with --json; without it the board is live anyway")
    cover = printing.cover(options)
    clean = cleaner(cover)
    wanted = asked(options.root, _say)
    is_live = not (options.json or options.once) and _has_person()
    if not is_live:
        empty.warn(options.root)
    if options.follow:
        _follow(wanted, cover)
    elif options.json:
        _tell(once(wanted), cover)
    elif is_live:
        _live(wanted, options, clean)
    else:
        _print(once(wanted), options, clean)
    return 0


def _parser() -> ArgumentParser:
    made = arguments.command("top", "The live board: what waits for you, what is at work.")
    arguments.reads(made)
    made.add_argument("--once", action="store_true", help="print it once, and no more")
    made.add_argument("--follow", action="store_true", help="with --json: a line a change")
    made.add_argument("--sort", choices=SORTS, default="status", help="in which order (status)")
    made.add_argument("--filter", default="", metavar="WORDS", help="only what has these words")
    arguments.covers(made)
    return made


def _has_person() -> bool:
    """Whether somebody looks and types; elsewhere than on POSIX nobody can yet."""
    can_draw = os.name == "posix" and os.environ.get("TERM") not in (None, "", "dumb")
    return can_draw and sys.stdin.isatty() and config.is_terminal(sys.stdout)


def _print(board: Board, options: Namespace, clean: Clean) -> None:
    width = config.frame(sys.stdout).width or _WIDE
    paper = Paper(width=width, now=board.at, clean=clean.text)
    printing.write(screenful(board, _view(options), paper).lines)


def _tell(board: Board, cover: Redactor | None) -> None:
    printing.write_json([msgspec.json.encode(board)], cover)
    sys.stdout.flush()


def _follow(wanted: Asked, cover: Redactor | None) -> None:
    shown: object = None
    with stopping() as stop:
        for board in boards(wanted, stop):
            told = board.rows, board.today, board.alerts
            if told != shown:
                _tell(board, cover)
                shown = told


def _live(wanted: Asked, options: Namespace, clean: Clean) -> None:
    from unspool.cli.topping.feed import Feed
    from unspool.cli.topping.loop import Loop, Means
    from unspool.cli.topping.reading import story
    from unspool.cli.topping.screen import taken

    said, nothing = [""], empty.note(options.root)

    def trouble() -> str:
        board = feed.board
        return said[-1] or ("" if board and board.rows else nothing)

    means = Means(
        config.now,
        lambda row, width: story(options.root, row, width, clean),
        trouble,
        clean.text,
        config.has_colour(sys.stdout),
    )
    quiet = msgspec.structs.replace(wanted, say=said.append)
    ends = sys.stdin.fileno(), sys.stdout.fileno()
    with taken(*ends) as screen, Feed(lambda stop: boards(quiet, stop), screen.tell) as feed:
        Loop(screen, feed, means, _view(options)).run()


def _view(options: Namespace) -> View:
    return View(sort=options.sort, needle=options.filter)


def _say(text: str) -> None:
    print(f"unspool: {safe.brief(text)}", file=sys.stderr)
