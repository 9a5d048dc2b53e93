"""Options, environment and home -> the Claude Code directories to read, and where their index is.

It loads no model: `unspool cost` needs this first, and often nothing else.
"""

import os
import re
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from unspool.errors import ConfigError, NotFound, UsageError
from unspool.private_files import write_private
from unspool.remote_paths import MACHINE_NAME, is_remote, project_prefix, remote_path
from unspool.source.safe_open import allowed_roots

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import TypeAlias

    from unspool.model.files import Root

    Archived: TypeAlias = Iterable[tuple[str, str, int]]

INDEX, RAW = "index.db", "raw.db"
KNOWN_ROOTS = "roots.json"
FORGOTTEN = "forgotten.jsonl"  # in the user's own home, for every index: see `source.forgotten`
OTHERS = "roots"  # below the user's home: indexes of roots that are not the user's own


class KnownRoot(NamedTuple):
    """A root that an index already contains: its path there, and the prefix of its projects."""

    path: str
    prefix: str


class RootPlace(NamedTuple):
    """The fields of `Root`, in order, without the model."""

    number: int
    path: str
    prefix: str  # of a given place: what it has to begin with
    projects: str
    only: str | None
    tombstones: str = ""  # the log of its forgotten sessions

    @property
    def is_loose(self) -> bool:
        """Whether it was created for a file outside every root."""
        return self.number == 0


class Scope(NamedTuple):
    """Some roots, and the directory of their index and archive."""

    places: list[RootPlace]
    home: str

    @property
    def roots(self) -> "list[Root]":
        """The same as `Root`s."""
        from unspool.model.files import Root  # noqa: PLC0415 - `unspool cost` does not need the model

        return [Root(*place) for place in self.places]


def find_scope(
    explicit: Sequence[str], env: Mapping[str, str], user_home: str, unspool_home: str
) -> Scope:
    """Which directories to read, and where their index is.

    The user's own roots share one index. Any other set of roots gets its own, so that reading a
    copy or a backup changes nothing for the user.
    """
    own_home = os.path.abspath(unspool_home)
    scope = _find_scope(explicit, env, user_home, own_home)
    log = os.path.join(own_home, FORGOTTEN)
    return Scope([place._replace(tombstones=log) for place in scope.places], scope.home)


def _find_scope(
    explicit: Sequence[str], env: Mapping[str, str], user_home: str, own_home: str
) -> Scope:
    known = known_roots(own_home)
    own = _named(_own(env, user_home), known)
    if not explicit:
        return _scope(own, own_home)
    given = _once(_explicit(path, user_home) for path in explicit)
    known += [KnownRoot(place.path, place.prefix) for place in own]
    if all(_is_known(place, known) for place in given):
        return _scope(_named(given, known), own_home)
    home = _home_of(own_home, given)
    return _scope(_named(given, known_roots(home)), home)


def own_scope(
    explicit: Sequence[str],
    env: Mapping[str, str],
    user_home: str,
    archived: "Callable[[str], Archived]",
) -> Scope:
    """The same in unspool's home; `archived` lists the roots of an old archive."""
    home = unspool_home(env, user_home)
    if not known_roots(home) and os.path.exists(os.path.join(home, RAW)):
        # A home of 0.1.0 has no prefixes, or the file with them is damaged.
        own = [root.path for root in find_roots((), env, user_home)]
        with suppress(OSError):  # not writable: it is computed again next time
            remember(home, adopted(archived(home), own))
    return find_scope(explicit, env, user_home, home)


def unspool_home(env: Mapping[str, str], user_home: str) -> str:
    """Where unspool keeps its own files."""
    named = env.get("UNSPOOL_HOME")
    if named:
        return named
    if sys.platform != "linux":
        from platformdirs import user_data_dir  # noqa: PLC0415 - not needed on Linux

        return user_data_dir("unspool", appauthor=False)
    data = env.get("XDG_DATA_HOME", "")
    return os.path.join(data if data.strip() else f"{user_home}/.local/share", "unspool")


def find_roots(
    explicit: "Sequence[PathLike[str] | str]",
    env: Mapping[str, str],
    user_home: "PathLike[str] | str",
) -> "list[Root]":
    """The directories to read, for a caller without an index."""
    home = os.fspath(user_home)
    given = [_explicit(os.fspath(path), home) for path in explicit] or _own(env, home)
    return _scope(_named(_once(given), []), "").roots


def known_roots(home: str) -> list[KnownRoot]:
    """The roots that the index of a home contains."""
    path = os.path.join(home, KNOWN_ROOTS)
    if not os.path.exists(path):
        return []
    import json  # noqa: PLC0415 - often there is nothing to read

    from unspool.json_depth import shallow  # noqa: PLC0415

    try:
        with open(path, encoding="utf-8") as file:
            found = json.loads(shallow(file.read()))
        return [KnownRoot(one["path"], one["prefix"]) for one in found["roots"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # damaged: it is rebuilt from the archive


def remember(home: str, roots: "Iterable[KnownRoot | RootPlace | Root]") -> None:
    """Save paths and prefixes of the roots of an index; the file's time shows it is in use."""
    known = known_roots(home)
    named = (KnownRoot(root.path, root.prefix) for root in roots)
    every = list(dict.fromkeys([*known, *named]))
    path = os.path.join(home, KNOWN_ROOTS)
    if every == known:
        os.utime(path)
        return
    import json  # noqa: PLC0415

    made = json.dumps({"roots": [one._asdict() for one in every]}, indent=2)
    write_private(path, [made.encode()])


def remote_root(machine: str, path: str, number: int = 1) -> "Root":
    """A root of another machine; its projects are `laptop~<project>`, then `laptop~r2~<project>`.

    `path` is as that machine has it. A name of one letter would be a drive of Windows.
    """
    from unspool.model.files import Root  # noqa: PLC0415 - as in `Scope.roots`

    place = remote_path(machine, path)
    if not is_remote(place):
        raise ConfigError(f"{machine!r} cannot be the name of a machine.")
    second = "" if number == 1 else f"r{number}~"
    return Root(number, place, project_prefix(machine) + second, os.path.join(place, "projects"))


def absolute_root(given: str) -> str:
    """A `--root` as it is to be given to another process, wherever that one runs."""
    name, path = _labelled(given)
    path = _absolute(path, os.path.expanduser("~"))
    return f"{name}={path}" if name else path


def free_prefix(taken: Iterable[str], machine: str = "") -> str:
    """The prefix for one more root, of a machine that has a name or of this one."""
    used, number = set(taken), 1
    while (prefix := machine + ("" if number == 1 else f"r{number}~")) in used:
        number += 1
    return prefix


def adopted(archived: Iterable[tuple[str, str, int]], own: Sequence[str]) -> list[KnownRoot]:
    """A prefix for each root of an archive; `archived` has root, old prefix, number of files.

    Version 0.1.0 stored no prefixes, and gave that of the first root to each root that was read
    alone. The user's own roots choose first.
    """
    counts, prefixes = dict[str, int](), dict[str, str]()
    for root, prefix, count in sorted(archived, key=lambda row: row[2]):
        counts[root] = counts.get(root, 0) + count
        prefixes[root] = prefix  # the commonest comes last
    known: list[KnownRoot] = []
    for root in sorted(counts, key=lambda root: (root not in own, -counts[root], root)):
        taken = [one.prefix for one in known]
        prefix = free_prefix(taken) if prefixes[root] in taken else prefixes[root]
        known.append(KnownRoot(root, prefix))
    return known


def _scope(places: list[RootPlace], home: str) -> Scope:
    for place in places:
        allowed_roots.add(place.path, place.projects, place.only)
    return Scope(places, home)


def _named(found: list[RootPlace], known: list[KnownRoot]) -> list[RootPlace]:
    """The places with the paths and prefixes they have in an index."""
    known, places = list(known), list[RootPlace]()
    for index, place in enumerate(found, 1):
        root = _find(place.path, known)
        if root is None:
            prefix = free_prefix((one.prefix for one in known), place.prefix)
            root = KnownRoot(place.path, prefix)
            known.append(root)
        inside = place.projects == place.path or place.projects.startswith(place.path + os.sep)
        projects = root.path + place.projects[len(place.path) :] if inside else place.projects
        places.append(RootPlace(index, root.path, root.prefix, projects, place.only))
    return places


def _find(path: str, known: list[KnownRoot]) -> KnownRoot | None:
    """The known root that a path leads to."""
    for one in known:
        if one.path == path:
            return one
    return next((one for one in known if same_directory(one.path, path)), None)


def _is_known(place: RootPlace, known: list[KnownRoot]) -> bool:
    """Whether an index has this root, as one of the machine that it is said to be of."""
    root = _find(place.path, known)
    return root is not None and root.prefix.startswith(place.prefix)


def same_directory(path: str, other: str) -> bool:
    """Whether two paths lead to one directory."""
    return path == other or _identity(path) == _identity(other)


def _identity(path: str) -> object:
    """What two paths of one directory share, links and bind mounts included."""
    try:
        info = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return info.st_dev, info.st_ino


def _home_of(own_home: str, given: list[RootPlace]) -> str:
    """The home of the index of some other roots."""
    named = "\0".join(place.prefix + os.path.realpath(place.path) for place in given)
    name = zlib.crc32(named.encode("utf-8", "surrogateescape"))
    return os.path.join(own_home, OTHERS, f"{name:08x}")


def _own(env: Mapping[str, str], user_home: str) -> list[RootPlace]:
    """The roots Claude Code itself would use."""
    for variable in ("CLAUDE_CONFIG_DIR", "CLAUDE_ROOT"):
        if named := [part.strip() for part in env.get(variable, "").split(",") if part.strip()]:
            return _once(_whole(_absolute(part, user_home)) for part in named)
    xdg = os.path.join(user_home, ".config", "claude")
    usual = [os.path.join(user_home, ".claude"), *([xdg] if os.path.isdir(xdg) else [])]
    return _once(_whole(path) for path in usual)


def _absolute(path: str, user_home: str) -> str:
    if path == "~" or path.startswith(("~/", f"~{os.sep}")):
        path = user_home + path[1:]
    return os.path.abspath(path)


def _once(found: Iterable[RootPlace]) -> list[RootPlace]:
    """Each directory once; a whole root makes its parts needless."""
    once = {(_identity(place.projects), place.only): place for place in found}
    return [
        place for (same, only), place in once.items() if only is None or (same, None) not in once
    ]


def _whole(path: str) -> RootPlace:
    return RootPlace(0, path, "", os.path.join(path, "projects"), None)


def _labelled(given: str) -> tuple[str, str]:
    """Machine and directory of `NAME=DIR`; a directory may itself be called so."""
    name, sign, path = given.partition("=")
    is_label = sign and os.sep not in name and not os.path.isdir(given)
    return (name, path) if is_label else ("", given)


def _explicit(given: str, user_home: str) -> RootPlace:
    """Accept a Claude Code directory, its `projects`, or one project directory.

    With `NAME=` before it, its sessions are those of another machine.
    """
    name, path = _labelled(given)
    if name and not re.fullmatch(MACHINE_NAME, name):
        raise UsageError(
            f"{name!r} cannot be the name of a machine: use 2 to 40 lowercase letters, "
            "digits and hyphens."
        )
    place = _given(path, user_home)
    return place._replace(prefix=project_prefix(name)) if name else place


def _given(given: str, user_home: str) -> RootPlace:
    path = _absolute(given, user_home)
    above, name = os.path.split(path)
    if not os.path.isdir(path):
        raise NotFound(f"No directory at {path}. Name a Claude Code directory, such as ~/.claude.")
    if os.path.isdir(os.path.join(path, "projects")):
        return _whole(path)
    if name == "projects":
        return _whole(above)
    if os.path.basename(above) == "projects":
        return RootPlace(0, os.path.dirname(above), "", above, name)
    names = _names(path)
    if _has_transcript(names):
        return RootPlace(0, path, "", above, name)
    if any(_has_transcript(_names(os.path.join(path, one))) for one in names):
        return RootPlace(0, path, "", path, None)
    return _whole(path)


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _has_transcript(names: Iterable[str]) -> bool:
    return any(name.endswith(".jsonl") and name != "history.jsonl" for name in names)
