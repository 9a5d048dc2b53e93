"""Index status, doctor findings and unknown entries -> text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unspool.model.health import Finding, IndexStatus, Lag, Oddity, WriterProcess
from unspool.show import safe, times
from unspool.show.numbers import format_bytes, plural
from unspool.show.paths import file_name
from unspool.show.spans import Line, Span, Style, wrap
from unspool.show.text.layout import Frame, TableColumn, table

_STATUS_NAMES = 13


def status_lines(index: IndexStatus, frame: Frame) -> Iterator[Line]:
    """One line per fact; empty ones are left out."""
    lines, sessions = plural(index.lines, "line"), plural(index.sessions, "session")
    yield _status_line("transcripts", f"{lines}, {sessions}, {plural(index.sources, 'file')}")
    events, files = plural(index.hook_events, "event"), plural(index.hook_files, "file")
    yield _status_line("hook events", f"{events}, {files}")
    yield _lag(index.lag)
    yield _status_line("index", format_bytes(index.index_bytes))
    yield _status_line("archive", _archive(index))
    if index.bad_lines:
        note = f"{index.bad_lines:,}; unspool doctor shows where"
        yield _status_line("bad lines", note, "wait")
    if index.gone:
        yield _status_line(
            "gone", f"{plural(index.gone, 'file')} no longer on disk, kept in the archive"
        )
    if index.superseded:
        yield _status_line(
            "superseded", f"{plural(index.superseded, 'line')} of rewritten files, kept"
        )
    if index.forgotten:
        note = f"{plural(index.forgotten, 'session')}; unspool forget --list"
        yield _status_line("forgotten", note)
    yield _status_line("writer", _writer(index.writer, frame))
    yield _status_line("sqlite", index.sqlite)
    yield _status_line("where", safe.brief(index.home, 300))
    for trouble in index.trouble:
        yield _status_line("problem", safe.brief(trouble, 300), "bad")


def _status_line(name: str, text: str, style: Style = "") -> Line:
    return (("dim", name.ljust(_STATUS_NAMES)), (style, text))


def _lag(lag: Lag) -> Line:
    if not lag.files:
        return _status_line("lag", "none: everything on disk is indexed", "good")
    behind = f"{format_bytes(lag.bytes)} in {plural(lag.files, 'file')} not yet indexed"
    return _status_line("lag", f"{behind}; unspool index build", "wait")


def _archive(index: IndexStatus) -> str:
    return f"{format_bytes(index.raw_bytes)}, holds {archived(index)}"


def archived(index: IndexStatus) -> str:
    """What the archive holds."""
    outputs = f" and {plural(index.outputs, 'tool output')} of {format_bytes(index.output_bytes)}"
    return f"{format_bytes(index.archived_bytes)} of transcript" + (
        outputs if index.outputs else ""
    )


def _writer(writer: WriterProcess | None, frame: Frame) -> str:
    if writer is None:
        return "not running; unspool index daemon start"
    who = "daemon" if writer.is_daemon else "process"
    since = times.ago(writer.since, frame.now, frame.zone)
    return f"{who} {writer.pid}" + (f", since {since}" if since else "")


_COLUMNS: Final = (
    TableColumn("VERSION", most=16),
    TableColumn("KIND"),
    TableColumn("NAME", flex=True),
    TableColumn("COUNT", right=True),
    TableColumn("FIRST SEEN", drop=1, most=60),
)
_SIGNS: Final[dict[str, tuple[Style, str]]] = {
    "ok": ("good", "✓"),
    "note": ("wait", "!"),
    "wrong": ("bad", "✗"),
}
_ID: Final = 8
_FINDING_NAMES: Final = 12
_MOST_DETAILS: Final = 10


def oddity_table(oddities: Sequence[Oddity], frame: Frame) -> list[Line]:
    """A table, oldest version first."""
    return table(_COLUMNS, [_row(one, frame) for one in oddities], frame.width)


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
    name = file_name(path).removesuffix(".jsonl")
    return name if name.startswith("agent-") else name[:_ID]


def finding_lines(findings: Iterable[Finding], frame: Frame) -> Iterator[Line]:
    """Each with its mark, its message and its fix."""
    indent = " " * (_FINDING_NAMES + 4)
    width = None if frame.edge is None else frame.edge - len(indent)
    for one in findings:
        style, sign = _SIGNS[one.grade]
        first, *more = wrap(safe.brief(one.said, 1_000), width)
        yield (style, f"{sign} "), ("strong", f"{one.about:<{_FINDING_NAMES}}  "), ("", first)
        yield from ((("", f"{indent}{line}"),) for line in more)
        yield from ((("dim", f"{indent}{line}"),) for line in _details(one.details))
        if one.fix:
            yield ("", indent), ("work", one.fix)


def _details(details: Sequence[str]) -> Iterator[str]:
    yield from (safe.brief(detail, 300) for detail in details[:_MOST_DETAILS])
    if len(details) > _MOST_DETAILS:
        yield f"… {len(details) - _MOST_DETAILS:,} more; --json has them all"
