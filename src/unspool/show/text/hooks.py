"""Installed hooks -> text: the change to a settings file, the status of each event."""

from collections.abc import Iterator
from difflib import unified_diff
from typing import Final

from unspool.model.health import EventState, HookChange, HookStatus, HookSwitch, InstalledHook
from unspool.show.numbers import format_bytes, plural
from unspool.show.spans import BLANK, Line, Span, Style
from unspool.show.text.layout import TableColumn, table

_AROUND = 2
_NAMES = 10
_MEANS: Final = {
    "disableAllHooks": "no hooks run",
    "allowManagedHooksOnly": "only managed hooks run",
    "onFailure": "a failing hook blocks its event",
}
_STATES: Final[dict[EventState, Span]] = {
    "installed": ("good", "installed"),
    "outdated": ("wait", "outdated"),
    "missing": ("dim", "not installed"),
    "avoided": ("dim", "not used"),
}


def patch(change: HookChange) -> list[str]:
    """The change as the lines of a unified diff."""
    old, new = (
        "/dev/null" if text is None else change.settings for text in (change.before, change.after)
    )
    before, after = (_lines(text) for text in (change.before, change.after))
    return list(unified_diff(before, after, old, new, lineterm="", n=_AROUND))


def patch_lines(change: HookChange) -> Iterator[Line]:
    """The same, in colour."""
    styles: dict[str, Style] = {"+": "add", "-": "drop", "@": "dim"}
    for number, line in enumerate(patch(change)):
        yield ((styles.get(line[:1], "") if number > 1 else "strong", line),)


def install_lines(change: HookChange, events: int) -> Iterator[Line]:
    """The result of an install."""
    if not change.changed:
        yield (("", f"Already installed in {change.settings}: nothing to do."),)
        return
    yield (("strong", f"Installed hooks for {plural(events, 'event')} in {change.settings}."),)
    yield from _backup(change)


def uninstall_lines(change: HookChange) -> Iterator[Line]:
    """The result of an uninstall."""
    if not change.changed:
        yield (("", f"No unspool hooks in {change.settings}: nothing to do."),)
        return
    gone = "" if change.after is not None else ", and the file, which held nothing else"
    yield (("strong", f"Removed the hooks from {change.settings}{gone}."),)
    yield from _backup(change)


def warning_lines(switches: tuple[HookSwitch, ...]) -> Iterator[Line]:
    """Settings that disable or change hooks."""
    for one in switches:
        yield _named("warning", f"{one.name} in {one.path}: {_MEANS[one.name]}", "wait")


def hook_status(status: HookStatus, width: int | None) -> Iterator[Line]:
    """A summary, then one line per event."""
    yield _named("settings", status.settings + ("" if status.exists else " (no such file)"))
    yield _count(status)
    if status.script == "outdated":
        yield _named("script", "outdated; unspool hooks install", "wait")
    elif status.script == "missing" and any(one.state == "installed" for one in status.events):
        yield _named("script", "missing; unspool hooks install", "bad")
    size = f"{plural(status.spool_files, 'file')}, {format_bytes(status.spool_bytes)}"
    yield _named("spool", f"{size} in {status.spool}")
    yield from warning_lines(status.switches)
    yield BLANK
    columns = (TableColumn("EVENT"), TableColumn("UNSPOOL"), TableColumn("OTHER HOOKS", right=True))
    yield from table(columns, [_row(one) for one in status.events], width)


def _lines(text: str | None) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _row(one: InstalledHook) -> tuple[Span, ...]:
    beside = str(one.others) if one.others else ""
    return ("", one.event), _STATES[one.state], ("", beside)


def _count(status: HookStatus) -> Line:
    wanted = [one for one in status.events if one.state != "avoided"]
    there = sum(one.state == "installed" for one in wanted)
    if status.installed:
        return _named("hooks", f"installed for {plural(there, 'event')}", "good")
    text = "outdated" if any(one.state == "outdated" for one in wanted) else "not installed"
    if there:
        text = f"installed for {there} of {plural(len(wanted), 'event')}"
    return _named("hooks", f"{text}; unspool hooks install", "wait")


def _backup(change: HookChange) -> Iterator[Line]:
    if change.backup:
        yield (("dim", f"Backup: {change.backup}"),)


def _named(name: str, text: str, style: Style = "") -> Line:
    return (("dim", name.ljust(_NAMES)), (style, text))
