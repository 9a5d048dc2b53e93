"""What this version does not know, and what the doctor found -> text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.model.health import Finding, Oddity
from unspool.show import safe
from unspool.show.spans import Line, Span, Style, wrap
from unspool.show.text.frame import Frame
from unspool.show.text.table import Column, table

_COLUMNS: Final = (
    Column("VERSION", most=16),
    Column("KIND"),
    Column("NAME", flex=True),
    Column("COUNT", right=True),
    Column("FIRST SEEN", drop=1, most=60),
)
_SIGNS: Final[dict[str, tuple[Style, str]]] = {
    "ok": ("good", "✓"),
    "note": ("wait", "!"),
    "wrong": ("bad", "✗"),
}
_ID: Final = 8
_NAMES: Final = 12
_MOST_DETAILS: Final = 10


def oddities(found: Sequence[Oddity], frame: Frame) -> list[Line]:
    """A table, oldest version first."""
    return table(_COLUMNS, [_row(one, frame) for one in found], frame.width)


def _row(one: Oddity, frame: Frame) -> list[Span]:
    path = one.path if frame.width is None else _short(one.path)
    return [
        ("", safe.brief(one.version, 20) or "?"),
        ("dim", one.kind),
        ("strong", safe.brief(one.name, 120)),
        ("", f"{one.count:,}"),
        ("dim", f"{safe.brief(path, 300)}:{one.line}"),
    ]


def _short(path: str) -> str:
    """A session's id as a list of sessions shows it, or an agent's name."""
    name = path.rpartition("/")[2].removesuffix(".jsonl")
    return name if name.startswith("agent-") else name[:_ID]


def findings(found: Iterable[Finding], frame: Frame) -> Iterator[Line]:
    """Each with its sign, what is to be said, and the command that puts it right."""
    indent = " " * (_NAMES + 4)
    width = None if frame.edge is None else frame.edge - len(indent)
    for one in found:
        style, sign = _SIGNS[one.grade]
        first, *more = wrap(safe.brief(one.said, 1_000), width)
        yield (style, f"{sign} "), ("strong", f"{one.about:<{_NAMES}}  "), ("", first)
        yield from ((("", f"{indent}{line}"),) for line in more)
        yield from ((("dim", f"{indent}{line}"),) for line in _details(one.details))
        if one.fix:
            yield ("", indent), ("work", one.fix)


def _details(details: Sequence[str]) -> Iterator[str]:
    yield from (safe.brief(detail, 300) for detail in details[:_MOST_DETAILS])
    if len(details) > _MOST_DETAILS:
        yield f"… {len(details) - _MOST_DETAILS:,} more; --json has them all"
