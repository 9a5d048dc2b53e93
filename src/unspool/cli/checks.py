"""The checks of `unspool doctor`: roots, retention, index, archive, prices and file modes."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from unspool.cli import config
from unspool.cli.index import index_status
from unspool.cli.log_file import last_message, newest_log
from unspool.cli.watch import STOPPED, WATCHING
from unspool.decode.prices import price_table
from unspool.decode.sidecars import history_line
from unspool.derive.reading.clock import EARLIEST, LATEST, iso
from unspool.engine.stores import Stores
from unspool.errors import StoreError
from unspool.model.files import Root, SkippedFile
from unspool.model.health import Finding, IndexStatus, WriterProcess
from unspool.model.rows import SourceRow
from unspool.show import times
from unspool.show.numbers import format_bytes, plural
from unspool.show.text.diagnostics import archived
from unspool.source import prices
from unspool.source.forgotten import forgotten_ids, tombstones
from unspool.source.session_files import transcript_files
from unspool.source.sidecars import DEFAULT_DAYS, cleanup_days, history
from unspool.store import Store

Row = TypeVar("Row")

# Older versions can lose a WAL that is reset while another process writes.
_SOUND_SQLITE: Final = (3, 51, 3)
_QUIET_NS: Final = 30_000_000_000
_MOST: Final = 1_000
_LONG_DAYS: Final = 3_650


class HistoryPrompt(NamedTuple):
    """The last prompt of a session in `history.jsonl`."""

    at: int
    project: str
    text: str


def root_findings(roots: Sequence[Root]) -> Iterator[Finding]:
    """Which directories are read, and which paths in them are skipped."""
    for root in roots:
        skipped: list[SkippedFile] = []
        files = list(transcript_files(root, skipped))
        if not os.path.isdir(root.projects):
            yield Finding(
                about="root",
                grade="wrong",
                said=f"There is no {root.projects}. Claude Code creates it on first use. If your "
                "sessions are elsewhere, set CLAUDE_CONFIG_DIR or pass --root.",
                fix="unspool --demo",
            )
            continue
        mains = sum(file.kind == "main" for file in files)
        counts = f"{plural(mains, 'session')}, {plural(len(files), 'file')}"
        total = format_bytes(sum(file.size for file in files))
        yield Finding(about="root", said=f"{root.path}: {counts}, {total}.")
        if skipped:
            yield Finding(
                about="left alone",
                grade="note",
                said=f"{plural(len(skipped), 'path')} look like transcripts but are not.",
                details=tuple(f"{one.path}: {one.reason}" for one in skipped),
            )


def forgotten_findings(log: str) -> Iterator[Finding]:
    """Whether the log of forgotten sessions can be read."""
    found = tombstones(log)
    if found.damaged:
        yield Finding(
            about="forgotten",
            grade="wrong",
            said=f"{plural(found.damaged, 'line')} of {log} cannot be read. The sessions "
            "they named were indexed again: forget them again.",
            fix="unspool forget --list",
        )
    elif found:
        yield Finding(about="forgotten", said=f"{plural(len(found), 'session')} forgotten.")


def retention_findings(roots: Sequence[Root], sources: Iterable[SourceRow]) -> Iterator[Finding]:
    """For each root: when transcripts are deleted, and which are already lost."""
    mains = [one for one in sources if one.kind == "main"]
    for root in roots:
        files = [one for one in transcript_files(root) if one.kind == "main" and one.size]
        present = {one.session_id or "" for one in files}
        # A file with an unfinished first line is known, but not archived yet.
        known = {one.session_id for one in mains if one.root == root.path}
        if present or known:
            yield _cleanup(root, present, known)
            yield from _deleted(root, present | known | forgotten_ids([root]))


def _cleanup(root: Root, present: set[str], known: set[str]) -> Finding:
    days = cleanup_days(root.path)
    left = len(present - known)
    if days is not None and days >= _LONG_DAYS:
        return Finding(about="sweep", said=f"Claude Code keeps transcripts for {days:,} days.")
    reason = "cleanupPeriodDays is not set" if days is None else "set by cleanupPeriodDays"
    rule = f"Claude Code deletes transcripts after {days or DEFAULT_DAYS} days ({reason})."
    if left:
        message = f"{rule} {left:,} of {plural(len(present), 'session')} here are not archived."
        return Finding(about="sweep", grade="note", said=message, fix="unspool index build")
    message = f"{rule} All {plural(len(present), 'session')} here are archived."
    return Finding(about="sweep", said=message)


def _deleted(root: Root, known: set[str]) -> Iterator[Finding]:
    """Sessions that are only in the list of prompts."""
    gone = {id: prompt for id, prompt in _prompts(root).items() if id not in known}
    if not gone:
        return
    newest = sorted(gone.items(), key=lambda item: -item[1].at)
    yield Finding(
        about="swept",
        grade="note",
        said=f"{plural(len(gone), 'session')} named in history.jsonl were deleted before they were "
        "archived. Only their prompts are left; a daemon archives sessions in time.",
        fix="unspool index daemon start",
        details=tuple(_prompt_line(id, prompt) for id, prompt in newest),
    )


def _prompts(root: Root) -> dict[str, HistoryPrompt]:
    found: dict[str, HistoryPrompt] = {}
    for line in history(root.path):
        entry = history_line(line) if line.strip() else None
        if entry is None or not entry.session_id:
            continue
        at = entry.timestamp if entry.timestamp and EARLIEST <= entry.timestamp < LATEST else 0
        prompt = HistoryPrompt(int(at), entry.project or "", entry.display or "")
        found[entry.session_id] = max(prompt, found.get(entry.session_id, prompt))
    return found


def _prompt_line(id: str, prompt: HistoryPrompt) -> str:
    when = times.date(iso(prompt.at or None), config.now())
    text = " ".join(prompt.text[:400].split())[:60]
    return f"{id}  {when}  {prompt.project.rstrip('/').rpartition('/')[2]}  {text}"


def index_findings(stores: Stores) -> Iterator[Finding]:
    """The state of index and archive."""
    if not stores.is_there():
        yield Finding(
            about="index", grade="note", said="There is no index yet.", fix="unspool index build"
        )
        return
    found = index_status(stores)
    yield _lag(found)
    with stores.reading() as (store, _):
        yield _health(store, found)
        yield from _bad_lines(store, found.bad_lines)
        yield from _unfinished(store)
        yield from _unpriced(store)
        yield from _unknown(store)
    yield _sqlite(found.sqlite)
    yield _writer(found.writer)
    yield from _writer_message(stores.home)
    yield from _modes(stores.home)


def _lag(found: IndexStatus) -> Finding:
    counts = f"{plural(found.lines, 'line')} of {plural(found.sessions, 'session')}"
    if not found.lag.files:
        return Finding(
            about="index", said=f"Up to date: {counts}, {format_bytes(found.index_bytes)}."
        )
    behind = f"{format_bytes(found.lag.bytes)} in {plural(found.lag.files, 'file')}"
    message = f"{counts}; {behind} not yet indexed."
    return Finding(about="index", grade="note", said=message, fix="unspool index build")


def _health(store: Store, found: IndexStatus) -> Finding:
    trouble = (*store.check(), *found.trouble)
    if trouble:
        return Finding(
            about="integrity",
            grade="wrong",
            said=f"{plural(len(trouble), 'problem')} in the index or archive.",
            fix="unspool index rebuild",
            details=trouble,
        )
    size = f"{archived(found)} in {format_bytes(found.raw_bytes)}"
    return Finding(about="integrity", said=f"The index and archive are intact; archived: {size}.")


def _bad_lines(store: Store, count: int) -> Iterator[Finding]:
    if count:
        yield Finding(
            about="bad lines",
            grade="note",
            said=f"{plural(count, 'line')} cannot be read; their bytes are archived.",
            fix="unspool show FILE --lines",
            details=tuple(
                f"{os.path.join(one.root, one.path)}:{one.line_number}: {one.reason}"
                for one in _rows(lambda: store.bad_lines(limit=_MOST))
            ),
        )


def _unfinished(store: Store) -> Iterator[Finding]:
    now = config.now() * 1_000_000
    found = [
        os.path.join(source.root, source.path)
        for source in store.sources()
        if source.tail.pending and source.gone_at is None and now - source.tail.mtime_ns > _QUIET_NS
    ]
    if found:
        yield Finding(
            about="unfinished",
            grade="note",
            said=f"The last line of {plural(len(found), 'file')} is incomplete.",
            details=tuple(found),
        )


def _unpriced(store: Store) -> Iterator[Finding]:
    rows = _rows(lambda: store.unpriced_models(limit=_MOST))
    if rows:
        where = config.unspool_home() / "prices.toml"
        yield Finding(
            about="unpriced",
            grade="note",
            said=f"No price is known for {plural(len(rows), 'model')}; costs do not include them.",
            fix=f"$EDITOR {where}",
            details=tuple(f"{model or '(no name)'}: {plural(n, 'response')}" for model, n in rows),
        )


def _unknown(store: Store) -> Iterator[Finding]:
    """Names from newer versions of Claude Code that this version does not know."""
    rows = _rows(lambda: store.oddities(limit=_MOST))
    if rows:
        yield Finding(
            about="schema",
            grade="note",
            said=f"{plural(len(rows), 'name')} in transcripts are unknown to this version; "
            "their lines are archived.",
            fix="unspool doctor schema",
            details=tuple(
                f"{one.version or '?'}: {one.what} {one.name}, {one.count:,} times" for one in rows
            ),
        )


def _sqlite(version: str) -> Finding:
    number = tuple(int(part) for part in version.split(".") if part.isdecimal())
    if number >= _SOUND_SQLITE:
        return Finding(about="sqlite", said=f"{version}; not affected by the WAL reset bug.")
    message = f"{version} can damage a database that two processes have open."
    return Finding(about="sqlite", grade="wrong", said=message, fix="pip install --upgrade apsw")


def _writer(writer: WriterProcess | None) -> Finding:
    if writer is None:
        message = "No process keeps the index up to date."
        return Finding(about="daemon", grade="note", said=message, fix="unspool index daemon start")
    who = "The daemon" if writer.is_daemon else "Another unspool"
    return Finding(about="daemon", said=f"{who}, process {writer.pid}, keeps the index up to date.")


def _writer_message(home: Path) -> Iterator[Finding]:
    """The last thing that the process wrote which keeps the index up to date."""
    log = newest_log(home)
    if log is not None and (message := last_message(log)):
        is_usual = any(word in message for word in (WATCHING, STOPPED))
        yield Finding(
            about="indexer",
            grade="ok" if is_usual else "note",
            said=f"Its last message: {message}",
            details=() if is_usual else (f"The log is {log}.",),
        )


def _modes(home: Path) -> Iterator[Finding]:
    """Only the owner may read transcripts."""
    open_to_others = [
        str(path)
        for path in (home, *sorted(home.rglob("*")))
        if stat.S_IMODE(path.lstat().st_mode) & 0o077 and not path.is_symlink()
    ]
    if open_to_others:
        yield Finding(
            about="modes",
            grade="wrong",
            said=f"Other users may read {plural(len(open_to_others), 'path')} of unspool.",
            fix=f"chmod -R go= {home}",
            details=tuple(open_to_others),
        )


def price_findings() -> Iterator[Finding]:
    """Problems in the user's own prices."""
    home = config.unspool_home()
    table = price_table(prices.bundled(), prices.overrides(home))
    if table.trouble:
        yield Finding(
            about="prices",
            grade="wrong",
            said="Part of prices.toml cannot be used.",
            fix=f"$EDITOR {home / 'prices.toml'}",
            details=tuple(table.trouble),
        )


def _rows(ask: Callable[[], list[Row]]) -> list[Row]:
    try:
        return ask()
    except StoreError:
        return []  # a damaged index is reported elsewhere
