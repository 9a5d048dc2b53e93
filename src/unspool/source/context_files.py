"""The lengths of the files that Claude Code puts into its context; never their text.

A length is counted in UTF-16 code units, as the estimate of tokens is.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from unspool.source.safe_open import read_whole
from unspool.source.session_files import is_slug_of, project_slug

_LONGEST = 4 * 1024 * 1024
_MEMORY_LINES = 200
_IMPORT_DEPTH = 5
_CODE = re.compile(r"^\s*(```|~~~).*?^\s*\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"(?:^|\s)@(\S+)")
_SECRET = re.compile(
    r"""(?:^|/)(?:
        \.ssh | \.aws | \.azure | \.config/gcloud | \.docker/config\.json | \.kube/config
        | \.env(?:\.[^/]*)? | \.git-credentials | \.gitconfig | \.npmrc
        | \.(?:password|secret)[^/]* | id_(?:rsa|ed25519|ecdsa) | [^/]*\.(?:pem|key)
        | etc/(?:passwd|shadow) | \.?credentials\.json | (?:secrets|tokens)\.json
    )(?:/|$)""",
    re.VERBOSE | re.IGNORECASE,
)


class ContextFiles:
    """The files a session in `cwd` carries along, as they lie on disk now."""

    def __init__(
        self, cwd: Path, claude_root: Path, enterprise_path: Path, home: Path | None = None
    ) -> None:
        # What a transcript calls its directory may be no path at all: then it lies nowhere.
        self._cwd = Path(os.path.abspath(os.path.join("/\ufffd", _speakable(cwd))))
        self._claude = Path(os.path.abspath(claude_root))
        self._enterprise = enterprise_path
        self._home = home

    def __eq__(self, other: object) -> bool:
        """Whether both look at the same files; these may have changed in between."""
        return isinstance(other, ContextFiles) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self._cwd, self._claude, self._enterprise, self._home))

    def global_files(self) -> dict[str, int]:
        """Length of each of the eight sources every session starts with; 0 when it is missing."""
        sources = self._sources()
        seen = {os.path.realpath(path) for paths in sources.values() for path in paths}
        lengths = {key: self._joined(paths, seen) for key, paths in sources.items()}
        enterprise = self._with_imports(self._enterprise, seen)
        return {"enterprise": enterprise, **lengths, "auto-memory": self._memory()}

    def directory_files(self, path: str) -> dict[str, int]:
        """CLAUDE.md files from a file's directory up to the project's, the project's left out."""
        lengths = {}
        for directory in self._directories(path):
            file = directory / "CLAUDE.md"
            if file not in self._at_the_top() and (length := self._joined([file], set())):
                lengths[str(file)] = length
        return lengths

    def mentioned(self, path: str) -> int | None:
        """Length of an @-mentioned file; None if it is missing or not ours to read."""
        real = self.allowed(path, self._cwd)
        text = _text(real) if real else None
        return None if text is None else _length(text)

    def allowed(self, path: str, directory: Path) -> Path | None:
        """Where a path leads, if that is inside the project or Claude's root and no secret."""
        if path.startswith("~/") and self._home:
            path = str(self._home / path[2:])
        try:
            named = os.path.abspath(directory / path)
            real = os.path.realpath(named)
        except ValueError:
            return None
        homes = map(os.path.realpath, (self._cwd, self._claude))
        inside = any(Path(real).is_relative_to(directory) for directory in homes)
        secret = _SECRET.search(named) or _SECRET.search(real)
        return Path(real) if inside and not secret else None

    def _at_the_top(self) -> tuple[Path, Path, Path]:
        top = self._cwd
        return top / "CLAUDE.md", top / ".claude" / "CLAUDE.md", top / "CLAUDE.local.md"

    def _sources(self) -> dict[str, list[Path]]:
        project, alternative, local = self._at_the_top()
        return {
            "user": [self._claude / "CLAUDE.md"],
            "project": [project],
            "project-alt": [alternative],
            "project-rules": sorted(_markdown(self._cwd / ".claude" / "rules")),
            "project-local": [local],
            "user-rules": sorted(_markdown(self._claude / "rules")),
        }

    def _directories(self, path: str) -> Iterator[Path]:
        directory = Path(os.path.abspath(self._cwd / path)).parent
        while directory.is_relative_to(self._cwd):
            yield directory
            directory = directory.parent

    def _joined(self, paths: list[Path], seen: set[str]) -> int:
        """Length of files set below each other, a newline between two."""
        ours = [real for path in paths if (real := self.allowed(str(path), self._cwd))]
        lengths = [length for real in ours if (length := self._with_imports(real, seen))]
        return sum(lengths) + max(len(lengths) - 1, 0)

    def _with_imports(self, file: Path, seen: set[str], depth: int = 0) -> int:
        text = _text(file)
        seen.add(str(file))
        if text is None:
            return 0
        length = _length(text)
        for name in _IMPORT.findall(_CODE.sub("", text)) if depth < _IMPORT_DEPTH else ():
            real = self.allowed(name, file.parent)
            if real and str(real) not in seen:
                length += self._with_imports(real, seen, depth + 1)
        return length

    def _memory(self) -> int:
        projects = self._claude / "projects"
        cwd = str(self._cwd)
        name = project_slug(cwd)
        if not (projects / name).is_dir():
            name = next((other for other in _names(projects) if is_slug_of(other, cwd)), name)
        real = self.allowed(str(projects / name / "memory" / "MEMORY.md"), self._cwd)
        text = _text(real) if real else None
        return _length("\n".join((text or "").split("\n")[:_MEMORY_LINES]))


def _markdown(directory: Path) -> Iterator[Path]:
    for place, _, names in os.walk(directory):
        yield from (Path(place, name) for name in names if name.endswith(".md"))


def _names(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def _speakable(path: Path) -> str:
    return str(path).replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _text(path: Path) -> str | None:
    data = read_whole(path, _LONGEST)
    return None if data is None else data.decode("utf-8", "replace")


def _length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
