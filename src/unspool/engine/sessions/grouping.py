"""Checkouts and the user's own names -> one project for each repository: the one decision of it.

A project directory keeps its id. Its group is the directory's repository: worktrees share its
main checkout, clones its `origin`; the same directory of each belongs together. What the user has
named in unspool.toml goes before all of that.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeAlias

from unspool.model.document import ProjectGroup
from unspool.source.checkouts import Checkout, by_name
from unspool.source.session_files import is_slug_of, project_slug

# A name of the user's, and the directories it is for: paths or globs.
ProjectRule: TypeAlias = tuple[str, tuple[str, ...]]

_SEPARATOR = re.compile(r"[/\\]")
_GLOB = re.compile(r"[*?[]")


class Grouping:
    """Which project each project directory belongs to, at one moment."""

    def __init__(
        self, checkouts: Mapping[str, Checkout] = {}, rules: Sequence[ProjectRule] = ()
    ) -> None:
        self._rules = rules
        self._groups = _joined(checkouts)
        for id, one in checkouts.items():
            if named := self._named(id, one):
                self._groups[id] = named
        self._ids = {*checkouts, *(group.id for group in self._groups.values())}

    def of(self, project_id: str) -> ProjectGroup | None:
        """The project of a directory, by itself if nothing more is known; None without an id."""
        known = self._groups.get(project_id)
        if known is not None or not project_id:
            return known
        main = by_name(project_id)
        named = self._named(project_id, Checkout()) or self._groups.get(main)
        return named or ProjectGroup(id=main, name=main)

    def _named(self, id: str, one: Checkout) -> ProjectGroup | None:
        """What the user calls it: by where it is, else by where its main checkout is."""
        for path in dict.fromkeys((one.path, one.main)):
            for name, patterns in self._rules:
                if any(_covers(pattern, path, id) for pattern in patterns):
                    return ProjectGroup(id=name, name=name)
        return None

    def key(self, project_id: str) -> str:
        """The id of the same."""
        found = self.of(project_id)
        return found.id if found else project_id

    def matching(self, text: str) -> Callable[[str], bool]:
        """Whether a directory is asked for: by path, by id, or by a part of an id or a name."""
        if text in self._ids:
            return lambda id: text in (id, self.key(id))
        if _SEPARATOR.search(text) or text in (os.curdir, os.pardir):
            path = os.path.expanduser(text).rstrip("/\\")
            path = os.path.abspath(path) if path.startswith(os.curdir) else path
            return lambda id: is_slug_of(bare(id), path)
        needle = text.lower()

        def is_asked(id: str) -> bool:
            group = self.of(id)
            names = (id, group.id, group.name) if group else (id,)
            return any(needle in name.lower() for name in names)

        return is_asked

    def select(self, text: str, project_ids: Iterable[str]) -> tuple[str, ...] | None:
        """Those of some directories that are asked for; None: all there are."""
        return tuple(filter(self.matching(text), project_ids)) if text else None


def bare(project_id: str) -> str:
    """A project's directory name, without the prefix of its root and its machine.

    No name that is made of a path has a `~`.
    """
    return project_id.rpartition("~")[2]


def last_part(path: str) -> str:
    """The name of a directory, whichever system its path is of."""
    return _SEPARATOR.split(path.rstrip("/\\"))[-1]


def _joined(checkouts: Mapping[str, Checkout]) -> dict[str, ProjectGroup]:
    """Directories that share a main checkout or an origin, directly or through others."""
    above: dict[str, str] = {}  # a key -> another of the same group; the last has none

    def last(key: str) -> str:
        while (next_key := above.get(key, key)) != key:
            above[key] = above.get(next_key, next_key)
            key = next_key
        return key

    told = {id: one for id, one in checkouts.items() if one.path}
    for id, one in told.items():
        first, *others = _keys(id, one)
        for key in others:
            above[last(key)] = last(first)
    members: dict[str, dict[str, Checkout]] = {}
    for id, one in told.items():
        members.setdefault(last(_keys(id, one)[0]), {})[id] = one
    made = ((some, _group(some)) for some in members.values())
    return {id: group for some, group in made for id in some}


def _keys(id: str, one: Checkout) -> list[str]:
    """What directories of one project have in common; a path of another root may be elsewhere."""
    local = f"{id[: len(id) - len(bare(id))]}\n{one.main}"
    return [local, *([one.main] if one.is_git else []), *([one.origin] if one.origin else [])]


def _group(members: Mapping[str, Checkout]) -> ProjectGroup:
    """Named after a main checkout: the one called as its origin is, else that of the least path."""
    origins = {last_part(one.origin).lower() for one in members.values() if one.origin}
    mains = {one.main for one in members.values()}
    main = min(mains, key=lambda path: (last_part(path).lower() not in origins, len(path), path))
    there = [id for id, one in members.items() if one.path == main]
    prefix = min(id[: len(id) - len(bare(id))] for id in members)
    id = min(there, key=lambda id: (len(id), id)) if there else prefix + project_slug(main)
    return ProjectGroup(id=id, name=last_part(main) or id, path=main)


def _covers(pattern: str, path: str, id: str) -> bool:
    """Whether a pattern is for a directory, or for one above it; without a path, its id tells."""
    whole = os.path.expanduser(pattern).rstrip("/\\")
    if not path:
        return not _GLOB.search(whole) and is_slug_of(bare(id), whole)
    return fnmatchcase(path, whole) or fnmatchcase(path, f"{whole}[/\\\\]*")
