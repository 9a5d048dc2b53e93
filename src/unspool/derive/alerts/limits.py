"""Sums and usage limits -> alerts about what is exceeded; and how an alert is made."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.derive.reading.heads import beginning
from unspool.model.alerts import (
    Alert,
    AlertRule,
    AlertScope,
    CostRule,
    QuotaRule,
    TokensRule,
)
from unspool.model.usage import QuotaPace

LONGEST: Final = 500  # characters of a message: it has to fit into a notification
_PICO: Final = 10**12


def thresholds(
    rules: Sequence[AlertRule], of: AlertScope, name: str, tokens: int, pico: int, at: int | None
) -> Iterator[Alert]:
    """The limits that a session or a day exceeds; `name` is the session's id or the date."""
    session = name if of == "session" else ""
    about = "spent" if of == "session" else name
    for rule in rules:
        if isinstance(rule, TokensRule) and rule.of == of and tokens > rule.above:
            message = f"{tokens:,} tokens this {of}, more than {rule.above:,}"
        elif isinstance(rule, CostRule) and rule.of == of and pico > rule.above:
            message = f"{dollars(pico)} this {of}, more than {dollars(rule.above)}"
        else:
            continue
        yield alert(rule, message, session=session, about=about, at=at)


def quota_alerts(rules: Iterable[AlertRule], limits: Sequence[QuotaPace]) -> Iterator[Alert]:
    """Usage limits of which too much is used; each once until it is reset."""
    for rule in (rule for rule in rules if isinstance(rule, QuotaRule)):
        for limit in limits:
            if rule.window in ("", limit.window) and limit.used > rule.above:
                message = f"{limit.used:.0f} % of the {limit.window} usage limit is used"
                about = f"{limit.window}:{limit.resets_at}"
                yield alert(rule, message, session="", about=about, at=limit.at)


def alert(
    rule: AlertRule, message: str, *, session: str, about: str, at: int | None, project: str = ""
) -> Alert:
    """An alert; `about` distinguishes it from the rule's other alerts of the session."""
    return Alert(
        rule=rule.name,
        session=session,
        at=at,
        message=one_line(message),
        key=f"{rule.name}:{session}:{about}",
        project=project,
    )


def one_line(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(beginning(text, LONGEST * 4).split())
    return line if len(line) <= LONGEST else beginning(line, LONGEST - 1) + "…"


def dollars(pico: int) -> str:
    return f"${pico / _PICO:,.2f}"
