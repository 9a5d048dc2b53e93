"""Edit, MultiEdit, Write, NotebookEdit: the file, and a small diff."""

from itertools import chain

from unspool.show import safe
from unspool.show.diff import Change, between, from_patch
from unspool.show.spans import Line, Style, folded, more
from unspool.show.tools.values import Fields, fields, rows, text


def summary(input: Fields, result: object) -> str:
    """The file."""
    return safe.brief(text(input, "file_path", "notebook_path", "path"))


def facts(input: Fields, result: object) -> str:
    """Lines added and removed."""
    signs = [mark for mark, _ in changes(input, result)]
    added, removed = signs.count("+"), signs.count("-")
    return " ".join([f"+{added}"] * bool(added) + [f"−{removed}"] * bool(removed))


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The changed lines."""
    found = changes(input, result)
    is_new = all(mark == "+" for mark, _ in found)
    first, hidden, last = folded(found, *((6, 0) if is_new else (10, 4)))
    return [*map(_line, first), *more(hidden), *map(_line, last)]


def _line(change: Change) -> Line:
    mark, text = change[0], safe.line(change[1])
    styles: dict[str, Style] = {"+": "add", "-": "drop"}
    return ((styles.get(mark, "dim"), f"{mark} {text}"),)


def changes(input: Fields, result: object) -> list[Change]:
    """The lines that came and went, with those around them where they are known."""
    patch = rows(fields(result), "structuredPatch")
    if patch:
        return from_patch(patch)
    edits = rows(input, "edits") or [input]
    return list(chain.from_iterable(map(_edit, edits)))


def _edit(edit: Fields) -> list[Change]:
    old = text(edit, "old_string", "old_source")
    return between(old, text(edit, "new_string", "content", "new_source"))
