"""How the index stands -> text: a few names and what is to be said of each."""

from collections.abc import Iterator

from unspool.model.health import IndexStatus, IndexWriter, Lag
from unspool.show import safe, times
from unspool.show.money import plural
from unspool.show.spans import Line, Style
from unspool.show.text.frame import Frame

_UNITS = ("bytes", "KB", "MB", "GB", "TB")
_NAMES = 13


def status(found: IndexStatus, frame: Frame) -> Iterator[Line]:
    """One line a thing; what is not wrong and not there is left out."""
    lines, sessions = plural(found.lines, "line"), plural(found.sessions, "session")
    yield _named("transcripts", f"{lines}, {sessions}, {plural(found.sources, 'file')}")
    events, files = plural(found.hook_events, "event"), plural(found.hook_files, "file")
    yield _named("hook events", f"{events}, {files}")
    yield _lag(found.lag)
    yield _named("index", size(found.index_bytes))
    yield _named("archive", _archive(found))
    if found.bad_lines:
        said = f"{found.bad_lines:,}; unspool doctor shows where"
        yield _named("bad lines", said, "wait")
    if found.gone:
        yield _named("gone", f"{plural(found.gone, 'file')} no longer on disk, kept in the archive")
    if found.superseded:
        yield _named("superseded", f"{plural(found.superseded, 'line')} of rewritten files, kept")
    yield _named("writer", _writer(found.writer, frame))
    yield _named("sqlite", found.sqlite)
    yield _named("where", safe.brief(found.home, 300))
    for trouble in found.trouble:
        yield _named("trouble", safe.brief(trouble, 300), "bad")


def size(number: int) -> str:
    """Bytes in the unit that suits them: 12.3 MB."""
    value, unit = float(number), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1_000, unit + 1
    return f"{number} bytes" if not unit else f"{value:,.1f} {_UNITS[unit]}"


def _named(name: str, said: str, style: Style = "") -> Line:
    return (("dim", name.ljust(_NAMES)), (style, said))


def _lag(lag: Lag) -> Line:
    if not lag.files:
        return _named("lag", "none: all that is on disk is indexed", "good")
    behind = f"{size(lag.bytes)} in {plural(lag.files, 'file')} not yet indexed"
    return _named("lag", f"{behind}; unspool index build", "wait")


def _archive(found: IndexStatus) -> str:
    return f"{size(found.raw_bytes)}, holds {archived(found)}"


def archived(found: IndexStatus) -> str:
    """What the archive holds."""
    outputs = f" and {plural(found.outputs, 'tool output')} of {size(found.output_bytes)}"
    return f"{size(found.archived_bytes)} of transcript" + (outputs if found.outputs else "")


def _writer(writer: IndexWriter | None, frame: Frame) -> str:
    if writer is None:
        return "none; unspool index daemon start"
    who = "daemon" if writer.is_daemon else "process"
    since = times.ago(writer.since, frame.now, frame.zone)
    return f"{who} {writer.pid}" + (f", since {since}" if since else "")
