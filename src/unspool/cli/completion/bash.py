"""Commands -> a completion script for bash, 3.2 and later."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.cli.command_tree import Argument, Command

_HEAD: Final = """\
# Completion of unspool for bash; `unspool completion bash` has written it.

_unspool_add() {
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done
}

_unspool_words() { _unspool_add < <(compgen -W "$1" -- "$2"); }

_unspool_files() {
    compopt -o filenames 2>/dev/null
    _unspool_add < <(compgen "$1" -- "$2")
}

_unspool_sessions() {
    case $1 in
        */* | .* | ~*) _unspool_files -f "$1" ;;
        *) _unspool_words "$(unspool completion --sessions 2>/dev/null)" "$1" ;;
    esac
}
"""
_BODY: Final = """
_unspool() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command="" place=0 at word
    COMPREPLY=()
    # An = between an option and its value is a word of its own.
    if [[ $current == = ]]; then
        current=""
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ $word == = ]]; then
            at=$((at + 1))
        elif [[ $word == -* ]]; then
            if _unspool_takes_value "$command $word" && [[ ${COMP_WORDS[at + 1]} != = ]]; then
                at=$((at + 1))
            fi
        elif [[ -z $command ]]; then
            command=$word
        elif _unspool_is_command "$command $word"; then
            command="$command $word"
        else
            place=$((place + 1))
        fi
    done
    if _unspool_takes_value "$command $before"; then
        _unspool_value "$command $before" "$current"
    elif [[ $current == -* ]]; then
        _unspool_options "$command" "$current"
    else
        _unspool_place "$command $place" "$current"
    fi
}

complete -F _unspool unspool
"""


def script(commands: Sequence[Command]) -> str:
    """The script. Options before any command are those of `unspool serve`."""
    by_name = {one.name: one for one in commands}
    every = {"": by_name["serve"], **by_name}
    parts = [_HEAD, *_functions(every), _BODY]
    return "".join(parts)


def _functions(every: dict[str, Command]) -> Iterator[str]:
    valued = [
        (f"{name} {flag}", option)
        for name, command in every.items()
        for option in command.options
        if option.kind != "flag"
        for flag in option.flags
    ]
    below = [name for name in every if " " in name]
    top = [name for name in every if name and " " not in name]
    yield _function("takes_value", [(_pattern(key for key, _ in valued), "return 0")], "return 1")
    yield _function("is_command", [(_pattern(below), "return 0")], "return 1")
    yield _function(
        "value", [(_pattern([key]), action) for key, one in valued if (action := _action(one))]
    )
    yield _function(
        "options",
        [
            (_pattern([name]), f'_unspool_words "{_flags(command, name)}" "$2"')
            for name, command in every.items()
        ],
    )
    places = [
        (_pattern([f"{name} {number}"]), action)
        for name, command in every.items()
        if name
        for number, place in enumerate(command.places)
        if (action := _action(place))
    ]
    names = f'_unspool_words "{" ".join(top)} help" "$2"'
    yield _function("place", [(_pattern([" 0", "help 0"]), names), *places])


def _function(name: str, cases: Iterable[tuple[str, str]], otherwise: str = "") -> str:
    lines = [f"\n_unspool_{name}() {{", "    case $1 in"]
    lines += (f"        {pattern}) {action} ;;" for pattern, action in cases)
    lines += [f"        *) {otherwise} ;;"] * bool(otherwise)
    return "\n".join([*lines, "    esac", "}", ""])


def _pattern(words: Iterable[str]) -> str:
    return " | ".join(f'"{word}"' for word in words)


def _flags(command: Command, name: str) -> str:
    flags = [flag for option in command.options for flag in option.flags if flag[:2] == "--"]
    return " ".join([*flags, *(["--version"] if not name else [])])


def _action(argument: Argument) -> str:
    match argument.kind:
        case "word":
            return f'_unspool_words "{" ".join(argument.words)}" "$2"'
        case "file":
            return '_unspool_files -f "$2"'
        case "directory":
            return '_unspool_files -d "$2"'
        case "session":
            return '_unspool_sessions "$2"'
        case _:
            return ""
