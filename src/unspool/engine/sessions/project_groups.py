"""What is known of the checkouts of some roots: seen on the disk, and kept beside the archive.

The writer keeps it in `projects.json`, where no rebuild touches it, so that a worktree that was
removed stays a part of its repository. Readers look at the disk only for projects that are new.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from math import inf
from threading import Lock
from time import monotonic
from typing import Final, TypeAlias

from unspool.engine.sessions.grouping import Grouping, ProjectRule, bare
from unspool.json_depth import shallow
from unspool.private_files import write_private
from unspool.source.checkouts import Checkout, by_path, project_path, read_checkout
from unspool.source.files import Project, projects
from unspool.source.roots import RootPlace
from unspool.source.session_files import is_slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.model.query import ProjectTotal
    from unspool.store import Store

BOOK: Final = "projects.json"
_SETTINGS: Final = "unspool.toml"
_MANY: Final = 500  # changes at once
_AGAIN_SECONDS: Final = 600.0  # what is known of a checkout is looked at again
_FIRST_PAUSE: Final = 1.0  # seconds; twice as long after each look that told nothing

Book: TypeAlias = dict[str, Checkout]
_Stamp: TypeAlias = tuple[object, ...]


class ProjectGroups:
    """The groups of the projects of some roots, from any thread.

    Repositories are read only for the user's own roots: the paths in a copy, or in somebody
    else's directory, are not of this machine.
    """

    def __init__(
        self,
        places: Sequence[RootPlace] = (),
        home: str = "",
        own_home: str | None = None,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._places, self._home = places, home
        self._own_home = home if own_home is None else own_home
        is_own = os.path.abspath(self._own_home) == os.path.abspath(home)
        self._read = read_checkout if is_own else by_path
        self._lock = Lock()
        self._stamp: _Stamp | None = None
        self._seen: Book = {}  # projects that are not in the book yet
        self._kept: set[str] = set()  # projects that are in the book, for the writer
        self._untold: dict[str, tuple[float, float]] = {}  # when to look again, and the pause
        self._clock, self._looked_at = clock, -inf
        self._basis: tuple[Book, Sequence[ProjectRule]] = {}, ()
        self._grouping = Grouping()

    def current(self) -> Grouping:
        """The groups now."""
        with self._lock:
            stamp = self._stamped()
            if stamp != self._stamp:
                basis = self._known(), self._rules()
                if basis != self._basis:
                    self._basis, self._grouping = basis, Grouping(*basis)
                self._stamp = stamp
            return self._grouping

    def remember(self, project_ids: Iterable[str] | None = None) -> None:
        """Keep what the disk says now; for the writer, which alone may. OSError if it cannot.

        Of some projects: of those that are new.
        """
        with self._lock:
            now = self._clock()
            is_due = now - self._looked_at >= _AGAIN_SECONDS
            asked = None if is_due or project_ids is None else self._unknown(project_ids, now)
            if asked is not None and not asked:
                return
            if is_due:
                self._looked_at = now
            old = read_book(self._home)
            every = (one for place in self._places for one in projects(place))
            wanted = (one for one in every if asked is None or one.id in asked)
            new = {one.id: self._look(one, old) for one in wanted if is_due or one.id not in old}
            kept = {**old, **{id: one for id, one in new.items() if one.path}}
            if kept != old:
                write_book(self._home, kept)
            self._kept = set(kept)
            self._put_off(new.keys() - kept.keys(), now)

    def _unknown(self, project_ids: Iterable[str], now: float) -> set[str]:
        """Those that are new, or have not said yet where they are; some never do."""
        new = set(project_ids) - self._kept
        return {id for id in new if id not in self._untold or self._untold[id][0] <= now}

    def _put_off(self, project_ids: Iterable[str], now: float) -> None:
        for id in project_ids:
            pause = self._untold[id][1] * 2 if id in self._untold else _FIRST_PAUSE
            self._untold[id] = now + pause, pause

    def _known(self) -> Book:
        book = read_book(self._home)
        for place in self._places:
            for one in projects(place):
                known = self._seen.get(one.id)
                if one.id not in book and (known is None or not known.path):
                    self._seen[one.id] = self._look(one, book)
        return {**self._seen, **book}

    def _look(self, project: Project, known: Book) -> Checkout:
        """What can be seen of a checkout now; of one that is gone, what was known of it."""
        old = known.get(project.id, Checkout())
        path = old.path or project_path(project)
        new = self._read(path) if path else old
        return old if old.is_git and not new.is_git else new

    def _rules(self) -> Sequence[ProjectRule]:
        path = os.path.join(self._own_home, _SETTINGS)
        if not self._own_home or not os.path.exists(path):
            return ()
        from pathlib import Path  # noqa: PLC0415 - `unspool cost` does without

        from unspool.engine.settings import settings  # noqa: PLC0415

        return settings(Path(self._own_home)).projects

    def _stamped(self) -> _Stamp:
        own = (os.path.join(self._home, BOOK), os.path.join(self._own_home, _SETTINGS))
        return tuple(_state(path) for path in (*own, *(one.projects for one in self._places)))


class StoredProjectGroups(ProjectGroups):
    """The groups of projects of other machines, by what their sessions say of their directories.

    Kept up to date by the feed: a change asks for the projects it names.
    """

    def __init__(self, store: "Store") -> None:
        super().__init__()
        self._store, self._head = store, -1

    def current(self) -> Grouping:
        """The groups now."""
        head = self._store.head()
        with self._lock:
            if head != self._head:
                asked = self._changed()
                found = self._store.projects(ids=asked) if asked is None or asked else ()
                new = {one.project_id: by_path(one.cwd) for one in found if _is_named_after(one)}
                self._head = head
                if new.items() - self._seen.items():
                    self._seen |= new
                    self._grouping = Grouping(self._seen)
            return self._grouping

    def _changed(self) -> set[str] | None:
        """Projects that are new in the feed and not known yet; None: look at all of them."""
        changes = self._store.changes(after=self._head, limit=_MANY) if self._head >= 0 else []
        if self._head < 0 or len(changes) == _MANY:
            return None
        return {one.project_id for one in changes if one.project_id} - self._seen.keys()


def _is_named_after(project: "ProjectTotal") -> bool:
    return bool(project.cwd) and is_slug_of(bare(project.project_id), project.cwd)


def read_book(home: str) -> Book:
    """What was kept; a part that is broken is left out."""
    if not home:
        return {}
    try:
        with open(os.path.join(home, BOOK), encoding="utf-8") as file:
            rows = json.loads(shallow(file.read()))["projects"].items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {id: found for id, row in rows if (found := _checkout(row))}


def write_book(home: str, book: Book) -> None:
    """Keep it, all or nothing."""
    rows = {id: one._asdict() for id, one in sorted(book.items())}
    data = json.dumps({"projects": rows}, indent=1).encode()
    write_private(os.path.join(home, BOOK), [data], durable=True)


def _checkout(row: object) -> Checkout | None:
    """A row, whichever version wrote it."""
    told = row if isinstance(row, dict) else {}
    path, main, origin = (told.get(name) for name in ("path", "main", "origin"))
    if not (isinstance(path, str) and path and isinstance(main, str) and main):
        return None
    return Checkout(
        path, main, told.get("is_git") is True, origin if isinstance(origin, str) else ""
    )


def _state(path: str) -> tuple[int, ...]:
    try:
        info = os.stat(path)
    except OSError:
        return ()
    return info.st_ino, info.st_size, info.st_mtime_ns
