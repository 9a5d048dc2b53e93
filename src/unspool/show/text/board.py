"""A board -> a screenful of lines: what waits for you first, then as much as there is room for."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.model.document import StatusName
from unspool.model.session import Board, BoardRow
from unspool.show import safe
from unspool.show.board import ORDER, View, alerts, arranged, at, grouped
from unspool.show.money import format_count
from unspool.show.names import STATUSES
from unspool.show.spans import BLANK, Line, Span, cells, ends, fit, plain
from unspool.show.text.board_row import Ruler, row_line, ruler, spent, titles

_ALERTS, _ROOMY, _LEAST = 3, 22, 20
_GROUPS: Final[dict[StatusName, str]] = {
    "waiting_for_approval": "Waiting for your approval",
    "working": "At work",
    "waiting_for_input": "Waiting for your prompt",
    "idle": "Idle",
    "ended": "Ended",
}
_KEYS: Final = (
    ("q", "quit, or back"),
    ("j k ↓ ↑", "move; PgDn, PgUp, g and G further"),
    ("Enter", "open the session"),
    ("/", "filter by words; Esc clears the filter"),
    ("s", "sort by status, activity, cost, context"),
    ("?", "this page"),
)

# A line and the session it is about; a session's line is made when it is to be seen.
_Item: TypeAlias = Line | BoardRow


class Paper(Struct, frozen=True, kw_only=True):
    """What a board is drawn on; without a height it is as long as it needs."""

    width: int
    height: int | None = None
    now: int
    zone: tzinfo | None = None
    clean: Callable[[str], str] = str
    trouble: str = ""


class Screenful(Struct, frozen=True):
    """Lines from top to bottom, and which of them is selected."""

    lines: tuple[Line, ...]
    selected: int | None = None


def screenful(board: Board, view: View, paper: Paper) -> Screenful:
    """The whole screen."""
    width = max(paper.width, _LEAST)
    head = [_head(board, width, paper), *_alerts(board, paper)]
    if paper.trouble:
        head.append(fit((("bad", f" ! {safe.brief(paper.trouble)}"),), width))
    if view.help:
        return _page([*head, BLANK, *_help()], paper, _foot(view, paper, 0, 0))
    rows = arranged(board, view)
    if not rows:
        return _page([*head, BLANK, _nothing(board, view)], paper, _foot(view, paper, 0, 0))
    rule = ruler(width)
    roomy = paper.height is None or paper.height >= _ROOMY
    head.append(titles(rule))
    items = _items(rows, view, roomy)
    room = len(items) if paper.height is None else max(paper.height - len(head) - 1, 1)
    chosen = rows[at(rows, view)]
    where = next(n for n, item in enumerate(items) if item is chosen)
    top = max(0, min(where - room // 2, len(items) - room))
    shown = items[top : top + room]
    lines = [_line(item, rule, paper) for item in shown]
    below = sum(isinstance(item, BoardRow) for item in items[top + room :])
    above = sum(isinstance(item, BoardRow) for item in items[:top])
    page = _page([*head, *lines], paper, _foot(view, paper, above, below))
    return Screenful(page.lines, len(head) + where - top if paper.height is not None else None)


def _items(rows: Sequence[BoardRow], view: View, roomy: bool) -> list[_Item]:
    if view.sort != "status":
        return list(rows)
    items: list[_Item] = []
    for state, group in grouped(rows).items():
        if roomy:
            items.append(BLANK)
        sign = STATUSES[state]
        items.append(((sign.style, f" {_GROUPS[state]}"), ("dim", f"  {len(group)}")))
        items += group
    return items


def _line(item: _Item, rule: Ruler, paper: Paper) -> Line:
    if isinstance(item, BoardRow):
        return fit(row_line(item, rule, paper.now, paper.clean), rule.width)
    return item


def _page(lines: list[Line], paper: Paper, foot: Line) -> Screenful:
    if paper.height is None:
        return Screenful(tuple(lines))
    body = lines[: max(paper.height - 1, 0)]
    blank = [BLANK] * (paper.height - 1 - len(body))
    return Screenful((*body, *blank, foot)[: paper.height])


def _head(board: Board, width: int, paper: Paper) -> Line:
    counts = {state: 0 for state in ORDER}
    for row in board.rows:
        counts[row.session.status.state] += 1
    left: list[Span] = [("strong", " unspool")]
    for state in ORDER[:4]:
        if counts[state]:
            sign = STATUSES[state]
            left += [("", "   "), (sign.style, f"{sign.shape} {counts[state]} {sign.word}")]
    if not counts["waiting_for_approval"]:
        left.insert(1, ("dim", "   nothing waits for approval" if width >= 100 else ""))
    at = datetime.fromtimestamp(paper.now / 1_000, UTC).astimezone(paper.zone)
    tokens = f" · {format_count(board.today.tokens)} tokens" if width >= 80 else ""
    right: Line = (("strong", spent(board.today)), ("dim", f" today{tokens}  {at:%H:%M:%S}"))
    if width < 60 or cells(plain(tuple(left))) + cells(plain(right)) > width:
        right = (("strong", spent(board.today)),)
    return ends(tuple(left), right, width - 1)


def _alerts(board: Board, paper: Paper) -> list[Line]:
    newest = alerts(board)[-_ALERTS:]
    told = (f" ! {safe.brief(paper.clean(alert.message))}" for alert in newest)
    return [fit((("bad", text),), paper.width) for text in told]


def _nothing(board: Board, view: View) -> Line:
    if board.rows:
        return (("dim", "   No session matches this filter."),)
    return (("dim", "   No session is live. Start Claude Code, and it appears here."),)


def _foot(view: View, paper: Paper, above: int, below: int) -> Line:
    if view.typing:
        return fit((("strong", " /"), ("", f"{safe.line(view.needle)}▏")), paper.width)
    hidden = [f"↑ {above}"] * bool(above) + [f"↓ {below}"] * bool(below)
    found = f"/{safe.brief(view.needle, 40)}   " if view.needle else ""
    left: Line = (
        ("wait", f" {found}"),
        ("dim", f"q quit   / filter   s sort: {view.sort}   ⏎ open   ? help"),
    )
    return ends(left, (("dim", "  ".join(hidden)),), paper.width - 1)


def _help() -> list[Line]:
    keys: list[Line] = [(("strong", f"   {name:<10}"), ("", text)) for name, text in _KEYS]
    signs: list[Line] = [
        ((sign.style, f"   {sign.shape:<10}"), ("", sign.phrase)) for sign in STATUSES.values()
    ]
    guess: Line = (("dim", f"   {'?':<10}"), ("", "by the transcript alone: without a hook a"))
    more: Line = (("", f"   {'':<10}tool that runs looks like one that waits"),)
    return [*keys, BLANK, *signs, guess, more]
