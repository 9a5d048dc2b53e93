"""A file and its project root -> the directories whose CLAUDE.md the file brings along."""

import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_SEPARATORS = re.compile(r"[\\/]+")


def directories(path: str, root: str) -> list[str]:
    """Directories from the file's own up to, not including, the root; none when outside it."""
    if not root:
        return []
    windows = bool(_DRIVE.match(root))
    separator = "\\" if windows and "\\" in root + path else "/"
    base = root.rstrip("\\/" if windows else "/")
    inside = _below(_parts(path, windows), _parts(base, windows), _is_absolute(path, windows))
    folders = inside[:-1] if inside else []
    return [separator.join([base, *folders[:depth]]) for depth in range(len(folders), 0, -1)]


def _is_absolute(path: str, windows: bool) -> bool:
    return path.startswith(("/", "~")) or (windows and bool(_DRIVE.match(path)))


def _parts(path: str, windows: bool) -> list[str]:
    """The names of a path, `.` and `..` resolved; a leading `..` stays, to be seen outside."""
    names: list[str] = []
    for name in _SEPARATORS.split(path) if windows else path.split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    # Drive letters come in both cases; Windows means the same drive by them.
    return [names[0].upper(), *names[1:]] if windows and names and names[0][1:] == ":" else names


def _below(names: list[str], root: list[str], absolute: bool) -> list[str]:
    if not absolute:
        return [] if names[:1] == [".."] else names
    return names[len(root) :] if names[: len(root)] == root else []
