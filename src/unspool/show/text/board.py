"""The live board as a terminal screen: what needs approval first."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.model.document import StatusName
from unspool.model.session import Board, BoardRow, BoardSpend
from unspool.show import safe, times
from unspool.show.board_view import (
    ORDER,
    BoardView,
    board_alerts,
    context_share,
    group_by_status,
    selected_index,
    sort_rows,
)
from unspool.show.labels import STATUSES, is_at_most, stop_label, title_label
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.spans import BLANK, Line, Span, Style, cells, ends, fit, pad, plain

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_MUCH, _FULL = 0.75, 0.9
_MARK = 4
_BOTH = 28  # the least width for a title and what the session does
_PAST: Final = ("idle", "ended")
_GAP: Final[Span] = ("", "  ")


class ColumnWidths(Struct, frozen=True, kw_only=True):
    """Column widths; 0 leaves a column out."""

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


def column_widths(width: int) -> ColumnWidths:
    """Columns that fit a width; titles and the current activity are dropped last."""
    bar = 10 if width >= 150 else 6 if width >= 118 else 0
    tokens, agents = (6, 9) if width >= 134 else (0, 0)
    where = 18 if width >= 118 else 14 if width >= 90 else 12 if width >= 72 else 10
    context = 4 if width >= 90 else 0
    cost = 9 if width >= 72 else 0
    parts = (where, bar, tokens, agents, context, cost, 6)
    left = width - _MARK - 1 - sum(part + 2 for part in parts if part)
    about = left * 2 // 5 if left >= 50 else left * 3 // 7 if left >= _BOTH else 0
    now = max(left - about - 2 if about else left, 4)
    return ColumnWidths(
        width=width, where=where, about=about, now=now, bar=bar, tokens=tokens, agents=agents,
        context=context, cost=cost,
    )  # fmt: skip


def column_titles(rule: ColumnWidths) -> Line:
    """The column titles."""
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
    titles = (pad(name, size, right=right) for size, name, right in parts if size)
    return (("dim", f"{' ' * _MARK}{'  '.join(titles)}".rstrip()),)


def row_line(
    row: BoardRow,
    rule: ColumnWidths,
    now: int,
    clean: Callable[[str], str],
    zone: tzinfo | None = None,
) -> Line:
    """The line of one session; `clean` redacts."""
    one = row.session
    sign = STATUSES[one.status.state]
    is_past = one.status.state in _PAST
    guess = "?" if one.status.evidence == "inferred" and not is_past else " "
    spans: list[Span] = [("", " "), (sign.style, sign.shape), ("dim", f"{guess} ")]
    where = _clean_text(one.project_label, clean)
    spans.append(("dim" if is_past else "strong", pad(where, rule.where)))
    about = title_label(clean(one.title or one.goal))
    if rule.about:
        spans += [_GAP, ("dim" if is_past else "", pad(about, rule.about))]
    style, doing = _doing(row, now, zone, clean)
    if row.agents and not rule.agents:
        doing = " · ".join(part for part in (_agents(row), doing) if part)
    if not rule.about and not doing:
        style, doing = "dim", about
    spans += [_GAP, (style, pad(doing, rule.now))]
    spans += [_GAP, (sign.style, pad(age(one.status.since, now), rule.since, right=True))]
    spans += _figures(row, rule)
    return tuple(spans)


def age(iso: str | None, now: int) -> str:
    """An age in its largest unit: 41 s, 3 min, 2 h, 5 d."""
    at = times.moment(iso)
    if at is None:
        return ""
    past = max(now - int(at.timestamp() * 1_000), 0)
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if past >= unit:
            return f"{past // unit} {name}"
    return f"{past // _SECOND} s"


def spend_label(spend: BoardSpend, *, at_most: bool = False) -> str:
    """Dollars, and whether some of it has no price."""
    if spend.cost_usd is None:
        return "unpriced"
    cost = format_usd(spend.cost_usd, at_most=at_most)
    return f"{cost} +?" if spend.unpriced else cost


def _doing(
    row: BoardRow, now: int, zone: tzinfo | None, clean: Callable[[str], str]
) -> tuple[Style, str]:
    """The pending approval, the running call, or that it thinks and the last output."""
    state, text = row.session.status.state, row.session.recent_output or ""
    style: Style = "dim"
    more = ""
    if reason := stop_label(row.session.status, now, zone):
        style, text = STATUSES[state].style, reason
    elif state in ("waiting_for_approval", "waiting_for_input") and row.waits_for:
        style, text = "wait", row.waits_for
    elif state == "waiting_for_approval" and (tool := row.session.pending_tool):
        style, text = "wait", f"{tool.name} {tool.summary}"
    elif state == "working" and row.running:
        style, text = "work", row.running[0]
        more = f"  +{len(row.running) - 1}" if len(row.running) > 1 else ""
    elif state == "working" and not row.agents:
        text = f"Thinking · {text}" if text else "Thinking"
    return style, _clean_text(_near(text, row.session.project_path), clean) + more


def _near(text: str, project: str) -> str:
    """Paths relative to the project."""
    for separator in "/\\" if len(project) > 1 else "":
        text = text.replace(f" {project.rstrip(separator)}{separator}", " ")
    return text


def _clean_text(text: str, clean: Callable[[str], str]) -> str:
    return safe.brief(clean(text), 400)


def _figures(row: BoardRow, rule: ColumnWidths) -> list[Span]:
    used = context_share(row)
    style: Style = "work" if used is None or used < _MUCH else "wait" if used < _FULL else "bad"
    if row.session.status.state in _PAST:
        style = "dim"
    spans: list[Span] = []
    if rule.bar:
        spans += [_GAP, *_bar(used, rule.bar, style)]
    if rule.context:
        usage = f"{used:.0%}" if used is not None else _count(row.context_tokens)
        shade: Style = "dim" if style == "work" else style
        spans += [_GAP, (shade, pad(usage, rule.context, right=True))]
    if rule.tokens:
        spans += [_GAP, ("dim", pad(_count(row.today.tokens), rule.tokens, right=True))]
    if rule.cost:
        spans += [_GAP, ("", _money(row, rule.cost))]
    if rule.agents:
        spans += [_GAP, ("work", pad(_agents(row), rule.agents))]
    return spans


def _bar(used: float | None, width: int, style: Style) -> list[Span]:
    if used is None:
        return [("dim", " " * width)]
    filled = min(round(used * width) or bool(used), width)
    return [(style, "━" * filled), ("dim", "─" * (width - filled))]


def _money(row: BoardRow, width: int) -> str:
    spend, at_most = row.today, is_at_most(row.metrics)
    full = spend_label(spend, at_most=at_most) if spend.tokens or spend.cost_usd else ""
    # A figure that is cut would be another one.
    short = full if cells(full) <= width else f"${spend.cost_usd or 0:,.0f}"
    return pad(short, width, right=True)


def _count(number: int) -> str:
    return format_count(number) if number else ""


def _agents(row: BoardRow) -> str:
    return plural(len(row.agents), "agent") if row.agents else ""


_ALERTS, _ROOMY, _LEAST = 3, 22, 20
_GROUPS: Final[dict[StatusName, str]] = {
    "waiting_for_approval": "Waiting for your approval",
    "failed": "Stopped by an error",
    "limited": "Stopped by a usage limit",
    "working": "Working",
    "waiting_for_input": "Waiting for your prompt",
    "idle": "Idle",
    "ended": "Ended",
}
_KEYS: Final = (
    ("q", "quit, or back"),
    ("j k ↓ ↑", "move; PgUp and PgDn by page, g and G to the ends"),
    ("Enter", "open the session"),
    ("/", "filter by words; Esc clears the filter"),
    ("s", "sort by status, activity, cost, context"),
    ("?", "this page"),
)

# A line and the session it is about; a session's line is made when it is to be seen.
_Item: TypeAlias = Line | BoardRow


class Screen(Struct, frozen=True, kw_only=True):
    """Size and clock of the screen; no height means unlimited."""

    width: int
    height: int | None = None
    now: int
    zone: tzinfo | None = None
    clean: Callable[[str], str] = str
    trouble: str = ""


class BoardScreen(Struct, frozen=True):
    """The lines of a screen and the selected one."""

    lines: tuple[Line, ...]
    selected: int | None = None


def board_screen(board: Board, view: BoardView, paper: Screen) -> BoardScreen:
    """The whole screen."""
    width = max(paper.width, _LEAST)
    head = [_head(board, width, paper), *_alerts(board, paper)]
    if paper.trouble:
        head.append(fit((("bad", f" ! {safe.brief(paper.trouble)}"),), width))
    if view.help:
        return _page([*head, BLANK, *_help()], paper, _foot(view, paper, 0, 0))
    rows = sort_rows(board, view)
    if not rows:
        return _page([*head, BLANK, _nothing(board, view)], paper, _foot(view, paper, 0, 0))
    rule = column_widths(width)
    roomy = paper.height is None or paper.height >= _ROOMY
    head.append(column_titles(rule))
    items = _items(rows, view, roomy)
    room = len(items) if paper.height is None else max(paper.height - len(head) - 1, 1)
    chosen = rows[selected_index(rows, view)]
    where = next(n for n, item in enumerate(items) if item is chosen)
    top = max(0, min(where - room // 2, len(items) - room))
    visible = items[top : top + room]
    lines = [_line(item, rule, paper) for item in visible]
    below = sum(isinstance(item, BoardRow) for item in items[top + room :])
    above = sum(isinstance(item, BoardRow) for item in items[:top])
    page = _page([*head, *lines], paper, _foot(view, paper, above, below))
    return BoardScreen(page.lines, len(head) + where - top if paper.height is not None else None)


def _items(rows: Sequence[BoardRow], view: BoardView, roomy: bool) -> list[_Item]:
    if view.sort != "status":
        return list(rows)
    items: list[_Item] = []
    for state, group in group_by_status(rows).items():
        if roomy:
            items.append(BLANK)
        sign = STATUSES[state]
        items.append(((sign.style, f" {_GROUPS[state]}"), ("dim", f"  {len(group)}")))
        items += group
    return items


def _line(item: _Item, rule: ColumnWidths, paper: Screen) -> Line:
    if isinstance(item, BoardRow):
        return fit(row_line(item, rule, paper.now, paper.clean, paper.zone), rule.width)
    return item


def _page(lines: list[Line], paper: Screen, foot: Line) -> BoardScreen:
    if paper.height is None:
        return BoardScreen(tuple(lines))
    body = lines[: max(paper.height - 1, 0)]
    blank = [BLANK] * (paper.height - 1 - len(body))
    return BoardScreen((*body, *blank, foot)[: paper.height])


def _head(board: Board, width: int, paper: Screen) -> Line:
    counts = {state: 0 for state in ORDER}
    for row in board.rows:
        counts[row.session.status.state] += 1
    left: list[Span] = [("strong", " unspool")]
    for state in ORDER[:4]:
        if counts[state]:
            sign = STATUSES[state]
            left += [("", "   "), (sign.style, f"{sign.shape} {counts[state]} {sign.word}")]
    if not counts["waiting_for_approval"]:
        left.insert(1, ("dim", "   no approval needed" if width >= 100 else ""))
    at = datetime.fromtimestamp(paper.now / 1_000, UTC).astimezone(paper.zone)
    tokens = f" · {format_count(board.today.tokens)} tokens" if width >= 80 else ""
    right: Line = (("strong", spend_label(board.today)), ("dim", f" today{tokens}  {at:%H:%M:%S}"))
    if width < 60 or cells(plain(tuple(left))) + cells(plain(right)) > width:
        right = (("strong", spend_label(board.today)),)
    return ends(tuple(left), right, width - 1)


def _alerts(board: Board, paper: Screen) -> list[Line]:
    newest = board_alerts(board)[-_ALERTS:]
    messages = (f" ! {safe.brief(paper.clean(alert.message))}" for alert in newest)
    return [fit((("bad", text),), paper.width) for text in messages]


def _nothing(board: Board, view: BoardView) -> Line:
    if board.rows:
        return (("dim", "   No session matches this filter."),)
    return (("dim", "   No live sessions. Start Claude Code and its session appears here."),)


def _foot(view: BoardView, paper: Screen, above: int, below: int) -> Line:
    if view.typing:
        return fit((("strong", " /"), ("", f"{safe.line(view.needle)}▏")), paper.width)
    hidden = [f"↑ {above}"] * bool(above) + [f"↓ {below}"] * bool(below)
    needle = f"/{safe.brief(view.needle, 40)}   " if view.needle else ""
    left: Line = (
        ("wait", f" {needle}"),
        ("dim", f"q quit   / filter   s sort: {view.sort}   ⏎ open   ? help"),
    )
    return ends(left, (("dim", "  ".join(hidden)),), paper.width - 1)


def _help() -> list[Line]:
    keys: list[Line] = [(("strong", f"   {name:<10}"), ("", text)) for name, text in _KEYS]
    signs: list[Line] = [
        ((sign.style, f"   {sign.shape:<10}"), ("", sign.phrase)) for sign in STATUSES.values()
    ]
    guess: Line = (("dim", f"   {'?':<10}"), ("", "inferred from the transcript: without hooks, a"))
    more: Line = (("", f"   {'':<10}running tool looks like one that is waiting"),)
    return [*keys, BLANK, *signs, guess, more]
