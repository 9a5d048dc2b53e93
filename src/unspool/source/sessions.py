"""A session's name -> its transcript, and all else it left on disk."""

import os
import re
from collections.abc import Callable, Iterable, Sequence

from unspool.errors import Ambiguous, NotFound, SourceError
from unspool.model.files import Root, SessionFiles, TranscriptFile
from unspool.source.layout import Walk, classify

_SHORTEST_PREFIX = 4
_NICKNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,127}")


def find_session(roots: Sequence[Root], name: str, *, project: str | None = None) -> TranscriptFile:
    """Find a session by id, by a unique beginning of it, by path, or as `latest`."""
    if os.sep in name or name.endswith(".jsonl"):
        return _at_path(roots, name)
    begins = "" if name == "latest" else name
    known = [file for root in roots for file in _mains(root, begins)]
    fitting = [file for file in known if project in (None, file.project_id)]
    if name != "latest":
        exact = [file for file in fitting if file.session_id == name]
        fitting = exact or _only_one(name, fitting)
    if not fitting:
        raise NotFound(_not_found(roots, name))
    return _newest_first(fitting)[0]


def session_files(root: Root, project_dir: str | os.PathLike[str], session_id: str) -> SessionFiles:
    """Gather what a session left: transcripts, sidecars, results, lists, logs."""
    project = os.fspath(project_dir)
    if session_id in ("", ".", "..") or os.sep in session_id:
        return SessionFiles()
    walk = Walk(root)
    directory = os.path.join(project, session_id)
    main = [file for file in walk.mains(project, session_id) if file.session_id == session_id]
    below = list(walk.session_dir(directory))
    agents = [file for file in below if file.kind != "journal"]
    return SessionFiles(
        main=main[0] if main else None,
        subagents=(*agents, *_legacy(walk, project, session_id, agents)),
        journals=tuple(file for file in below if file.kind == "journal"),
        hook_logs=tuple(walk.hook_logs(session_id)),
        metas=_metas(walk, os.path.join(directory, "subagents")),
        runs=_json_files(walk, os.path.join(directory, "workflows")),
        todos=_todos(walk, session_id),
        tasks=_tasks(walk, session_id),
        custom_title=_existing(os.path.join(directory, "custom-title.json")),
        tool_results=_existing(os.path.join(directory, "tool-results")),
        plans=_existing(os.path.join(root.path, "plans")),
        registry=_existing(os.path.join(root.path, "sessions")),
    )


def plan_file(files: SessionFiles, nickname: str) -> str | None:
    """The plan a session's nickname (its `slug`) stands for."""
    if files.plans is None or not _NICKNAME.fullmatch(nickname):
        return None
    return _existing(os.path.join(files.plans, f"{nickname}.md"))


def _mains(root: Root, begins: str) -> Iterable[TranscriptFile]:
    walk = Walk(root)
    return (file for project in walk.projects() for file in walk.mains(project, begins))


def _newest_first(files: Iterable[TranscriptFile]) -> list[TranscriptFile]:
    return sorted(files, key=lambda file: (-file.mtime_ns, file.path))


def _only_one(name: str, fitting: list[TranscriptFile]) -> list[TranscriptFile]:
    """Files of the one session a beginning of an id fits."""
    if len(name) < _SHORTEST_PREFIX:
        return []
    ids = list(dict.fromkeys(file.session_id or "" for file in _newest_first(fitting)))
    if len(ids) > 1:
        raise Ambiguous(f"{name!r} fits {len(ids)} sessions. Give more of the id.", ids)
    return fitting


def _not_found(roots: Sequence[Root], name: str) -> str:
    places = ", ".join(root.projects for root in roots) or "no root"
    if name == "latest":
        return f"There are no sessions in {places}. Use Claude Code once, or name a --root."
    if len(name) < _SHORTEST_PREFIX:
        return f"No session is called {name!r}. Give at least {_SHORTEST_PREFIX} characters of it."
    return f"No session is called {name!r} in {places}. `unspool ls` lists what there is."


def _at_path(roots: Sequence[Root], name: str) -> TranscriptFile:
    if not os.path.exists(name):
        raise NotFound(f"There is no file at {name!r}.")
    if not os.path.isfile(name):
        raise SourceError(f"{name} is not a regular file. Give the path of a transcript.")
    # Where a name in a root leads is not asked: a link may have been put there for us to follow.
    real = os.path.abspath(name)
    found = _in_root(roots, real)
    if found is None:
        real = os.path.realpath(name)
        found = _in_root(roots, real, os.path.realpath)
    if found:
        root, parts = found
        return _named(root, os.path.join(root.projects, *parts), parts)
    parts = _own_parts(real)
    project = real[: len(real) - len(os.sep.join(parts[1:])) - 1]
    return _named(_loose_root(project), real, parts)


def _in_root(
    roots: Sequence[Root], path: str, place: Callable[[str], str] = os.path.abspath
) -> tuple[Root, list[str]] | None:
    """The root a path lies in, and the names that lead from its projects to it."""
    for root in roots:
        parts = os.path.relpath(path, place(root.projects)).split(os.sep)
        if len(parts) > 1 and parts[0] != ".." and root.only in (None, parts[0]):
            return root, parts
    return None


def _loose_root(project: str) -> Root:
    above, name = os.path.split(project)
    path = os.path.dirname(above) if os.path.basename(above) == "projects" else project
    return Root(0, path, "", above, only=name)


def _own_parts(path: str) -> list[str]:
    """The project directory and all below it, as far as a loose path shows it."""
    parts = path.split(os.sep)
    if "subagents" in parts[2:-1]:
        at = len(parts) - 1 - parts[::-1].index("subagents")
        return parts[max(at - 2, 0) :]
    return parts[-2:]


def _named(root: Root, path: str, parts: list[str]) -> TranscriptFile:
    place = classify(parts) or ("main", parts[-1].removesuffix(".jsonl"), None)
    try:
        info = os.lstat(path)
    except OSError as error:
        raise NotFound(f"There is no file at {path!r} any more.") from error
    return Walk(root).file(path, root.prefix + parts[0], place, info)


def _legacy(
    walk: Walk, project: str, session_id: str, agents: list[TranscriptFile]
) -> list[TranscriptFile]:
    taken = {file.agent_id for file in agents}
    beside = (file for file in walk.legacy(project) if file.session_id == session_id)
    return [file for file in beside if file.agent_id not in taken]


def _metas(walk: Walk, directory: str) -> dict[str, str]:
    sidecars = (
        entry.path
        for entry in walk.below(directory)
        if entry.name.startswith("agent-") and entry.name.endswith(".meta.json")
        if entry.is_file(follow_symlinks=False)
    )
    return {path.removesuffix(".meta.json") + ".jsonl": path for path in sidecars}


def _json_files(walk: Walk, directory: str) -> tuple[str, ...]:
    found = (entry for entry in walk.entries(directory) if entry.name.endswith(".json"))
    return tuple(entry.path for entry in found if entry.is_file(follow_symlinks=False))


def _todos(walk: Walk, session_id: str) -> tuple[str, ...]:
    found = _json_files(walk, os.path.join(walk.root.path, "todos"))
    names = ((os.path.basename(path), path) for path in found)
    begins = f"{session_id}-agent-"
    return tuple(p for name, p in names if name == f"{session_id}.json" or name.startswith(begins))


def _tasks(walk: Walk, session_id: str) -> tuple[str, ...]:
    lists = (session_id, f"session-{session_id[:8]}")
    places = (os.path.join(walk.root.path, "tasks", name) for name in lists)
    return tuple(path for place in places for path in _json_files(walk, place))


def _existing(path: str) -> str | None:
    return path if os.path.lexists(path) and not os.path.islink(path) else None
