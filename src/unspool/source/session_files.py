"""Roots, paths and names of sessions -> transcripts, and the other files of a session."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from unspool.errors import Ambiguous, NotFound, SourceError
from unspool.model.files import Root, SessionFiles, SkippedFile, TranscriptFile
from unspool.remote_paths import is_remote
from unspool.source.claude_code import LINES, SUBAGENTS, FileName, is_name, loose_project
from unspool.source.files import (
    AGENT_KINDS,
    INDEXED_KINDS,
    TRANSCRIPT_KINDS,
    Project,
    ScannedFile,
    classify,
    file_at,
    open_project,
    projects,
    scan_files,
)
from unspool.source.forgotten import forgotten_ids, is_ignored
from unspool.source.legacy_agents import first_session_id
from unspool.source.safe_open import allowed_roots

if TYPE_CHECKING:
    from unspool.source.claude_code import RootLike

_FOLDER = re.compile(r"([^/\\]+)[/\\][^/\\]+\.jsonl$")
_LONGEST_SLUG = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@lru_cache(1_024)
def project_slug(cwd: str) -> str:
    """The name of the project directory of a working directory; it cannot be reversed."""
    units = _utf16_units(unicodedata.normalize("NFC", cwd))
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= _LONGEST_SLUG:
        return name
    return f"{name[:_LONGEST_SLUG]}-{_base36(abs(_hash31(units)))}"


def project_folder(transcript: str) -> str:
    """The project of a transcript, which is its directory; "" if that is not a valid name."""
    found = _FOLDER.search(transcript)
    return found[1] if found and is_name(found[1]) else ""


def project_of(transcript: str, cwd: str, roots: "Iterable[RootLike]") -> str | None:
    """The project of a session, from a hook's payload; None if it is not in these roots."""
    name = project_folder(transcript) or project_slug(cwd or "/")
    for root in roots:
        # Windows writes a drive's letter as it likes.
        inside = os.path.normcase(root.projects) + os.sep
        is_ours = not transcript or os.path.normcase(transcript).startswith(inside)
        if is_ours and root.only in (None, name):
            return root.prefix + name
    return None


def is_slug_of(name: str, cwd: str) -> bool:
    """Whether a project directory's name can be this working directory's."""
    ours = project_slug(cwd)
    if len(ours) <= _LONGEST_SLUG:
        return name == ours
    # Builds of the CLI disagree about the hash of a long name, never about the part before it.
    return name.startswith(ours[: _LONGEST_SLUG + 1])


def _utf16_units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]


def _hash31(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


SHORTEST_PREFIX = 4
FORGOTTEN_SESSION = "{0} was forgotten. `unspool forget --restore {0}` undoes that."
_MAINS = frozenset({"main"})
_LOGS = frozenset({"hook_log"})
_AGENTS = AGENT_KINDS | {"journal"}


def transcript_files(
    root: Root, skipped: list[SkippedFile] | None = None
) -> Iterator[TranscriptFile]:
    """Every transcript, journal and event log; files that are ignored go into `skipped`."""
    reasons: list[tuple[str, str]] | None = None if skipped is None else []
    for file in scan_files(root, skipped=reasons):
        yield transcript_file(root, file)
    if skipped is not None:
        skipped += [SkippedFile(_printable(path), reason) for path, reason in reasons or ()]


def main_files(root: Root, project_id: str | None = None) -> Iterator[TranscriptFile]:
    """The main transcripts of a root, or of one of its projects."""
    for project in projects(root, _MAINS):
        if project_id in (None, project.id):
            yield from (transcript_file(root, file) for file in project.mains)


def main_place(
    root: Root, project_id: str, session_id: str, mtime_ns: int = 0
) -> TranscriptFile | None:
    """Where the main transcript of a session would be; None if the name is not possible."""
    project = project_id.removeprefix(root.prefix)
    if not is_name(project) or not is_name(session_id):
        return None
    path = os.path.join(root.projects, project, session_id + LINES)
    return TranscriptFile(
        root=root,
        path=path,
        relpath=path.removeprefix(root.path).lstrip(os.sep),
        kind="main",
        project_id=project_id,
        session_id=session_id,
        agent_id=None,
        size=0,
        mtime_ns=mtime_ns,
        inode=0,
    )


def main_file(root: Root, project_id: str, session_id: str) -> TranscriptFile | None:
    """The main transcript of a session; None if it is not there. No directory is listed."""
    place = main_place(root, project_id, session_id)
    found = transcript_at([root], place.path) if place else None
    is_it = found and (found.kind, found.project_id) == ("main", project_id)
    return found if is_it else None


def agents_alone(root: Root, project_id: str | None = None) -> Iterator[TranscriptFile]:
    """Where main transcripts would be, of sessions that only have agents' transcripts."""
    for project in projects(root, TRANSCRIPT_KINDS):
        if project_id in (None, project.id):
            for session_id, mtime_ns in _written_by_agents(project).items():
                if place := main_place(root, project.id, session_id, mtime_ns):
                    yield place


def _written_by_agents(project: Project) -> dict[str, int]:
    """The sessions of a project that have no main transcript, and when an agent last wrote."""
    mains = {file.session_id for file in project.mains}
    found: dict[str, int] = {}
    below = [file for id in project.sessions if id not in mains for file in project.agents(id)]
    beside = (file._replace(session_id=first_session_id(file.path)) for file in project.legacy)
    for file in (*below, *beside):
        if file.session_id and file.session_id not in mains and file.info.st_size:
            written = found.get(file.session_id, 0)
            found[file.session_id] = max(written, file.info.st_mtime_ns)
    return found


def transcript_at(
    roots: Sequence[Root], path: str, *, is_scanned: bool = False
) -> TranscriptFile | None:
    """The transcript, journal or event log at a path; None for other paths.

    `is_scanned`: `scan_files` has just returned it, so less needs to be checked.
    """
    for root in roots:
        found = file_at(root, path, is_scanned=is_scanned)
        if found and found.kind in INDEXED_KINDS:
            return transcript_file(root, found)
    return None


def transcript_file(root: Root, file: ScannedFile) -> TranscriptFile:
    """A file as the model knows it."""
    info = file.info
    return TranscriptFile(
        root=root,
        path=file.path,
        relpath=file.path.removeprefix(root.path).lstrip(os.sep),
        kind=file.kind,  # type: ignore[arg-type] # nobody asks for the registry here
        project_id=file.project_id,
        session_id=file.session_id,
        agent_id=file.agent_id,
        size=info.st_size,
        mtime_ns=info.st_mtime_ns,
        inode=info.st_ino,
    )


def find_session(roots: Sequence[Root], name: str, *, project: str | None = None) -> TranscriptFile:
    """Find a session by id, unique prefix, path, or `latest`."""
    if os.sep in name or name.endswith(".jsonl"):
        return _at_path(roots, name)
    begins = "" if name == "latest" else name
    known = (file for root in roots for file in main_files(root, project))
    fitting = [file for file in known if (file.session_id or "").startswith(begins)]
    exact = [file for file in fitting if file.session_id == name]
    if not exact and len(name) < SHORTEST_PREFIX:
        fitting = []
    if not fitting:
        raise NotFound(_not_found(roots, name))
    return newest_first(fitting)[0] if name == "latest" else only_session(name, exact or fitting)


def session_files(root: Root, project_dir: str | os.PathLike[str], session_id: str) -> SessionFiles:
    """The files of a session: transcripts, sidecars of its agents, event logs."""
    if not is_name(session_id) or is_remote(root.path):
        return SessionFiles()
    project = open_project(root, os.fspath(project_dir), _AGENTS)
    directory = os.path.join(project.path, session_id)
    below = [transcript_file(root, file) for file in project.agents(session_id)]
    agents = [file for file in below if file.kind != "journal"]
    taken = {file.agent_id for file in agents}
    legacy = (file for file in project.legacy if file.agent_id not in taken)
    own = (file for file in legacy if first_session_id(file.path) == session_id)
    agents += [transcript_file(root, file._replace(session_id=session_id)) for file in own]
    named = (file for file in scan_files(root, _LOGS) if file.session_id == session_id)
    # A logger may use another name for a project, but never that of one with this session.
    logs = (file for file in named if file.project_id == project.id or not _has_main(root, file))
    return SessionFiles(
        main=main_file(root, project.id, session_id),
        subagents=tuple(agents),
        journals=tuple(file for file in below if file.kind == "journal"),
        hook_logs=tuple(transcript_file(root, file) for file in logs),
        metas=_metas(os.path.join(directory, SUBAGENTS)),
        registry=_existing(os.path.join(root.path, "sessions")),
    )


def _has_main(root: Root, log: ScannedFile) -> bool:
    """Whether the project that a hook log lies under has a session of its id."""
    return main_file(root, log.project_id, log.session_id or "") is not None


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def written_at(directory: str) -> int:
    """When a directory last got a file or lost one; 0 if it is not there, or elsewhere."""
    is_here = not is_remote(directory) and os.path.isdir(directory)
    return os.stat(directory).st_mtime_ns if is_here else 0


def newest_first(files: Iterable[TranscriptFile]) -> list[TranscriptFile]:
    """Files by when they were last written."""
    return sorted(files, key=lambda file: (-file.mtime_ns, file.session_id or "", file.path))


def only_session(name: str, fitting: Iterable[TranscriptFile]) -> TranscriptFile:
    """The newest file of the only session that matches; Ambiguous if there are several."""
    newest = newest_first(fitting)
    ids = list(dict.fromkeys(file.session_id or "" for file in newest))
    if len(ids) > 1:
        raise Ambiguous(f"{name!r} matches {len(ids)} sessions. Use more of the id.", ids)
    return newest[0]


def _not_found(roots: Sequence[Root], name: str) -> str:
    places = ", ".join(root.projects for root in roots) or "no root"
    if name == "latest":
        return f"No sessions in {places}."
    if len(name) < SHORTEST_PREFIX:
        return f"No session matches {name!r}. Use at least {SHORTEST_PREFIX} characters of its id."
    if gone := sorted(id for id in forgotten_ids(roots) if id.startswith(name)):
        return FORGOTTEN_SESSION.format(gone[0])
    return f"No session matches {name!r} in {places}."


def _at_path(roots: Sequence[Root], name: str) -> TranscriptFile:
    if not os.path.exists(name):
        raise NotFound(f"No file at {name!r}.")
    if not os.path.isfile(name):
        raise SourceError(f"{name} is not a regular file. Pass the path of a transcript.")
    # Links inside a root are not resolved: somebody may have put one there for us to follow.
    real = os.path.abspath(name)
    found = _in_root(roots, real)
    if found is None:
        real = os.path.realpath(name)
        found = _in_root(roots, real, os.path.realpath)
    if found:
        root, path = found
        return _named(root, path)
    return _named(_loose_root(loose_project(real)), real)


def _in_root(
    roots: Sequence[Root], path: str, place: Callable[[str], str] = os.path.abspath
) -> tuple[Root, str] | None:
    """The root a path lies in, and the path as that root has it."""
    for root in roots:
        parts = os.path.relpath(path, place(root.projects)).split(os.sep)
        if len(parts) > 1 and parts[0] != ".." and root.only in (None, parts[0]):
            return root, os.path.join(root.projects, *parts)
    return None


def _loose_root(project: str) -> Root:
    above, name = os.path.split(project)
    path = os.path.dirname(above) if os.path.basename(above) == "projects" else project
    return Root(0, path, "", above, only=name)


def _named(root: Root, path: str) -> TranscriptFile:
    """A file given by its path; outside the known layout it is a session by itself."""
    project, *_, name = path.removeprefix(root.projects).lstrip(os.sep).split(os.sep)
    alone = FileName("main", root.prefix + project, name.removesuffix(LINES))
    try:
        info = os.lstat(path)
    except OSError as error:
        raise NotFound(f"The file at {path!r} was deleted.") from error
    file = _scanned(classify(root, path) or alone, path, info)
    if is_ignored(root, file):
        raise NotFound(FORGOTTEN_SESSION.format(file.session_id))
    return transcript_file(root, file)


def _scanned(name: FileName, path: str, info: os.stat_result) -> ScannedFile:
    if name.kind == "legacy_subagent":
        name = name._replace(session_id=first_session_id(path))
    return ScannedFile(path, *name, info)


def _metas(directory: str) -> dict[str, str]:
    """The sidecars of agents at any depth, by the transcript each belongs to."""
    found, waiting = {}, [directory]
    while waiting:
        directory = waiting.pop()
        for name, is_file in _names(directory):
            path = os.path.join(directory, name)
            if not is_file:
                waiting.append(path)
            elif name.startswith("agent-") and name.endswith(".meta.json"):
                found[path.removesuffix(".meta.json") + LINES] = path
    return found


def _names(directory: str) -> list[tuple[str, bool]]:
    """The regular files of a directory, and the directories in it, by name."""
    try:
        return sorted(
            (entry.name, is_file)
            for entry in allowed_roots.scan(directory)
            if (is_file := entry.is_file(follow_symlinks=False))
            or entry.is_dir(follow_symlinks=False)
        )
    except (OSError, ValueError):
        return []


def _existing(path: str) -> str | None:
    return path if os.path.lexists(path) and not os.path.islink(path) else None
