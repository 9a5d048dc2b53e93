"""The command: arguments in, an exit code out; each command's module is loaded when it is run."""

import sys

from unspool import __version__

HELP = """\
unspool reads the sessions Claude Code leaves on disk.

  unspool                    open the web pages in the browser (the same as `unspool serve`)
  unspool ls                 sessions, newest first
  unspool show SESSION       one session: id, unique prefix of an id, path, or `latest`
  unspool top                the live board: what waits for you, what is at work
  unspool tail [SESSION]     events of live sessions, as they happen
  unspool cost               cost reports: daily, weekly, monthly, session, project, model, blocks
  unspool search QUERY       full-text search in all sessions
  unspool export SESSION     a session as a file: html, md, json, jsonl
  unspool sql "SELECT …"     query the index in SQL
  unspool index              build, status, watch, verify, rebuild, daemon
  unspool forget SESSION     erase a session from index and archive, and keep it out
  unspool hooks              install, uninstall, status: report events as they happen
  unspool statusline         one line for Claude Code's status bar; its JSON on stdin
  unspool doctor             problems on this machine, and the command that fixes each
  unspool gen DIR            generate a made-up root, for trying things out
  unspool hub ACTION         the hub of a team: init, serve, person, enrol, machines, revoke, rotate
  unspool collect --hub URL  send this machine's sessions to a hub
  unspool completion SHELL   a completion script for bash, zsh or fish

  unspool serve status|stop  the address of the server that is running; stop it
  unspool help COMMAND       options of a command
  unspool --version

Sessions are read from --root, else CLAUDE_CONFIG_DIR, else CLAUDE_ROOT, else ~/.claude.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found."""

COMMANDS = (
    "serve", "ls", "show", "top", "tail", "cost", "search", "export", "sql", "index",
    "forget", "hooks", "statusline", "doctor", "gen", "hub", "collect", "completion",
)  # fmt: skip
_FAILED, _USAGE, _MISSING = 1, 2, 3
# What follows these may have the name of a command.
TAKE_TEXT = (
    "--root", "--project", "--session", "--agent", "--model", "--filter", "--output", "-o",
    "--settings", "--host", "--cert", "--key", "--public-url", "--since", "--until",
    "--cursor", "--restore", "--database-url", "--hub", "--code", "--name", "--for", "--table",
    "--behind-proxy",
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run one command; errors become a message and an exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    try:
        code = _answer(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader closed the pipe, as `head` does: not an error
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        return _fail(f"{error.strerror or error}: the output", _FAILED)
    return code


def _answer(args: list[str]) -> int:
    if args[:1] in (["--version"], ["-V"]):
        print(f"unspool {__version__}")
        return 0
    if args in (["--help"], ["-h"], ["help"], ["help", "help"]):
        print(HELP)
        return 0
    if args[:1] == ["help"]:
        args = [*args[1:], "--help"]
    if args and args[0] not in COMMANDS and not args[0].startswith("-"):
        return _unknown(args[0])
    return _run(*_command(args))


def _command(args: list[str]) -> tuple[str, list[str]]:
    """A command and its arguments; options before it go to their end."""
    at = next((at for at, arg in enumerate(args) if arg in COMMANDS and is_word(args, at)), None)
    if at is None:
        return "serve", args
    rest = args[at + 1 :]
    end = rest.index("--") if "--" in rest else len(rest)
    return args[at], [*rest[:end], *args[:at], *rest[end:]]


def is_word(args: list[str], at: int) -> bool:
    """Whether an argument stands for itself, and is not the value of an option."""
    return at == 0 or args[at - 1] not in TAKE_TEXT


def _unknown(name: str) -> int:
    from unspool.cli.arguments import suggestion

    hint = suggestion(name, COMMANDS) or f". Commands: {', '.join(COMMANDS)}."
    return _fail(f"There is no command {name!r}{hint} See unspool --help.", _USAGE)


def _run(name: str, args: list[str]) -> int:
    from importlib import import_module

    from unspool.errors import Ambiguous, NotFound, UnspoolError, UsageError

    try:
        code: int = import_module(f"unspool.cli.{name}").run(args)
        return code
    except SystemExit as leaving:  # argparse has said what was wrong
        return leaving.code if isinstance(leaving.code, int) else _FAILED
    except Ambiguous as error:
        return _fail("\n  ".join([str(error), *error.candidates]), _USAGE)
    except UsageError as error:
        return _fail(str(error), _USAGE)
    except NotFound as error:
        return _fail(str(error), _MISSING)
    except UnspoolError as error:
        return _fail(str(error), _FAILED)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as error:
        return _fail(f"{error.strerror or error}: {error.filename or 'the output'}", _FAILED)


def _fail(message: str, code: int) -> int:
    from unspool.show import safe

    first, *others = safe.lines(message)
    print("\n".join([f"unspool: {first}", *others]), file=sys.stderr)
    return code


def _prepare_streams() -> None:
    """Write a replacement for characters the terminal cannot show; a closed stream goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            import os

            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Python flushes once more on its way out: let that go nowhere."""
    import os

    with open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), sys.stdout.fileno())
