"""Commands -> a completion script for zsh."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.cli.command_tree import Argument, Command

_HEAD: Final = """\
#compdef unspool
# Completion of unspool for zsh; `unspool completion zsh` has written it.

_unspool_sessions() {
    local -a ids
    ids=(${(f)"$(unspool completion --sessions 2>/dev/null)"})
    compadd -a ids
    _files -g '*.jsonl'
}

_unspool_commands() {
    local -a commands
    commands=(
"""
_BODY: Final = """\
    )
    _describe command commands
}

_unspool() {
    local curcontext="$curcontext" state line found=1
    typeset -A opt_args
"""
_FOOT: Final = """\
    return found
}

# Loaded by its name from fpath, it is the function itself; sourced, it has to be registered.
if [[ ${funcstack[1]} == _unspool ]]; then
    _unspool "$@"
else
    compdef _unspool unspool
fi
"""


def script(commands: Sequence[Command]) -> str:
    """The script. Options before any command are those of `unspool serve`."""
    serve = next(one for one in commands if one.name == "serve")
    top = [one for one in commands if " " not in one.name]
    below = {one.name.split()[0]: one for one in commands if " " in one.name}
    names = [f"        {_quoted(f'{one.name}:{_plain(one.summary)}')}\n" for one in top]
    lines = [_HEAD, *names, "        'help:Options of a command.'\n", _BODY]
    version = ["'--version[print the version]'"]
    first = ["'(-)1: :_unspool_commands'", "'(-)*:: :->rest'"]  # (-): no such option after it
    lines.append(_call("    ", [*version, *map(_spec, serve.options), *first], "-C"))
    lines += ["    [[ $state == rest ]] || return found\n", "    case ${words[1]} in\n"]
    lines.append("        help) _arguments '1: :_unspool_commands' && found=0 ;;\n")
    for one in top:
        lines += _case(one, below.get(one.name))
    return "".join([*lines, "    esac\n", _FOOT])


def _case(command: Command, below: Command | None) -> Iterator[str]:
    yield f"        {command.name})\n"
    if below is not None:
        word = below.name.split()[1]
        yield f"            if (( CURRENT > 2 )) && [[ ${{words[2]}} == {word} ]]; then\n"
        yield "                shift words\n                (( CURRENT-- ))\n"
        yield _call("                ", _specs(below))
        yield "                return found\n            fi\n"
    yield _call("            ", _specs(command))
    yield "            ;;\n"


def _call(indent: str, specs: Iterable[str], *options: str) -> str:
    parts = [" ".join(["_arguments", *options, "-s", "-S"]), *specs]
    return indent + f" \\\n{indent}    ".join(parts) + " && found=0\n"


def _specs(command: Command) -> list[str]:
    places = [_place(number, one) for number, one in enumerate(command.places, 1)]
    return [*map(_spec, command.options), *places]


def _spec(option: Argument) -> str:
    """One flag as `_arguments` wants it; several become one spec by braces of the shell."""
    star = "*" if option.is_repeatable else ""
    rest = f"[{_bracketed(option.help)}]" + ("" if option.kind == "flag" else _value(option))
    flags = [flag + _joint(flag, option) for flag in option.flags]
    if len(flags) == 1:
        return _quoted(f"{star}{flags[0]}{rest}")
    return f"{_quoted(star)}{{{','.join(flags)}}}{_quoted(rest)}"


def _joint(flag: str, option: Argument) -> str:
    """How a value may be joined to its option: --name=value, -nvalue."""
    if option.kind == "flag":
        return ""
    return "=" if flag.startswith("--") else "+"


def _place(number: int, place: Argument) -> str:
    at = "*" if place.is_repeatable else f"{number}:" if place.is_optional else f"{number}"
    return _quoted(f"{at}{_value(place)}")


def _value(argument: Argument) -> str:
    actions = {
        "word": f"({' '.join(argument.words)})",
        "file": "_files",
        "directory": "_files -/",
        "session": "_unspool_sessions",
    }
    return f":{argument.name}:{actions.get(argument.kind, ' ')}"


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _bracketed(text: str) -> str:
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
