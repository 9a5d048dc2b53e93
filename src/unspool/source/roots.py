"""Options, environment and home, as given -> the Claude Code directories to read."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from unspool.errors import NotFound
from unspool.model.files import Root
from unspool.source.fence import OURS


def find_roots(explicit: Sequence[Path], env: Mapping[str, str], home: Path) -> list[Root]:
    """Say which directories to read, best wish first, each once."""
    if explicit:
        return _numbered(_wished(_absolute(path, home)) for path in explicit)
    for variable in ("CLAUDE_CONFIG_DIR", "CLAUDE_ROOT"):
        if named := [part.strip() for part in env.get(variable, "").split(",") if part.strip()]:
            return _numbered(_whole(_absolute(Path(part), home)) for part in named)
    xdg = home / ".config" / "claude"
    return _numbered(_whole(path) for path in [home / ".claude", *([xdg] if xdg.is_dir() else [])])


def _absolute(path: Path, home: Path) -> Path:
    if path.parts[:1] == ("~",):
        path = home.joinpath(*path.parts[1:])
    return Path(os.path.abspath(path))


def _numbered(found: Iterable[Root]) -> list[Root]:
    once = {(os.path.realpath(root.projects), root.only): root for root in found}
    kept = [root for (real, only), root in once.items() if only is None or (real, None) not in once]
    for root in kept:
        OURS.add(root.path, root.projects, root.only)
    return [
        Root(index, root.path, "" if index == 1 else f"r{index}~", root.projects, root.only)
        for index, root in enumerate(kept, 1)
    ]


def _whole(path: Path) -> Root:
    return Root(0, str(path), "", str(path / "projects"))


def _wished(path: Path) -> Root:
    """Take a Claude Code directory, its `projects`, or one project directory."""
    if not path.is_dir():
        raise NotFound(f"There is no directory at {path}. --root takes a Claude Code directory.")
    if (path / "projects").is_dir():
        return _whole(path)
    if path.name == "projects":
        return _whole(path.parent)
    if path.parent.name == "projects":
        above = path.parent
        return Root(0, str(above.parent), "", str(above), only=path.name)
    if _has_transcript(path, "*.jsonl"):
        return Root(0, str(path), "", str(path.parent), only=path.name)
    if _has_transcript(path, "*/*.jsonl"):
        return Root(0, str(path), "", str(path))
    return _whole(path)


def _has_transcript(directory: Path, pattern: str) -> bool:
    return any(path.name != "history.jsonl" for path in directory.glob(pattern))
