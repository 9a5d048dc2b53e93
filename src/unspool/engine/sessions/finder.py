"""Finding sessions by name: in files, the archive, hook events and the registry.

A session is found as the file of its main transcript. Where that is gone it is the place where it
would lie, and the reader uses what else there is of the session.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from unspool.engine.hooks.events import SpoolEvents
from unspool.engine.sessions.hook_sessions import HookOnlySession, hook_only_sessions
from unspool.engine.transcripts.archived import ArchivedSessions
from unspool.errors import NotFound
from unspool.model.files import Root, TranscriptFile
from unspool.remote_paths import is_remote
from unspool.source.session_files import (
    SHORTEST_PREFIX,
    agents_alone,
    find_session,
    main_file,
    main_files,
    main_place,
    newest_first,
    only_session,
)


class Finder:
    """Finds the sessions of some roots."""

    def __init__(
        self,
        roots: Sequence[Root],
        spooled: SpoolEvents | None = None,
        archived: ArchivedSessions | None = None,
    ) -> None:
        self._roots, self._spooled, self._archived = roots, spooled, archived

    def find(self, project_id: str, session_id: str) -> TranscriptFile | None:
        """The session of a project and an id; slower sources are asked last."""
        places = self._places_of(project_id, session_id)
        hooks = self._hook_only(session_id)
        own = (file for file in chain(places, hooks) if file and file.project_id == project_id)
        return next(own, None)

    def _places_of(self, project_id: str, session_id: str) -> Iterator[TranscriptFile | None]:
        """The same files as `_places`, of one session: the archive need not name all it has."""
        archived, roots = self._archived, roots_of(self._roots, project_id)
        yield from (main_file(root, project_id, session_id) for root in roots)
        yield archived.main(project_id, session_id) if archived else None
        alone = (file for root in roots for file in agents_alone(root, project_id))
        yield from (file for file in alone if file.session_id == session_id)
        yield archived.agents_place(project_id, session_id) if archived else None

    def named(self, session_id: str) -> list[TranscriptFile]:
        """The sessions of an id, of whichever project, newest first."""
        written = [file for file in self.files() if file.session_id == session_id]
        return newest_first(written) or list(self._hook_only(session_id))

    def everything(self) -> list[TranscriptFile]:
        """Every session, also those that only hooks or the registry know."""
        files = self.files()
        known = {file.session_id for file in files}
        return [*files, *self._hook_only_files(lambda id: id not in known)]

    def by_name(self, name: str, project_id: str | None = None) -> TranscriptFile:
        """A session by id, unique prefix, path, or `latest`."""
        try:
            found = find_session(self._roots, name, project=project_id)
        except NotFound:
            elsewhere = self._elsewhere(name, project_id)
            if not elsewhere:
                raise
            return only_session(name, elsewhere)
        if name in ("latest", found.session_id):
            return found
        elsewhere = self._elsewhere(name, project_id)
        exact = [file for file in elsewhere if file.session_id == name]
        return only_session(name, exact or [found, *elsewhere])

    def files(self, project_id: str | None = None) -> list[TranscriptFile]:
        """Every session of which there is a transcript, be it an agent's alone, in any order."""
        once: dict[str, TranscriptFile] = {}
        for file in self._places(project_id):
            if project_id in (None, file.project_id):
                once.setdefault(file.path, file)
        return list(once.values())

    def _places(self, project_id: str | None) -> Iterator[TranscriptFile]:
        """Files of sessions, those with the most content first."""
        for root in self._roots:
            yield from main_files(root, project_id)
        if self._archived:
            yield from self._archived.mains()
        for root in self._roots:
            yield from agents_alone(root, project_id)
        if self._archived:
            yield from self._archived.agents_alone()

    def _hook_only(self, session_id: str) -> Iterator[TranscriptFile]:
        """Where the transcripts of an id would be that hooks or the registry alone tell of."""
        if not any(is_remote(root.path) for root in self._roots):
            yield from self._hook_only_files(lambda id: id == session_id, session_id)
        elif self._spooled:  # which project each is of, its machine has said
            names = sorted(self._spooled.names_of(session_id))
            yield from filter(None, (place_of(self._roots, *name) for name in names))

    def hook_only_sessions(self, is_known: Callable[[str], bool]) -> Iterator[HookOnlySession]:
        """Sessions that only hooks or the registry know."""
        return hook_only_sessions(self._roots, self._spooled, is_known)

    def _hook_only_files(
        self, is_wanted: Callable[[str], bool], session_id: str | None = None
    ) -> Iterator[TranscriptFile]:
        sessions = hook_only_sessions(
            self._roots, self._spooled, lambda id: not is_wanted(id), session_id
        )
        for found in sessions:
            place = place_of(self._roots, found.facts.project_id, found.facts.session_id)
            if place is not None:
                yield place

    def _elsewhere(self, name: str, project_id: str | None) -> list[TranscriptFile]:
        """Sessions that are not on disk, or only in part, by id, prefix or path."""
        if name == "latest":
            return []
        begins = name if len(name) >= SHORTEST_PREFIX else None
        path, id = os.path.abspath(name), os.path.basename(name).removesuffix(".jsonl")

        def is_wanted(session_id: str) -> bool:
            is_begun = begins is not None and session_id.startswith(begins)
            return session_id in (name, id) or is_begun

        files = [file for file in self.files(project_id) if is_wanted(file.session_id or "")]
        known = {file.session_id for file in files}
        others = self._hook_only_files(lambda id: is_wanted(id) and id not in known)
        files += (file for file in others if project_id in (None, file.project_id))
        exact = [file for file in files if file.session_id == name or file.path == path]
        is_path = os.sep in name or name.endswith(".jsonl")
        return exact if exact or is_path else files


def place_of(roots: Sequence[Root], project_id: str, session_id: str) -> TranscriptFile | None:
    """Where a session's main transcript would be: in the root with its prefix."""
    fitting = roots_of(roots, project_id)
    return main_place(fitting[0], project_id, session_id) if fitting else None


def roots_of(roots: Sequence[Root], project_id: str) -> list[Root]:
    """The roots a project may be of by its prefix, the longest first."""
    fitting = [root for root in roots if project_id.startswith(root.prefix)]
    return sorted(fitting, key=lambda root: len(root.prefix), reverse=True)
