"""Commands -> a completion script for fish, 3.0 and later."""

from collections.abc import Iterator, Sequence
from typing import Final

from unspool.cli.command_tree import Argument, Command

_HEAD: Final = """\
# Completion of unspool for fish; `unspool completion fish` has written it.

function __unspool_sessions
    unspool completion --sessions 2>/dev/null
end

"""
# The same walk over the words as in the script for bash.
_BODY: Final = """\

# Whether the line is about a command, and about its nth word if a number is given.
function __unspool_at
    set -l command
    set -l place 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
        else if string match -q -- '-*' $word
            if __unspool_takes_value "$command $word"
                set skip 1
            end
        else if test -z "$command"
            set command $word
        else if __unspool_is_command "$command $word"
            set command "$command $word"
        else
            set place (math $place + 1)
        end
    end
    test "$command" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test $place -eq $argv[2]
end

complete -c unspool -f
"""


def script(commands: Sequence[Command]) -> str:
    """The script. Options before any command are those of `unspool serve`."""
    by_name = {one.name: one for one in commands}
    every = {"": by_name["serve"], **by_name}
    valued = [
        f"{name} {flag}"
        for name, command in every.items()
        for option in command.options
        if option.kind != "flag"
        for flag in option.flags
    ]
    below = [name for name in every if " " in name]
    parts = [_HEAD, _test("takes_value", valued), _test("is_command", below), _BODY]
    parts += (f"{line}\n" for line in _lines(every))
    return "".join(parts)


def _test(name: str, words: Sequence[str]) -> str:
    listed = " ".join(map(_quoted, words))
    return f"function __unspool_{name}\n    contains -- $argv[1] {listed}\nend\n"


def _lines(every: dict[str, Command]) -> Iterator[str]:
    for name, command in every.items():
        if name and " " not in name:
            for word in ("", "help"):
                yield f"{_when(word)} -a {name} -d {_quoted(command.summary)}"
    yield f"{_when('')} -a help -d 'Options of a command.'"
    yield f"{_when('')} -l version -d 'print the version'"
    for name, command in every.items():
        yield from (_option(name, one) for one in command.options)
        for number, place in enumerate(command.places):
            if name and place.kind != "text":
                limit = "" if place.is_repeatable else f" {number}"
                yield f"{_when(name, limit)}{_values(place)}"


def _when(name: str, place: str = "") -> str:
    condition = f'__unspool_at "{name}"{place}'
    return f"complete -c unspool -n {_quoted(condition)}"


def _option(name: str, option: Argument) -> str:
    longs = (f" -l {flag[2:]}" for flag in option.flags if flag.startswith("--"))
    shorts = (f" -s {flag[1:]}" for flag in option.flags if not flag.startswith("--"))
    takes = {"flag": "", "file": " -r -F"}.get(option.kind, f" -x{_values(option)}")
    return f"{_when(name)}{''.join([*longs, *shorts])}{takes} -d {_quoted(option.help)}"


def _values(argument: Argument) -> str:
    sources = {
        "word": _quoted(" ".join(argument.words)),
        "directory": "'(__fish_complete_directories)'",
        "session": "'(__unspool_sessions) (__fish_complete_suffix .jsonl)'",
    }
    source = sources.get(argument.kind)
    return f" -a {source}" if source else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
