"""The command: arguments in, an exit code out; each command's module is loaded when it is run."""

import sys

from unspool import __version__

HELP = """\
unspool reads the sessions Claude Code leaves on disk.

  unspool                    the pages, in the browser; so does `unspool serve`
  unspool ls                 sessions, newest first
  unspool show SESSION       one session: id, beginning of an id, path, or `latest`
  unspool top                the live board: what waits for you, what is at work
  unspool tail [SESSION]     what happens, told as it happens
  unspool cost               what was spent: daily, weekly, monthly, session, project, model, blocks
  unspool search QUERY       lines of any session by the words in them
  unspool export SESSION     a session as a file: html, md, json, jsonl
  unspool sql "SELECT …"     ask the index in SQL
  unspool index              build, status, watch, verify, rebuild, daemon
  unspool hooks              install, uninstall, status: hear what happens as it happens
  unspool statusline         one line for Claude Code's status bar; its JSON on stdin
  unspool doctor             what is odd here, and the command that helps
  unspool gen DIR            a made-up root, for trying things out

  unspool COMMAND --help     what a command takes
  unspool --version

Sessions are looked for in --root, else CLAUDE_CONFIG_DIR, else CLAUDE_ROOT, else ~/.claude.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command; whatever happens, say it in a sentence and give its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    _never_choke()
    try:
        code = _answer(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _unread()
    return code


def _answer(args: list[str]) -> int:
    if args[:1] in (["--version"], ["-V"]):
        print(f"unspool {__version__}")
        return 0
    if args[:1] in (["--help"], ["-h"], ["help"]):
        print(HELP)
        return 0
    from unspool.cli.run import run

    return run(args)


def _never_choke() -> None:
    """A terminal that lacks a character shows another; it is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _unread() -> int:
    """The reader left, as `head` does: nothing went wrong, and nothing is to be said."""
    import os

    null = os.open(os.devnull, os.O_WRONLY)
    # Python flushes once more on its way out.
    os.dup2(null, sys.stdout.fileno())
    return 0
