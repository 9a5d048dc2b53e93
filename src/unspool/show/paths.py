"""Paths of the machine a session ran on, which may be another than ours: POSIX or Windows."""

import re
from typing import Final

_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def file_name(path: str) -> str:
    """The last part of a path; a backslash separates only in one of Windows."""
    separators = "/\\" if _WINDOWS.match(path) else "/"
    return re.split(f"[{re.escape(separators)}]", path.rstrip(separators))[-1]


def below(path: str, directory: str) -> str:
    """A path as seen from a directory above it; unchanged elsewhere."""
    for separator in "/\\":
        if directory and path.startswith(directory + separator):
            return path[len(directory) + 1 :]
    return path


def split_path(path: str) -> tuple[str, str]:
    """The folder with its separator, and the name; a relative path may be one of Windows too."""
    whole = path.rstrip("/\\")
    separators = "/\\" if _WINDOWS.match(path) or "/" not in whole else "/"
    at = max(whole.rfind(one) for one in separators) + 1
    return path[:at], path[at:]
