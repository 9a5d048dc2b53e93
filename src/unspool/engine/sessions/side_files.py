"""A session -> what files beside its transcript say of it: its tasks, its plan, its job."""

from msgspec import structs

from unspool.decode import sidecars as decode
from unspool.derive.reading.heads import beginning
from unspool.derive.todos import listed_todos
from unspool.model.document import BackgroundJob, SessionInfo
from unspool.model.files import Root
from unspool.remote_paths import is_remote
from unspool.source import sidecars

_HEAD = 500  # characters


def with_side_files(session: SessionInfo, root: Root) -> SessionInfo:
    """A session as its document shows it; lists of sessions open no files.

    What lies beside the transcripts of another machine is not known here.
    """
    if is_remote(root.path):
        return session
    id = session.id
    tasks = [task for data in sidecars.task_lists(root, id) for task in decode.tasks(data)]
    todos = [todo for data in sidecars.todo_lists(root, id) for todo in decode.todos(data)]
    return structs.replace(
        session,
        task_list=listed_todos(tasks, todos),
        plan_file=sidecars.plan_file(root, session.slug or ""),
        job=_job(root, id),
    )


def plan_of(session: SessionInfo, root: Root) -> str | None:
    """The text of its plan; of a long one the beginning."""
    if is_remote(root.path) or not session.slug:
        return None
    return sidecars.plan_text(root, session.slug).decode("utf-8", "replace") or None


def _job(root: Root, session_id: str) -> BackgroundJob | None:
    """The job that runs a session; of several the last by name."""
    found = None
    for id, data in sidecars.job_states(root):
        state = decode.job_state(data) if session_id.encode() in data else None
        if state is not None and state.session_id == session_id:
            found = BackgroundJob(
                id,
                (state.name or "")[:_HEAD],
                (state.state or "")[:_HEAD],
                beginning(state.detail or "", _HEAD),
                beginning(state.needs or "", _HEAD),
                beginning(state.intent or "", _HEAD),
            )
    return found
