"""Edit, MultiEdit, Write, NotebookEdit: the file and a diff."""

from itertools import chain

from unspool.show import safe
from unspool.show.spans import Line, Style, folded, more
from unspool.show.tools.details import Detail, DetailBuilder
from unspool.show.tools.diff import Change, between, from_patch
from unspool.show.tools.values import Fields, fields, rows, text


def summary(input: Fields, result: object) -> str:
    """The file."""
    return safe.brief(text(input, "file_path", "notebook_path", "path"))


def facts(input: Fields, result: object) -> str:
    """Lines added and removed."""
    signs = [sign for sign, _ in changes(input, result)]
    added, removed = signs.count("+"), signs.count("-")
    return " ".join([f"+{added}"] * bool(added) + [f"−{removed}"] * bool(removed))


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The changed lines; of a new file only the first."""
    lines = changes(input, result)
    is_new = all(sign == "+" for sign, _ in lines)
    first, hidden, last = folded(lines, *((6, 0) if is_new else (10, 4)))
    return [*map(_line, first), *more(hidden), *map(_line, last)]


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """The diff."""
    return build.diff(summary(input, result), changes(input, result))


def changes(input: Fields, result: object) -> list[Change]:
    """Added and removed lines, with context where the result has it."""
    patch = rows(fields(result), "structuredPatch")
    if patch:
        return from_patch(patch)
    edits = rows(input, "edits") or [input]
    return list(chain.from_iterable(map(_edit, edits)))


def _edit(edit: Fields) -> list[Change]:
    old = text(edit, "old_string", "old_source")
    return between(old, text(edit, "new_string", "content", "new_source"))


def _line(change: Change) -> Line:
    sign, text = change[0], safe.line(change[1])
    styles: dict[str, Style] = {"+": "add", "-": "drop"}
    return ((styles.get(sign, "dim"), f"{sign} {text}"),)
