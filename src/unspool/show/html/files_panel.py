"""The files that a session changed: each with its edits, in order, and the step of each."""

from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import tzinfo
from typing import Final, NamedTuple

from msgspec import Struct, structs

from unspool.model.document import ToolExecution
from unspool.model.steps import SessionStep
from unspool.show import safe, times
from unspool.show.html import call_items
from unspool.show.paths import below
from unspool.show.tools import edit

EDITS: Final = frozenset("Edit MultiEdit Write NotebookEdit".split())
_MOST: Final = 40


class EditCall(NamedTuple):
    """One call that changed a file."""

    call: str
    path: str
    added: int
    removed: int


class PanelEdit(Struct, frozen=True, kw_only=True):
    """One edit of a file; without a step only its lines are known."""

    call: str
    number: int
    clock: str
    added: int
    removed: int


class PanelFile(Struct, frozen=True, kw_only=True):
    """A file with its added and removed lines; `whole` is its path as the calls have it."""

    path: str
    whole: str
    folder: str
    name: str
    added: int = 0
    removed: int = 0
    edits: tuple[PanelEdit, ...] = ()


class FilesPanel(Struct, frozen=True, kw_only=True):
    """The changed files of some steps, or of all."""

    rows: tuple[PanelFile, ...] = ()
    hidden: int = 0
    added: int = 0
    removed: int = 0


def file_edits(executions: Iterable[ToolExecution]) -> Iterator[EditCall]:
    """The edits among some calls."""
    for one in executions:
        if one.name in EDITS and one.state == "ok":
            input, result = call_items.call_input(one), call_items.call_result(one)
            signs = [sign for sign, _ in edit.changes(input, result)]
            path = edit.summary(input, result)
            yield EditCall(one.tool_use_id, path, signs.count("+"), signs.count("-"))


def files_panel(
    edits: Iterable[EditCall],
    others: Iterable[str],
    project: str,
    steps: Mapping[str, tuple[int, SessionStep]],
    zone: tzinfo | None = None,
) -> FilesPanel:
    """The files by first edit; `others` were changed too, and nothing is known of how.

    `steps` has the number and the step of each call.
    """
    files: dict[str, list[EditCall]] = {}
    paths: dict[str, str] = {}
    for one in edits:
        files.setdefault(below(one.path, project), []).append(one)
        paths.setdefault(below(one.path, project), one.path)
    for path in others:
        files.setdefault(below(path, project), [])
        paths.setdefault(below(path, project), path)
    files.pop("", None)
    rows = [_file((path, paths[path]), made, steps, zone) for path, made in files.items()]
    return FilesPanel(
        rows=tuple(rows[:_MOST]),
        hidden=max(len(rows) - _MOST, 0),
        added=sum(row.added for row in rows),
        removed=sum(row.removed for row in rows),
    )


def files_in(panel: FilesPanel, calls: Container[str]) -> FilesPanel:
    """The same of some calls alone."""
    parts = ((row, tuple(one for one in row.edits if one.call in calls)) for row in panel.rows)
    rows = tuple(_with_edits(row, edits) for row, edits in parts if edits)
    return FilesPanel(
        rows=rows,
        added=sum(row.added for row in rows),
        removed=sum(row.removed for row in rows),
    )


def _with_edits(row: PanelFile, edits: tuple[PanelEdit, ...]) -> PanelFile:
    added, removed = sum(one.added for one in edits), sum(one.removed for one in edits)
    return structs.replace(row, edits=edits, added=added, removed=removed)


def _file(
    path: tuple[str, str],
    edits: Iterable[EditCall],
    steps: Mapping[str, tuple[int, SessionStep]],
    zone: tzinfo | None,
) -> PanelFile:
    rows = tuple(_edit(one, steps.get(one.call), zone) for one in edits)
    shown = safe.brief(path[0], 300)
    # Paths of Windows are cut at their own sign.
    sign = "\\" if "\\" in shown and "/" not in shown else "/"
    folder, slash, name = shown.rpartition(sign)
    row = PanelFile(path=shown, whole=path[1], folder=folder + slash, name=name or shown)
    return _with_edits(row, rows)


def _edit(one: EditCall, found: tuple[int, SessionStep] | None, zone: tzinfo | None) -> PanelEdit:
    number, step = found or (0, None)
    clock = times.clock_at(step.start, zone) if step and step.start is not None else ""
    return PanelEdit(
        call=one.call, number=number, clock=clock, added=one.added, removed=one.removed
    )
