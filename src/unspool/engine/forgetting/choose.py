"""A name, a project or secrets in the archive -> sessions to forget, and their files on disk."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final

from msgspec import Struct, structs

from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.transcripts.archived import lines
from unspool.errors import Ambiguous, NotFound, UnspoolError
from unspool.model.files import LineSpan, Root, TranscriptFile
from unspool.model.query import SessionKey
from unspool.model.rows import SourceRow
from unspool.redact import Redactor
from unspool.source.files import AGENT_KINDS, scan_files
from unspool.source.forgotten import Tombstone
from unspool.source.legacy_agents import first_session_id
from unspool.source.sidecars import history
from unspool.store import Store

_LEGACY: Final = frozenset({"main", *AGENT_KINDS})


class SessionChoice(Struct, frozen=True, kw_only=True):
    """A session to be forgotten; `secrets` counts them by kind, where they were looked for."""

    root: str
    project_id: str
    session_id: str
    project: str  # the name of its directory
    title: str = ""
    last_activity: str | None = None
    forks: tuple[str, ...] = ()  # sessions that repeat some of its lines
    secrets: Mapping[str, int] = {}

    @property
    def key(self) -> tuple[str, str, str]:
        """What its tombstone says."""
        return self.root, self.project, self.session_id


def by_file(sessions: RootSessions, file: TranscriptFile, *, is_sure: bool) -> SessionChoice:
    """A session that was found; Ambiguous if other projects have one of its id, unless it is sure
    that this one is meant.
    """
    if file.root.is_loose:
        raise NotFound(f"{file.path} is not in a Claude directory: nothing of it is stored.")
    found = {one.project_id: one for one in sessions.named(file.session_id or "")}
    if not is_sure and len(found) > 1:
        message = f"{len(found)} projects have a session {file.session_id}. Choose one: --project"
        raise Ambiguous(message, sorted(found))
    choice = _described(sessions, file)
    with suppress(UnspoolError):  # there is nothing to read
        links = sessions.open(file).document(limit=0, bodies=False).session.links
        return structs.replace(choice, forks=tuple(one.session_id for one in links.forks))
    return choice


def in_project(sessions: RootSessions, project: str) -> list[SessionChoice]:
    """All sessions of one project, by its id or a part of it that no other has."""
    files: dict[str, dict[str, TranscriptFile]] = {}
    for file in sessions.everything():
        files.setdefault(file.project_id, {}).setdefault(file.session_id or "", file)
    fitting = [id for id in files if project.lower() in id.lower()]
    names = [project] if project in files else sorted(fitting)
    if not names:
        raise NotFound(f"No project matches {project!r}.")
    if len(names) > 1:
        raise Ambiguous(f"{project!r} matches {len(names)} projects. Use more of the id.", names)
    return [_described(sessions, file) for file in files[names[0]].values()]


def with_secrets(
    sessions: RootSessions,
    store: Store,
    roots: Iterable[Root],
    progress: Callable[[int, int], None],
) -> list[SessionChoice]:
    """The sessions whose archived text has anything that redaction would cover."""
    found: dict[SessionKey, Counter[str]] = defaultdict(Counter)
    paths = {root.path for root in roots}
    total, done = store.status().archived_bytes, 0
    for source in store.generations():
        if source.root in paths and source.session_id:
            name = source.project_id, source.session_id
            found[name] += _secrets(_lines(store, source))
        done += store.archived(source.source_id, source.generation)
        progress(min(done, total), total)
    for file in store.outputs():
        if file.root in paths:
            data = store.output(file.root, file.path) or b""
            found[file.project_id, file.session_id] += _secrets([data])
    for name in {*found, *store.hook_sessions()}:
        hooks = store.hooks(*name)
        found[name] += _secrets(f"{row.input}\n{row.handler_results}".encode() for row in hooks)
    return [
        structs.replace(choice, secrets=dict(found[name]))
        for name in sorted(name for name, kinds in found.items() if kinds)
        if (choice := _found(sessions, name)) is not None
    ]


def files_of(roots: Iterable[Root], one: Tombstone | SessionChoice) -> list[str]:
    """The files that Claude Code, or a hook, left of a session: they are not ours to delete."""
    session = one.session if isinstance(one, Tombstone) else one.session_id
    for root in roots:
        if root.path == one.root:
            bare = structs.replace(root, tombstones="")  # as if it were not forgotten
            return sorted({*_project_files(bare, one.project, session), *_beside(bare, session)})
    return []


def prompts_in_history(root: str, session_id: str) -> int:
    """How many lines of `history.jsonl` name a session."""
    needle = session_id.encode()
    return sum(needle in line for line in history(root))


def _described(sessions: RootSessions, file: TranscriptFile) -> SessionChoice:
    choice = SessionChoice(
        root=file.root.path,
        project_id=file.project_id,
        session_id=file.session_id or "",
        project=file.project_id.removeprefix(file.root.prefix),
    )
    try:
        row = sessions.open(file).summary()
    except UnspoolError:
        return choice  # there is nothing to read
    return structs.replace(choice, title=row.session.title, last_activity=row.last_activity)


def _found(sessions: RootSessions, name: SessionKey) -> SessionChoice | None:
    try:
        return _described(sessions, sessions.find(name[1], project=name[0] or None))
    except UnspoolError:
        return None


def _lines(store: Store, source: SourceRow) -> Iterator[bytes]:
    return (line[1] for line in lines(store, source) if not isinstance(line, LineSpan))


def _secrets(texts: Iterable[bytes]) -> Counter[str]:
    redactor = Redactor()
    for data in texts:
        redactor.json(data)
    return Counter(redactor.report)


def _project_files(root: Root, project: str, session: str) -> Iterator[str]:
    directory = os.path.join(root.projects, project)
    yield from _named_after(directory, session)
    for file in scan_files(root, _LEGACY, with_sessions=False):
        is_legacy = file.kind == "legacy_subagent" and os.path.dirname(file.path) == directory
        if is_legacy and first_session_id(file.path) == session:
            yield file.path


def _beside(root: Root, session: str) -> Iterator[str]:
    """Files named after the session in other directories of a root: lists, logs, checkpoints."""
    for folder in _folders(root.path):
        if folder != root.projects:
            yield from _named_after(folder, session)
            for below in _folders(folder):
                yield from _named_after(below, session)


def _named_after(directory: str, session: str) -> Iterator[str]:
    for name in _listed(directory):
        if name == session or name.startswith((f"{session}.", f"{session}-agent-")):
            path = os.path.join(directory, name)
            if os.path.isdir(path) and not os.path.islink(path):
                for above, _, names in os.walk(path):
                    yield from (os.path.join(above, one) for one in names)
            else:
                yield path


def _folders(directory: str) -> list[str]:
    paths = (os.path.join(directory, name) for name in _listed(directory))
    return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]


def _listed(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []
