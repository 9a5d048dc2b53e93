"""Lines of a transcript file -> lines on the terminal, in step, however many there are."""

from collections.abc import Iterable, Iterator
from typing import Final

from unspool.model.document import LineRow
from unspool.show import safe, times
from unspool.show.spans import Line, Style, fit, pad
from unspool.show.text.frame import Frame

_STATES: Final[dict[str, Style]] = {
    "entry": "",
    "unknown": "wait",
    "salvaged": "wait",
    "bad": "bad",
    "oversize": "bad",
}
_KIND, _CATEGORY = 24, 7


def rows(lines: Iterable[LineRow], frame: Frame) -> Iterator[Line]:
    """One for each, as wide as the frame."""
    yield fit((("dim", _heading()),), frame.width)
    for line in lines:
        yield fit(_row(line, frame), frame.width)


def _heading() -> str:
    places = f"{'LINE':>7} {'OFFSET':>11} {'BYTES':>9}  {'TIME':<8}  "
    return f"{places}{'TYPE':<{_KIND}}  {'AS':<{_CATEGORY}}  PREVIEW"


def _row(line: LineRow, frame: Frame) -> Line:
    at = times.moment(line.timestamp, frame.zone)
    state = _STATES.get(line.state, "")
    kind = safe.brief(f"{line.type}/{line.subtype}" if line.subtype else line.type, 60)
    named = kind if line.state == "entry" else f"{line.state} {kind}".strip()
    return (
        ("dim", f"{line.number:>7} {line.offset:>11} {line.length:>9}  "),
        ("dim", f"{at:%H:%M:%S}  " if at else " " * 10),
        (state, pad(named, _KIND)),
        ("dim", f"  {pad(line.category, _CATEGORY)}  "),
        ("", safe.brief(line.preview)),
    )
