"""Names -> sessions, wherever anything of them lies: files, the archive, hooks, the registry.

A session is found as the file of its main transcript. Where that is gone it is the place where it
would lie, and the reader uses what else there is of the session.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from unspool.engine.hooks.events import Spooled
from unspool.engine.sessions.hook_sessions import Announced, announced
from unspool.engine.transcripts.archived import Swept
from unspool.errors import NotFound
from unspool.model.files import Root, TranscriptFile
from unspool.source.session_files import (
    SHORTEST_PREFIX,
    agents_alone,
    find_session,
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
        spooled: Spooled | None = None,
        swept: Swept | None = None,
    ) -> None:
        self._roots, self._spooled, self._swept = roots, spooled, swept

    def find(self, project_id: str, session_id: str) -> TranscriptFile | None:
        """The session of a project and an id; what lies farther away is asked only in need."""
        written = (file for file in self._places(project_id) if file.session_id == session_id)
        for file in chain(written, self._announced(lambda id: id == session_id)):
            if file.project_id == project_id:
                return file
        return None

    def named(self, session_id: str) -> list[TranscriptFile]:
        """The sessions of an id, of whichever project, newest first."""
        written = [file for file in self.files() if file.session_id == session_id]
        return newest_first(written) or list(self._announced(lambda id: id == session_id))

    def by_name(self, name: str, project_id: str | None = None) -> TranscriptFile:
        """A session by id, by a unique beginning of it, by path, or as `latest`."""
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
        """The best that there is of each session first."""
        for root in self._roots:
            yield from main_files(root, project_id)
        if self._swept:
            yield from self._swept.mains()
        for root in self._roots:
            yield from agents_alone(root, project_id)
        if self._swept:
            yield from self._swept.agents_alone()

    def announced(self, is_known: Callable[[str], bool]) -> Iterator[Announced]:
        """Sessions of which only hooks or the registry tell."""
        return announced(self._roots, self._spooled, is_known)

    def _announced(self, is_wanted: Callable[[str], bool]) -> Iterator[TranscriptFile]:
        for found in self.announced(lambda id: not is_wanted(id)):
            place = place_of(self._roots, found.facts.project_id, found.facts.session_id)
            if place is not None:
                yield place

    def _elsewhere(self, name: str, project_id: str | None) -> list[TranscriptFile]:
        """Sessions that are not on disk, or in part only, of an id, a beginning of it or a path."""
        if name == "latest":
            return []
        begins = name if len(name) >= SHORTEST_PREFIX else None
        path, id = os.path.abspath(name), os.path.basename(name).removesuffix(".jsonl")

        def is_wanted(session_id: str) -> bool:
            is_begun = begins is not None and session_id.startswith(begins)
            return session_id in (name, id) or is_begun

        files = [file for file in self.files(project_id) if is_wanted(file.session_id or "")]
        known = {file.session_id for file in files}
        others = self._announced(lambda id: is_wanted(id) and id not in known)
        files += (file for file in others if project_id in (None, file.project_id))
        exact = [file for file in files if file.session_id == name or file.path == path]
        is_path = os.sep in name or name.endswith(".jsonl")
        return exact if exact or is_path else files


def place_of(roots: Sequence[Root], project_id: str, session_id: str) -> TranscriptFile | None:
    """Where a session's main transcript would lie: in the root whose prefix it has."""
    fitting = (root for root in roots if project_id.startswith(root.prefix))
    root = max(fitting, key=lambda root: len(root.prefix), default=None)
    return main_place(root, project_id, session_id) if root else None
