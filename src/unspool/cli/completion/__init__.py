"""`unspool completion`: a script that completes unspool's commands and options in a shell."""

from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable
from heapq import nlargest
from typing import Final

import msgspec

from unspool.cli import arguments, output, paths

SHELLS: Final = ("bash", "zsh", "fish")
_SESSIONS: Final = 100


def run(args: list[str]) -> int:
    """Print the script for a shell."""
    parser = make_parser()
    options = parser.parse_args(args)
    if options.sessions:
        print("\n".join(_newest_sessions()))
        return 0
    if not options.shell:
        parser.error("name your shell: bash, zsh or fish")
    script = _script(options.shell)
    if options.json:
        output.write_json([msgspec.json.encode({"shell": options.shell, "script": script})])
    else:
        print(script, end="")
    return 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser(
        "completion", "Print a script that completes commands and options in your shell."
    )
    parser.add_argument("shell", nargs="?", choices=SHELLS, help="your shell")
    # For the scripts: a list of sessions with nothing but ids, from the names of their files.
    parser.add_argument("--sessions", action="store_true", help=SUPPRESS)
    return parser


def _script(shell: str) -> str:
    from unspool.cli.command_tree import commands
    from unspool.cli.completion import bash, fish, zsh

    makers: dict[str, Callable[..., str]] = {
        "bash": bash.script,
        "zsh": zsh.script,
        "fish": fish.script,
    }
    return makers[shell](commands())


def _newest_sessions() -> list[str]:
    from unspool.source.session_files import main_files

    found = (file for root in paths.scope().roots for file in main_files(root))
    newest = nlargest(_SESSIONS, found, key=lambda file: file.mtime_ns)
    return list(dict.fromkeys(["latest", *(file.session_id or "" for file in newest)]))
