"""One session of the board -> one line: where, what about, what it does now, and what it uses."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from unspool.model.session import BoardRow, BoardSpend
from unspool.show import safe, times
from unspool.show.board import share
from unspool.show.money import format_count, format_usd, plural
from unspool.show.names import STATUSES, title
from unspool.show.spans import Line, Span, Style, cells, pad

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_MUCH, _FULL = 0.75, 0.9
_MARK = 4
_PAST: Final = ("idle", "ended")
_GAP: Final[Span] = ("", "  ")


class Ruler(Struct, frozen=True, kw_only=True):
    """How wide each part of a line is; 0: it is left out."""

    width: int
    where: int
    about: int
    now: int
    bar: int
    tokens: int
    agents: int
    context: int = 4
    since: int = 6
    cost: int = 9


def ruler(width: int) -> Ruler:
    """What fits into a width: what a session does now goes last of all."""
    bar = 10 if width >= 150 else 6 if width >= 100 else 0
    tokens, agents = (6, 9) if width >= 134 else (0, 0)
    where = 18 if width >= 118 else 14 if width >= 72 else 10
    context, cost = (4, 9) if width >= 64 else (0, 0)
    parts = (where, bar, tokens, agents, context, cost, 6)
    left = width - _MARK - 1 - sum(part + 2 for part in parts if part)
    about = left * 2 // 5 if left >= 56 else 0
    now = max(left - about - 2 if about else left, 4)
    return Ruler(
        width=width, where=where, about=about, now=now, bar=bar, tokens=tokens, agents=agents,
        context=context, cost=cost,
    )  # fmt: skip


def titles(rule: Ruler) -> Line:
    """What the parts of a line are."""
    parts = (
        (rule.where, "PROJECT", False),
        (rule.about, "SESSION", False),
        (rule.now, "NOW", False),
        (rule.since, "SINCE", True),
        ((rule.bar and rule.bar + 2) + rule.context, "CONTEXT" if rule.bar else "CTX", True),
        (rule.tokens, "TOKENS", True),
        (rule.cost, "TODAY", True),
        (rule.agents, "AGENTS", False),
    )
    shown = (pad(name, size, right=right) for size, name, right in parts if size)
    return (("dim", f"{' ' * _MARK}{'  '.join(shown)}".rstrip()),)


def row_line(row: BoardRow, rule: Ruler, now: int, clean: Callable[[str], str]) -> Line:
    """The line of one session; `clean` takes out what is not to be seen."""
    one = row.session
    sign = STATUSES[one.status.state]
    is_past = one.status.state in _PAST
    guess = "?" if one.status.evidence == "inferred" and not is_past else " "
    spans: list[Span] = [("", " "), (sign.style, sign.shape), ("dim", f"{guess} ")]
    where = _said(one.project_name or one.project_id, clean)
    spans.append(("dim" if is_past else "strong", pad(where, rule.where)))
    about = title(clean(one.title or one.goal))
    if rule.about:
        spans += [_GAP, ("dim" if is_past else "", pad(about, rule.about))]
    style, doing = _doing(row, clean)
    if row.agents and not rule.agents:
        doing = " · ".join(part for part in (_agents(row), doing) if part)
    if not rule.about and not doing:
        style, doing = "dim", about
    spans += [_GAP, (style, pad(doing, rule.now))]
    spans += [_GAP, (sign.style, pad(since(one.status.since, now), rule.since, right=True))]
    spans += _figures(row, rule)
    return tuple(spans)


def since(iso: str | None, now: int) -> str:
    """How long ago in its largest unit: 41 s, 3 min, 2 h, 5 d."""
    at = times.moment(iso)
    if at is None:
        return ""
    past = max(now - int(at.timestamp() * 1_000), 0)
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if past >= unit:
            return f"{past // unit} {name}"
    return f"{past // _SECOND} s"


def spent(spend: BoardSpend) -> str:
    """Dollars, and whether some of it has no price."""
    if spend.cost_usd is None:
        return "unpriced"
    return f"{format_usd(spend.cost_usd)}{' +?' if spend.unpriced else ''}"


def _doing(row: BoardRow, clean: Callable[[str], str]) -> tuple[Style, str]:
    """What it waits for, runs or said last, whichever tells most now."""
    state, said = row.session.status.state, row.session.recent_output or ""
    style: Style = "dim"
    more = ""
    if state in ("waiting_for_approval", "waiting_for_input") and row.waits_for:
        style, said = "wait", row.waits_for
    elif state == "waiting_for_approval" and (tool := row.session.pending_tool):
        style, said = "wait", f"{tool.name} {tool.summary}"
    elif state == "working" and row.running:
        style, said = "work", row.running[0]
        more = f"  +{len(row.running) - 1}" if len(row.running) > 1 else ""
    return style, _said(_near(said, row.session.project_path), clean) + more


def _near(text: str, project: str) -> str:
    """Files of the project go by their place in it."""
    return text.replace(f" {project.rstrip('/')}/", " ") if len(project) > 1 else text


def _said(text: str, clean: Callable[[str], str]) -> str:
    return safe.brief(clean(text), 400)


def _figures(row: BoardRow, rule: Ruler) -> list[Span]:
    used = share(row)
    style: Style = "work" if used is None or used < _MUCH else "wait" if used < _FULL else "bad"
    if row.session.status.state in _PAST:
        style = "dim"
    spans: list[Span] = []
    if rule.bar:
        spans += [_GAP, *_bar(used, rule.bar, style)]
    if rule.context:
        known = f"{used:.0%}" if used is not None else _count(row.context_tokens)
        shade: Style = "dim" if style == "work" else style
        spans += [_GAP, (shade, pad(known, rule.context, right=True))]
    if rule.tokens:
        spans += [_GAP, ("dim", pad(_count(row.today.tokens), rule.tokens, right=True))]
    if rule.cost:
        spans += [_GAP, ("", _money(row.today, rule.cost))]
    if rule.agents:
        spans += [_GAP, ("work", pad(_agents(row), rule.agents))]
    return spans


def _bar(used: float | None, width: int, style: Style) -> list[Span]:
    if used is None:
        return [("dim", " " * width)]
    filled = min(round(used * width) or bool(used), width)
    return [(style, "━" * filled), ("dim", "─" * (width - filled))]


def _money(spend: BoardSpend, width: int) -> str:
    told = spent(spend) if spend.tokens or spend.cost_usd else ""
    # A figure that is cut would be another one.
    short = told if cells(told) <= width else f"${spend.cost_usd or 0:,.0f}"
    return pad(short, width, right=True)


def _count(number: int) -> str:
    return format_count(number) if number else ""


def _agents(row: BoardRow) -> str:
    return plural(len(row.agents), "agent") if row.agents else ""
