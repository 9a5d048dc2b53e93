"""Projects that stay on the machine: by the settings, or by a file in their directory."""

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from unspool.model.document import SessionInfo
from unspool.model.query import SessionQuery
from unspool.model.rows import SourceRow
from unspool.store import Store

MARKER: Final = ".unspool-private"


class PrivateProjects:
    """Says which sources may leave; of the others not even a count does.

    It is asked each time that something is to leave: somebody may have said no meanwhile.
    """

    def __init__(self, store: Store, patterns: Sequence[str], user_home: Path) -> None:
        home = str(user_home)
        self._patterns = [home + one[1:] if one.startswith("~") else one for one in patterns]
        self._store = store
        self._known: dict[tuple[str, str], str] = {}

    def may_ship(self, row: SourceRow) -> bool:
        """Whether a source may leave. A spool has events of all projects."""
        if row.kind == "spool":
            return not any(self.is_private(one.cwd) for one in self._store.projects())
        return self.may_ship_session(row.project_id, row.session_id)

    def may_ship_session(self, project_id: str, session_id: str) -> bool:
        """Whether what is of a session may leave."""
        name = project_id, session_id
        if name not in self._known:
            cwd = self._cwd(*name)
            if not cwd:
                return False  # no line of the project says yet where it is
            self._known[name] = cwd
        return not self.is_private(self._known[name])

    def may_show(self, session: SessionInfo) -> bool:
        """Whether a row of the board may leave.

        A session that has gone to another directory is private by either.
        """
        begun = self._cwd(session.project_id, session.id)
        places = {one for one in (begun, session.project_path) if one}
        return bool(places) and not any(map(self.is_private, places))

    def is_private(self, cwd: str) -> bool:
        """Whether a working directory is excluded, or has the marker in it or above it."""
        places = [cwd, *map(str, Path(cwd).parents)] if cwd else []
        if any(fnmatchcase(cwd, one) or _is_below(cwd, one) for one in self._patterns):
            return True
        return any(os.path.lexists(os.path.join(place, MARKER)) for place in places)

    def _cwd(self, project_id: str, session_id: str) -> str:
        found = self._store.sessions(SessionQuery(id=session_id, everything=True))
        own = next((one.cwd for one in found if one.project_id == project_id), "")
        beside = [] if own else self._store.projects(ids=[project_id])
        return own or next((one.cwd for one in beside), "")


def _is_below(cwd: str, pattern: str) -> bool:
    """`/home/me/private/**` is also the directory itself."""
    return cwd == pattern.removesuffix("/**").rstrip("/")
