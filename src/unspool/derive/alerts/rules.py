"""The `[[alerts]]` of unspool.toml -> rules, and what of them cannot be used."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct, structs

from unspool.derive.regex import PatternError, compiled
from unspool.model.alerts import (
    AlertRule,
    CostRule,
    EditingRule,
    ErrorRule,
    FailingRule,
    InputRule,
    TokensRule,
    WaitingRule,
)

Found: TypeAlias = tuple[tuple[AlertRule, ...], tuple[str, ...]]

_PICO: Final = 10**12
_MOST: Final = 10**9  # no threshold is larger
_LONGEST_NAME: Final = 80

KINDS: Final[dict[str, type[AlertRule]]] = {
    "waiting": WaitingRule,
    "failing": FailingRule,
    "editing": EditingRule,
    "error": ErrorRule,
    "input": InputRule,
    "tokens": TokensRule,
    "cost": CostRule,
}

# Rules for those who do not want to write one; `use` names it, and none is in use by itself.
BUILT_IN: Final[dict[str, dict[str, Any]]] = {
    "long-wait": {"when": "waiting", "seconds": 120},
    "failing-command": {"when": "failing", "times": 3},
    "busy-file": {"when": "editing", "times": 10},
    "tool-error": {
        "when": "error",
        "ignore": ["user doesn't want to proceed", r"\[Request interrupted by user"],
    },
    "env-file": {"when": "input", "matches": r"/\.env"},
    "high-tokens": {"when": "tokens", "above": 8_000, "of": "call"},
}


def rules(toml: Mapping[str, Any]) -> Found:
    """Read the rules. One that is not understood in full is left out, and why is said."""
    given = toml.get("alerts", []) if isinstance(toml, Mapping) else []
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        return (), ("alerts is not a list of rules: write [[alerts]] above each.",)
    found: list[AlertRule] = []
    troubles: list[str] = []
    for number, one in enumerate(given, 1):
        rule = _rule(one, number)
        if isinstance(rule, str):
            troubles.append(rule)
        elif rule is not None:
            found.append(_named_apart(rule, found))
    return tuple(found), tuple(troubles)


def _rule(given: Any, number: int) -> AlertRule | str | None:
    """One rule; None where it is switched off, a sentence where it cannot be used."""
    where = f"Alert {number}"
    if not isinstance(given, Mapping):
        return f"{where} is no table."
    asked = dict(given)
    base = asked.pop("use", None)
    if asked.pop("enabled", True) is False:
        return None
    if base is not None:
        if not isinstance(base, str) or base not in BUILT_IN:
            return f"{where} uses {_told(base)}; there are {', '.join(BUILT_IN)}."
        asked = {"name": base, **BUILT_IN[base], **asked}
    kind = asked.pop("when", None)
    if not isinstance(kind, str) or kind not in KINDS:
        return f"{where} says when = {_told(kind)}; there are {', '.join(KINDS)}."
    asked.setdefault("name", kind)
    wrong = _misfit(KINDS[kind], asked)
    return f"{where} ({kind}) {wrong}." if wrong else _made(KINDS[kind], asked)


def _misfit(kind: type[AlertRule], asked: Mapping[str, Any]) -> str:
    """The first thing that is wrong with a rule, or ''."""
    fields = {field.name: field for field in structs.fields(kind)}
    for name, value in asked.items():
        if name not in fields:
            return f"has {_told(name)}, and knows only {', '.join(fields)}"
        if wrong := _CHECKS[name](kind, value):
            return f"has {name} = {_told(value)}, {wrong}"
    if asked.get("of") == "day" and asked.get("project"):
        return "is about a day, which is of all projects"
    if asked.get("of", "call") != "call" and (asked.get("share") or asked.get("tool")):
        return "has share or tool, which are of a call"
    missing = [name for name, field in fields.items() if field.required and name not in asked]
    return f"lacks {', '.join(missing)}" if missing else ""


def _made(kind: type[AlertRule], asked: Mapping[str, Any]) -> AlertRule:
    values = dict(asked)
    if kind is CostRule:
        values["above"] = round(values["above"] * _PICO)
    if "ignore" in values:
        values["ignore"] = tuple(values["ignore"])
    return kind(**values)


def _named_apart(rule: AlertRule, others: Sequence[AlertRule]) -> AlertRule:
    """Two rules of one name would hide each other's alerts."""
    taken = {other.name for other in others}
    if rule.name not in taken:
        return rule
    number = next(n for n in range(2, len(taken) + 3) if f"{rule.name} {n}" not in taken)
    return structs.replace(rule, name=f"{rule.name} {number}")


def _text(_: type[Struct], value: Any) -> str:
    is_text = isinstance(value, str) and value.isprintable() and len(value) <= _LONGEST_NAME
    return "" if is_text else f"which is no text of {_LONGEST_NAME} characters at most"


def _pattern(_: type[Struct], value: Any) -> str:
    if not isinstance(value, str):
        return "which cannot be used: it is no text"
    try:
        compiled(value)
    except PatternError as error:
        return f"which cannot be used: {error.reason}"
    return ""


def _patterns(kind: type[Struct], value: Any) -> str:
    if not isinstance(value, list):
        return "which is no list of patterns"
    return next(filter(None, (_pattern(kind, one) for one in value)), "")


def _count(_: type[Struct], value: Any) -> str:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST
    return "" if is_count else "which is no whole number from 1 on"


def _above(kind: type[Struct], value: Any) -> str:
    allowed: tuple[type, ...] = (int, float) if kind is CostRule else (int,)
    is_number = isinstance(value, allowed) and not isinstance(value, bool)
    return "" if is_number and 0 <= value <= _MOST else "which is no number from 0 on"


def _of(kind: type[Struct], value: Any) -> str:
    scopes = ("session", "day") if kind is CostRule else ("call", "session", "day")
    return "" if value in scopes else f"which is none of {', '.join(scopes)}"


def _share(_: type[Struct], value: Any) -> str:
    shares = ("total", "input", "output")
    return "" if value in shares else f"which is none of {', '.join(shares)}"


_CHECKS: Final[dict[str, Callable[[type[Struct], Any], str]]] = {
    "name": _text,
    "project": _text,
    "tool": _text,
    "field": _text,
    "seconds": _count,
    "times": _count,
    "above": _above,
    "of": _of,
    "share": _share,
    "matches": _pattern,
    "ignore": _patterns,
}


def _told(value: Any) -> str:
    try:
        told = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        told = "something odd"
    return told if len(told) <= _LONGEST_NAME else told[: _LONGEST_NAME - 1] + "…"
