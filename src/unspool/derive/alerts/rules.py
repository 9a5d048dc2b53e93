"""The `[[alerts]]` of unspool.toml -> rules, and error messages for those that are invalid."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct, structs

from unspool.derive.regex import PatternError, compile_pattern
from unspool.model.alerts import (
    AlertRule,
    CostRule,
    EditingRule,
    ErrorRule,
    FailedRule,
    FailingRule,
    FinishedRule,
    InputRule,
    LimitedRule,
    QuestionRule,
    QuotaRule,
    TokensRule,
    WaitingRule,
)

# The rules, and a sentence for each one that cannot be used.
RulesAndErrors: TypeAlias = tuple[tuple[AlertRule, ...], tuple[str, ...]]

_PICO: Final = 10**12
_MAX: Final = 10**9  # the largest threshold
_LONGEST_NAME: Final = 80

KINDS: Final[dict[str, type[AlertRule]]] = {
    "waiting": WaitingRule,
    "question": QuestionRule,
    "finished": FinishedRule,
    "limited": LimitedRule,
    "failed": FailedRule,
    "quota": QuotaRule,
    "failing": FailingRule,
    "editing": EditingRule,
    "error": ErrorRule,
    "input": InputRule,
    "tokens": TokensRule,
    "cost": CostRule,
}

# What `kinds` of [notify] can name, and the rule of each.
NOTICES: Final[dict[str, AlertRule]] = {
    "waiting": WaitingRule(name="waiting", seconds=10, questions=False),
    "question": QuestionRule(name="question"),
    "finished": FinishedRule(name="finished"),
    "failed": FailedRule(name="failed"),
    "limited": LimitedRule(name="limited"),
    "quota": QuotaRule(name="quota", above=80),
}

# Ready-made rules, which `use` names. None is active by itself.
BUILT_IN: Final[dict[str, dict[str, Any]]] = {
    "long-wait": {"when": "waiting", "seconds": 120},
    "usage-limit": {"when": "limited"},
    "api-error": {"when": "failed"},
    "high-quota": {"when": "quota", "above": 80},
    "failing-command": {"when": "failing", "times": 3},
    "busy-file": {"when": "editing", "times": 10},
    "tool-error": {
        "when": "error",
        "ignore": ["user doesn't want to proceed", r"\[Request interrupted by user"],
    },
    "env-file": {"when": "input", "matches": r"/\.env"},
    "high-tokens": {"when": "tokens", "above": 8_000, "of": "call"},
}


def read_rules(toml: Mapping[str, Any]) -> RulesAndErrors:
    """Read the rules. A rule with any error is left out, and its error returned."""
    section = toml.get("alerts", []) if isinstance(toml, Mapping) else []
    if not isinstance(section, Sequence) or isinstance(section, str | bytes):
        return (), ("alerts is not a list of rules: write [[alerts]] above each.",)
    valid: list[AlertRule] = []
    errors: list[str] = []
    for number, table in enumerate(section, 1):
        rule = _rule(table, number)
        if isinstance(rule, str):
            errors.append(rule)
        elif rule is not None:
            valid.append(_with_unique_name(rule, valid))
    return tuple(valid), tuple(errors)


def with_notices(rules: Sequence[AlertRule], kinds: Sequence[str]) -> tuple[AlertRule, ...]:
    """Rules, and those of some kinds of notices; the user's own rule of a kind stands for it."""
    own = {type(rule) for rule in rules if not rule.project}
    every = list(rules)
    for kind in kinds:
        if type(NOTICES[kind]) not in own:
            every.append(_with_unique_name(NOTICES[kind], every))
    return tuple(every)


def _rule(table: Any, number: int) -> AlertRule | str | None:
    """One rule; None if it is switched off, an error message if it is invalid."""
    where = f"Alert {number}"
    if not isinstance(table, Mapping):
        return f"{where} is not a table."
    fields = dict(table)
    base = fields.pop("use", None)
    if fields.pop("enabled", True) is False:
        return None
    if base is not None:
        if not isinstance(base, str) or base not in BUILT_IN:
            return f"{where} uses {_quote(base)}, which is not one of {', '.join(BUILT_IN)}."
        fields = {"name": base, **BUILT_IN[base], **fields}
    kind = fields.pop("when", None)
    if not isinstance(kind, str) or kind not in KINDS:
        return f"{where} has when = {_quote(kind)}, which is not one of {', '.join(KINDS)}."
    fields.setdefault("name", kind)
    wrong = _error(KINDS[kind], fields)
    return f"{where} ({kind}) {wrong}." if wrong else _build(KINDS[kind], fields)


def _error(kind: type[AlertRule], fields: Mapping[str, Any]) -> str:
    """The first error of a rule, or ""."""
    known = {field.name: field for field in structs.fields(kind)}
    for name, value in fields.items():
        if name not in known:
            return f"has {_quote(name)}, which is not one of {', '.join(known)}"
        if wrong := _CHECKS[name](kind, value):
            return f"has {name} = {_quote(value)}, {wrong}"
    if kind is QuotaRule and fields.get("project"):
        return "has a project, but a limit is that of all projects"
    if fields.get("of") == "day" and fields.get("project"):
        return "has a project, but a day is always that of all projects"
    if fields.get("of", "call") != "call" and (fields.get("share") or fields.get("tool")):
        return "has share or tool, which only a rule of a call can have"
    missing = [name for name, field in known.items() if field.required and name not in fields]
    return f"lacks {', '.join(missing)}" if missing else ""


def _build(kind: type[AlertRule], fields: Mapping[str, Any]) -> AlertRule:
    values = dict(fields)
    if kind is CostRule:
        values["above"] = round(values["above"] * _PICO)
    if "ignore" in values:
        values["ignore"] = tuple(values["ignore"])
    return kind(**values)


def _with_unique_name(rule: AlertRule, others: Sequence[AlertRule]) -> AlertRule:
    """Two rules with one name would hide each other's alerts."""
    taken = {other.name for other in others}
    if rule.name not in taken:
        return rule
    number = next(n for n in range(2, len(taken) + 3) if f"{rule.name} {n}" not in taken)
    return structs.replace(rule, name=f"{rule.name} {number}")


def _text(_: type[Struct], value: Any) -> str:
    is_text = isinstance(value, str) and value.isprintable() and len(value) <= _LONGEST_NAME
    return "" if is_text else f"which is not a text of up to {_LONGEST_NAME} characters"


def _pattern(_: type[Struct], value: Any) -> str:
    if not isinstance(value, str):
        return "which cannot be used: it is not a text"
    try:
        compile_pattern(value)
    except PatternError as error:
        return f"which cannot be used: {error.reason}"
    return ""


def _patterns(kind: type[Struct], value: Any) -> str:
    if not isinstance(value, list):
        return "which is not a list of patterns"
    return next(filter(None, (_pattern(kind, one) for one in value)), "")


def _count(_: type[Struct], value: Any) -> str:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX
    return "" if is_count else "which is not a whole number of at least 1"


def _above(kind: type[Struct], value: Any) -> str:
    allowed: tuple[type, ...] = (int, float) if kind is CostRule else (int,)
    is_number = isinstance(value, allowed) and not isinstance(value, bool)
    return "" if is_number and 0 <= value <= _MAX else "which is not a number of at least 0"


def _of(kind: type[Struct], value: Any) -> str:
    scopes = ("session", "day") if kind is CostRule else ("call", "session", "day")
    return "" if value in scopes else f"which is not one of {', '.join(scopes)}"


def _flag(_: type[Struct], value: Any) -> str:
    return "" if isinstance(value, bool) else "which is not true or false"


def _window(_: type[Struct], value: Any) -> str:
    return "" if value in ("5h", "7d") else "which is not 5h or 7d"


def _share(_: type[Struct], value: Any) -> str:
    shares = ("total", "input", "output")
    return "" if value in shares else f"which is not one of {', '.join(shares)}"


_CHECKS: Final[dict[str, Callable[[type[Struct], Any], str]]] = {
    "name": _text,
    "project": _text,
    "tool": _text,
    "field": _text,
    "seconds": _count,
    "questions": _flag,
    "times": _count,
    "above": _above,
    "window": _window,
    "of": _of,
    "share": _share,
    "matches": _pattern,
    "ignore": _patterns,
}


def _quote(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        text = "something odd"
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
