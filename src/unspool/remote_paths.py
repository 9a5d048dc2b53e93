"""Files of other machines: named as scp does, `laptop:/home/dev/.claude`, and never opened here.

A store that many machines share has their sessions, not their files. What stands at the same path
on this machine is somebody else's: `safe_open` and the walk refuse such names. Projects of another
machine have its name before theirs, `laptop~-home-dev-app`.
"""

import errno
import re
from typing import Final

# A drive of Windows has one letter, and the projects of a second root begin with `r2~`.
MACHINE_NAME: Final = r"(?!r[0-9]+(?![a-z0-9-]))[a-z0-9][a-z0-9-]{1,39}"
_MACHINE = re.compile(r"([^/\\:]{2,}):")
_PREFIX = re.compile(f"({MACHINE_NAME})~")


def is_remote(path: str) -> bool:
    """Whether a path is one of another machine. No disk access."""
    return _MACHINE.match(path) is not None


def remote_path(machine: str, path: str) -> str:
    """The path of a file of a machine."""
    return f"{machine}:{path}"


def project_prefix(machine: str) -> str:
    """What precedes the ids of a machine's projects."""
    return f"{machine}~"


def machine_in(project_id: str) -> str:
    """The machine that a project's id, or a root's prefix, begins with; "" is this one."""
    found = _PREFIX.match(project_id)
    return found[1] if found else ""


def machine_of(path: str) -> str:
    """The machine a path is of; "" is this one."""
    found = _MACHINE.match(path)
    return found[1] if found else ""


def path_there(path: str) -> str:
    """A path as its own machine has it."""
    return path.removeprefix(f"{machine_of(path)}:")


def refuse_remote(path: str) -> None:
    """FileNotFoundError for a path of another machine, before anything is looked at."""
    if is_remote(path):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
