"""TodoWrite and the Task lists: a check list."""

from unspool.show import safe
from unspool.show.spans import Line, Style
from unspool.show.tools.values import Fields, fields, rows, text

_MOST = 30


def summary(input: Fields, result: object) -> str:
    """How far the list is, or the one task this call was about."""
    listed = rows(input, "todos")
    if listed:
        done = sum(text(todo, "status") == "completed" for todo in listed)
        return f"{done} of {len(listed)} done"
    task = fields(fields(result).get("task"))
    one = text(input, "subject", "activeForm", "description") or text(task, "subject")
    number, status = text(input, "taskId", "id"), text(input, "status").replace("_", " ")
    named = safe.brief(" ".join(part for part in (number and f"#{number}", one) if part))
    return f"{named} → {safe.brief(status, 40)}" if status else named


def facts(input: Fields, result: object) -> str:
    """Nothing: the list says it."""
    return ""


def body(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The list."""
    listed = rows(input, "todos") or rows(fields(result), "tasks")
    return [item(text(todo, "status"), text(todo, "content", "subject")) for todo in listed[:_MOST]]


def item(status: str, content: str) -> Line:
    """One thing to do, with its box."""
    shape = {"completed": "☑", "in_progress": "▸"}.get(status, "☐")
    styles: dict[str, Style] = {"completed": "dim", "in_progress": "work"}
    return ((styles.get(status, ""), f"{shape} {safe.brief(content, 300)}"),)
