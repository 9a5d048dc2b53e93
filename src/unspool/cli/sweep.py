"""What Claude Code sweeps away, what is archived before that, and what is gone for good."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from unspool.cli import config
from unspool.decode.sidecars import history_line
from unspool.derive.reading.clock import EARLIEST, LATEST, iso
from unspool.model.files import Root
from unspool.model.findings import Finding
from unspool.model.rows import SourceRow
from unspool.show import times
from unspool.show.money import plural
from unspool.source.session_files import transcript_files
from unspool.source.sweepers import DEFAULT_DAYS, cleanup_days, history

_LONG = 3_650
_BUILD = "unspool index build"


class Prompt(NamedTuple):
    """The last prompt of a session that `history.jsonl` tells of."""

    at: int
    project: str
    text: str


def sweep_findings(roots: Sequence[Root], sources: Iterable[SourceRow]) -> Iterator[Finding]:
    """Root by root: when transcripts are deleted, and which of them nobody has any more."""
    mains = [one for one in sources if one.kind == "main"]
    for root in roots:
        files = [one for one in transcript_files(root) if one.kind == "main" and one.size]
        present = {one.session_id or "" for one in files}
        # A first line that is not finished is known, and not archived before it is.
        known = {one.session_id for one in mains if one.root == root.path}
        if present or known:
            yield _sweep(root, present, known)
            yield from _swept(root, present | known)


def _sweep(root: Root, present: set[str], known: set[str]) -> Finding:
    days = cleanup_days(root.path)
    left = len(present - known)
    if days is not None and days >= _LONG:
        return Finding(about="sweep", said=f"Claude Code keeps transcripts for {days:,} days.")
    reason = "cleanupPeriodDays is not set" if days is None else "cleanupPeriodDays says so"
    told = f"Claude Code deletes transcripts after {days or DEFAULT_DAYS} days ({reason})."
    if left:
        said = f"{told} {left:,} of {plural(len(present), 'session')} here are not archived."
        return Finding(about="sweep", grade="note", said=said, fix=_BUILD)
    said = f"{told} All {plural(len(present), 'session')} here are archived."
    return Finding(about="sweep", said=said)


def _swept(root: Root, known: set[str]) -> Iterator[Finding]:
    """Sessions that only the list of prompts still tells of."""
    gone = {id: prompt for id, prompt in _prompts(root).items() if id not in known}
    if not gone:
        return
    newest = sorted(gone.items(), key=lambda item: -item[1].at)
    yield Finding(
        about="swept",
        grade="note",
        said=f"{plural(len(gone), 'session')} named in history.jsonl were deleted unarchived. "
        "Their prompts are there, the rest is gone; a daemon saves the next ones.",
        fix="unspool index daemon start",
        details=tuple(_told(id, prompt) for id, prompt in newest),
    )


def _prompts(root: Root) -> dict[str, Prompt]:
    found: dict[str, Prompt] = {}
    for line in history(root.path):
        said = history_line(line) if line.strip() else None
        if said is None or not said.session_id:
            continue
        at = said.timestamp if said.timestamp and EARLIEST <= said.timestamp < LATEST else 0
        prompt = Prompt(int(at), said.project or "", said.display or "")
        found[said.session_id] = max(prompt, found.get(said.session_id, prompt))
    return found


def _told(id: str, prompt: Prompt) -> str:
    when = times.date(iso(prompt.at or None), config.now())
    text = " ".join(prompt.text[:400].split())[:60]
    return f"{id}  {when}  {prompt.project.rstrip('/').rpartition('/')[2]}  {text}"
