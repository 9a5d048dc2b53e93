"""TodoWrite lists, Task calls and the files of both -> the current to-do list."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Raw, Struct, structs

from unspool.derive.reading.heads import beginning
from unspool.model.document import TodoItem
from unspool.model.sidecars import Task, Todo

TOOLS: Final = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate"})
_MAX_ITEMS = 500
_HEAD = 500  # characters


class TodoFold(Struct):
    """A TodoWrite list replaces all items; each Task call changes one."""

    tasks: dict[str, TodoItem] = {}  # by the call that created each
    _list: tuple[TodoItem, ...] = ()
    _ids: dict[str, str] = {}  # the client's number -> that call

    def call(self, id: str, tool: str, input: Raw) -> None:
        """Apply a call of one of TOOLS."""
        value = _object(input)
        if tool == "TodoWrite":
            self._replace(value.get("todos"))
        elif tool == "TaskCreate":
            self._create(id, value)
        else:
            self._update(value)

    def result(self, id: str, structured: Raw) -> None:
        """Read the number of a created task."""
        if id in self.tasks:
            task = _object(structured).get("task")
            number = task.get("id") if isinstance(task, dict) else None
            if isinstance(number, str):
                self._ids[number] = id

    def replace(self, todos: Raw) -> None:
        """Apply the list that older versions repeat on user lines."""
        self._replace(_value(todos))

    def todos(self) -> tuple[TodoItem, ...]:
        """The current items, in the order they were created."""
        return tuple(self.tasks.values()) or self._list

    def _replace(self, items: object) -> None:
        if isinstance(items, list) and items:
            todos = (item for item in items[:_MAX_ITEMS] if isinstance(item, dict))
            self._list = tuple(_todo(item, "content") for item in todos)
            self.tasks.clear()

    def _create(self, id: str, value: dict[str, object]) -> None:
        if id not in self.tasks and len(self.tasks) < _MAX_ITEMS:
            self.tasks[id] = _todo(value, "subject")
            self._ids.setdefault(str(len(self.tasks)), id)  # until its result says otherwise

    def _update(self, value: dict[str, object]) -> None:
        call = self._ids.get(_text(value, "taskId"), "")
        task = self.tasks.get(call)
        if task is None:
            return
        status = _text(value, "status") or task.status
        if status == "deleted":
            del self.tasks[call]
            return
        content = _text(value, "subject") or task.content
        active_form = _text(value, "activeForm") or task.active_form
        self.tasks[call] = structs.replace(
            task, content=content, status=status, active_form=active_form
        )


def listed_todos(tasks: Iterable[Task], todos: Iterable[Todo]) -> tuple[TodoItem, ...]:
    """What the files of a session list: its tasks, else its to-dos of older versions."""
    found = [_item(task.subject, task.status, task.active_form) for task in tasks]
    found = found or [_item(todo.content, todo.status, todo.active_form) for todo in todos]
    return tuple(one for one in found[:_MAX_ITEMS] if one.content and one.status != "deleted")


def _item(content: str | None, status: str | None, active_form: str | None) -> TodoItem:
    return TodoItem(
        beginning(content or "", _HEAD),
        (status or "pending")[:_HEAD],
        beginning(active_form or "", _HEAD),
    )


def _todo(item: dict[str, object], name: str) -> TodoItem:
    return TodoItem(
        _text(item, name), _text(item, "status") or "pending", _text(item, "activeForm")
    )


def _text(value: dict[str, object], key: str) -> str:
    text = value.get(key)
    return beginning(text, _HEAD) if isinstance(text, str) else ""


def _object(raw: Raw) -> dict[str, object]:
    value = _value(raw)
    return value if isinstance(value, dict) else {}


def _value(raw: Raw) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
