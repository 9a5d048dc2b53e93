"""A working directory -> the repository it is a checkout of, read as plain text; git never runs.

A transcript can name any directory, and that directory can hold any `.git`. So files are small and
regular, links are not followed, and a `.git` file is believed only if the repository it names
points back at it.
"""

import os
import re
from collections.abc import Iterator
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from unspool.errors import UnspoolError
from unspool.source.safe_open import read_at, read_whole
from unspool.source.session_files import is_slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.source.files import Project

_POINTER = 4_096  # bytes of a file that holds one path
_CONFIG = 256 * 1024
_LONGEST = 1_000  # letters of a path or an address
_DEEPEST = 64
_HEAD = 64 * 1024
_FILES = 8
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')
_WORKTREE = re.compile(r"[/\\]\.claude[/\\]worktrees[/\\]")
_NAMED_WORKTREE = "--claude-worktrees-"
_SECTION = re.compile(r'\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_URL = re.compile(r"\s*url\s*=\s*(.*)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*)://(?:[^/@]*@)?(\[[^]]*\]|[^/:]+)(?::\d*)?/(.*)", re.I)
_SCP = re.compile(r"(?:[^/@:]+@)?([^/:@]{2,}):(?!//)(.*)")  # one letter is a drive


class Checkout(NamedTuple):
    """A project's working directory, and the same directory in the repository's main checkout."""

    path: str = ""  # "": nobody has told
    main: str = ""
    is_git: bool = False
    origin: str = ""  # host/path, or a path on this machine; "": none, or unknown


def by_path(path: str) -> Checkout:
    """What the path alone tells: `<repository>/.claude/worktrees/<name>` is the repository's."""
    found = _WORKTREE.search(path)
    return Checkout(path, path[: found.start()] if found else path)


def by_name(project: str) -> str:
    """The same for the name of a project directory: that of the repository's main checkout."""
    at = project.find(_NAMED_WORKTREE)
    return project[:at] if at > 0 else project


def read_checkout(path: str) -> Checkout:
    """What the disk says of a directory now; less of one that is gone or cannot be read."""
    known = by_path(path)
    if not os.path.isabs(known.main) or "\0" in path or len(path) > _LONGEST:
        return known
    for top in _above(known.main):
        git = os.path.join(top, ".git")
        mode = _mode(git)
        if S_ISDIR(mode):
            return _in_repository(known, top, top, git)
        if S_ISREG(mode):
            common = _common_dir(git)
            main = _main_checkout(common) if common else top
            return _in_repository(known, top, main, common)
    return known


def project_path(project: "Project") -> str:
    """The working directory a project is named after, as its transcripts tell it; "" if none."""
    for file in project.mains[:_FILES]:
        for cwd in _cwds(file.path):
            if is_slug_of(os.path.basename(project.path), cwd):
                return cwd
    return ""


def normal_origin(url: str) -> str:
    """One spelling for the ways to write an address, without user, password and port."""
    url = url.strip().strip('"')
    if len(url) > _LONGEST or not url.isprintable():
        return ""
    if url.lower().startswith("file://"):
        url = url[7:]
    if address := _ADDRESS.fullmatch(url) or _SCP.fullmatch(url):
        host, path = address[1].lower(), address[2].lower()
        path = path.strip("/").removesuffix(".git").rstrip("/")
        return f"{host}/{path}" if path else ""
    return _main_checkout(os.path.normpath(url)) if os.path.isabs(url) else ""


def _in_repository(known: Checkout, top: str, main: str, common: str) -> Checkout:
    """A checkout of a repository; a directory in it is that directory of the main checkout."""
    below = os.path.relpath(known.main, top)
    origin = _origin(common) if common else ""
    if below != os.curdir:
        main = os.path.join(main, below)
        origin = origin and f"{origin}/{below}"
    return Checkout(known.path, main, bool(common), origin)


def _above(path: str) -> Iterator[str]:
    """A directory, and those above it."""
    path = os.path.normpath(path)
    for _ in range(_DEEPEST):
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except (OSError, ValueError):
        return 0


def _common_dir(git: str) -> str:
    """The directory that worktrees share, by the `.git` file of one; "" where it is in doubt."""
    pointer = _line(git)
    if not pointer.startswith("gitdir:"):
        return ""
    own = os.path.normpath(os.path.join(os.path.dirname(git), pointer[7:].strip()))
    common = os.path.dirname(os.path.dirname(own))
    if os.path.basename(os.path.dirname(own)) != "worktrees":
        return ""  # a submodule is a repository of its own
    named = _line(os.path.join(own, "commondir"))
    back = _line(os.path.join(own, "gitdir"))
    is_its = os.path.normpath(os.path.join(own, named or ".")) == common
    points_back = os.path.realpath(os.path.join(own, back or ".")) == os.path.realpath(git)
    return common if is_its and points_back else ""


def _main_checkout(common: str) -> str:
    """The main checkout of a repository; of a bare one, where it would be."""
    above, name = os.path.split(common)
    if name.startswith("."):  # .git, .bare
        return above
    return os.path.join(above, name.removesuffix(".git") or name)


def _origin(common: str) -> str:
    """The address of the remote `origin`."""
    data = read_whole(os.path.join(common, "config"), _CONFIG)
    section, found = ("", ""), ""
    for line in (data or b"").decode("utf-8", "replace").splitlines():
        text = line.strip()
        if head := _SECTION.match(text):
            section = head[1].lower(), head[2] or ""
        elif section == ("remote", "origin") and (url := _URL.fullmatch(text)):
            found = url[1]
    return normal_origin(found)


def _line(path: str) -> str:
    """The one line of a small file; "" if there is no such file, or more in it."""
    text = (read_whole(path, _POINTER) or b"").decode("utf-8", "replace").strip()
    return text if text.isprintable() else ""


def _cwds(path: str) -> Iterator[str]:
    """Working directories that the beginning of a transcript names, as it is written."""
    import json  # noqa: PLC0415 - only needed for a new project

    try:
        head = read_at(path, 0, _HEAD)
    except UnspoolError:  # gone or closed since it was listed
        return
    for name in dict.fromkeys(_CWD.findall(head)):
        try:
            yield json.loads(name)
        except ValueError:
            continue
