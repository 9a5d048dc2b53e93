"""Parsers of the commands -> docs/commands.md, below its hand-written beginning."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tools.man_page import meaning, place_name
from unspool.cli.command_tree import Argument, Command, commands

PAGE: Final = Path("docs/commands.md")
MARK: Final = "<!-- Written by tools/command_page.py from the parsers: `make man` does it. -->\n"
# Where a command is explained.
_GUIDES: Final = {
    "serve": ("the server", "server.md"),
    "ls": ("the first ten minutes", "tutorial.md#find-a-session"),
    "show": ("the first ten minutes", "tutorial.md#read-a-session"),
    "top": ("the live board", "top.md"),
    "tail": ("follow events", "top.md#follow-events-unspool-tail"),
    "cost": ("costs", "cost.md"),
    "cost explain": ("explaining a cost", "cost.md#explaining-a-cost"),
    "search": ("search", "search.md"),
    "export": ("export", "export.md"),
    "sql": ("SQL", "sql.md"),
    "index": ("the index and the archive", "index.md"),
    "index daemon": ("at every login", "index.md#at-every-login"),
    "forget": ("forgetting sessions", "forget.md"),
    "hooks": ("hooks", "hooks.md"),
    "statusline": ("status line", "statusline.md"),
    "doctor": ("troubleshooting", "troubleshooting.md"),
    "gen": ("the first ten minutes", "tutorial.md"),
    "hub": ("a hub for a team", "hub.md"),
    "collect": ("what leaves a machine", "hub.md#what-leaves-a-machine"),
    "completion": ("completion in the shell", "completion.md"),
}


def reference(every: Iterable[Command]) -> str:
    """The part of the page that the parsers decide."""
    return "".join(f"{line}\n" for command in every for line in _lines(command))


def _lines(command: Command) -> Iterator[str]:
    name, guide = _GUIDES[command.name]
    usage = " ".join(["unspool", command.name, *map(_place, command.places), "[OPTION …]"])
    yield from ("", f"## unspool {command.name}", "")
    yield f"{command.summary} Guide: [{name}]({guide})."
    yield from ("", "```text", usage, "```", "", "| argument | meaning |", "|---|---|")
    for place in command.places:
        yield f"| `{_cell(_place(place).strip('[]'))}` | {_cell(place.help)} |"
    for option in command.options:
        if "--help" not in option.flags:  # the beginning of the page has it
            yield f"| {_flags(option)} | {_cell(meaning(option))} |"


def _place(place: Argument) -> str:
    """What stands there: one of some words, or a value."""
    words = "|".join(place.words)
    return f"[{words}]" if words else place_name(place)


def _flags(option: Argument) -> str:
    value = "" if option.kind == "flag" else f" {option.name}"
    return ", ".join(f"`{flag}{value}`" for flag in option.flags)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(root: Path) -> int:
    """Write what follows the mark."""
    path = root / PAGE
    beginning, _, _ = path.read_text(encoding="utf-8").partition(MARK)
    path.write_text(f"{beginning}{MARK}{reference(commands())}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parent.parent))
