"""TodoWrite and the Task lists: a checklist, or the one task a call is about."""

from unspool.show import safe
from unspool.show.spans import Line, Style
from unspool.show.tools.details import Checklist, ChecklistItem, Detail, DetailBuilder
from unspool.show.tools.values import Fields, fields, result_text, rows, text

_TEXT_MOST = 30
_PAGE_MOST = 200


def summary(input: Fields, result: object) -> str:
    """How much of the list is done, or the one task this call was about."""
    todos = rows(input, "todos")
    if todos:
        done = sum(text(todo, "status") == "completed" for todo in todos)
        return f"{done} of {len(todos)} done"
    task = fields(fields(result).get("task"))
    subject = text(input, "subject", "activeForm", "description") or text(task, "subject")
    number, status = text(input, "taskId", "id"), text(input, "status").replace("_", " ")
    name = safe.brief(" ".join(part for part in (number and f"#{number}", subject) if part))
    return f"{name} → {safe.brief(status, 40)}" if status else name


def facts(input: Fields, result: object) -> str:
    """Nothing: the list is enough."""
    return ""


def preview(input: Fields, result: object, *, failed: bool) -> list[Line]:
    """The list."""
    items = _todos(input, result)[:_TEXT_MOST]
    return [item(text(todo, "status"), text(todo, "content", "subject")) for todo in items]


def details(input: Fields, result: object, build: DetailBuilder) -> list[Detail]:
    """The list; of a single task its description and the result."""
    todos = _todos(input, result)[:_PAGE_MOST]
    if not todos:
        return [*build.markdown(text(input, "description")), *build.output(result_text(result))]
    items = ((text(one, "content", "subject"), text(one, "status")) for one in todos)
    return [
        Checklist(tuple(ChecklistItem(safe.brief(content), status) for content, status in items))
    ]


def item(status: str, content: str) -> Line:
    """One item with its checkbox."""
    shape = {"completed": "☑", "in_progress": "▸"}.get(status, "☐")
    styles: dict[str, Style] = {"completed": "dim", "in_progress": "work"}
    return ((styles.get(status, ""), f"{shape} {safe.brief(content, 300)}"),)


def _todos(input: Fields, result: object) -> list[Fields]:
    return rows(input, "todos") or rows(fields(result), "tasks")
