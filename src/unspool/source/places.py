"""Options, environment and home -> the directories to look through, as `find_roots` finds them.

For a report that loads no model: one plain directory is found here, all else is asked there.
"""

import os
from collections.abc import Mapping, Sequence

from unspool.source.fence import OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Place: TypeAlias = tuple[int, str, str, str, str | None]  # in the order of `Root`


def places(explicit: Sequence[str], env: Mapping[str, str], home: str) -> "list[Place]":
    """Say which directories to look through, each once."""
    plain = _one(explicit, env, home)
    if plain is not None:
        projects = os.path.join(plain, "projects")
        OURS.add(plain, projects)
        return [(1, plain, "", projects, None)]
    from pathlib import Path  # noqa: PLC0415 - and with it the model

    from unspool.source.roots import find_roots  # noqa: PLC0415

    found = find_roots([Path(path) for path in explicit], env, Path(home))
    return [(root.index, root.path, root.prefix, root.projects, root.only) for root in found]


def _one(explicit: Sequence[str], env: Mapping[str, str], home: str) -> str | None:
    """The only directory, where there is one and its projects are in it."""
    said = [env[name] for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_ROOT") if env.get(name)]
    if explicit:
        said = list(explicit)
    elif not said and not os.path.isdir(os.path.join(home, ".config", "claude")):
        said = [os.path.join(home, ".claude")]
    if len(said) != 1 or said[0] != said[0].strip(" ~,") or "," in said[0]:
        return None
    path = os.path.abspath(said[0])
    return path if os.path.isdir(os.path.join(path, "projects")) else None
