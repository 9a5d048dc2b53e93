"""Files that a phase reads and mentions -> the tokens they add, each file once.

Only the lengths of files are needed, never their text.
"""

from collections.abc import Iterable, Mapping, Set
from typing import Protocol

LARGEST_MENTION = 25_000  # tokens; a longer file is not injected at all


class FileSizes(Protocol):
    """Lengths in characters of the files that a session's context was filled from."""

    def global_files(self) -> Mapping[str, int]:
        """Files every phase starts with, by where they come from: user, project, …"""
        ...

    def directory_files(self, path: str) -> Mapping[str, int]:
        """CLAUDE.md files, by absolute path, that Claude Code loads when it reads this file."""
        ...

    def mentioned(self, path: str) -> int | None:
        """Length of an @-mentioned file; None where it is missing or must not be read."""
        ...


class PhaseFiles:
    """Sizes come from disk, except for categories and files that the transcript has itself."""

    def __init__(
        self,
        sizes: FileSizes,
        recorded: Set[str] = frozenset(),
        recorded_files: Set[str] = frozenset(),
    ) -> None:
        self._sizes = sizes
        self._recorded = set(recorded)
        self._recorded_files = set(recorded_files)
        self._counted: set[str] = set()
        self._tokens = {"claude_md": 0, "mentioned_files": 0}
        self._turn: dict[str, tuple[str, int]] = {}  # files this turn added: category, tokens
        self._reads: set[str] = set()
        self._has_globals = False

    def begin_turn(self) -> None:
        """What is counted from now on belongs to the next turn."""
        self._turn.clear()

    def record(self, recorded: Set[str], recorded_files: Set[str]) -> dict[str, int] | None:
        """Note what the transcript has itself; the tokens to take back from this turn.

        None: an earlier turn counted some of it, so the phase has to be counted again.
        """
        if any(self._tokens.get(category) for category in recorded):
            return None
        if any(path in self._counted and path not in self._turn for path in recorded_files):
            return None
        self._recorded |= recorded
        self._recorded_files |= recorded_files
        self._counted -= recorded_files
        taken = dict.fromkeys(self._tokens, 0)
        for category, tokens in (self._turn.pop(path, ("", 0)) for path in recorded_files):
            if category:
                self._tokens[category] -= tokens
                taken[category] += tokens
        return taken

    def take_tokens(self, reads: Iterable[str], mentions: Iterable[str]) -> tuple[int, int]:
        """Tokens of the CLAUDE.md files and of the @-files that these paths are the first to add.

        The first turn of a phase adds the global files as well.
        """
        paths = {path.removeprefix("./"): None for path in mentions}
        sizes = {path: self._sizes.mentioned(path) for path in paths}
        existing = {path: chars for path, chars in sizes.items() if chars is not None}
        memory = mentioned = 0
        if "claude_md" not in self._recorded:
            memory = self._memory((*reads, *existing))
        if "mentioned_files" not in self._recorded:
            short = {
                path: chars
                for path, chars in existing.items()
                if estimate_tokens(chars) <= LARGEST_MENTION
            }
            mentioned = self._count("mentioned_files", short)
        return memory, mentioned

    def _memory(self, paths: Iterable[str]) -> int:
        total = 0
        if not self._has_globals:
            total = sum(map(estimate_tokens, self._sizes.global_files().values()))
            self._tokens["claude_md"] += total
        self._has_globals = True
        for path in paths:
            if path not in self._reads:
                self._reads.add(path)
                total += self._count("claude_md", self._sizes.directory_files(path))
        return total

    def _count(self, category: str, files: Mapping[str, int]) -> int:
        total = 0
        for path, chars in files.items():
            if path not in self._counted and path not in self._recorded_files:
                tokens = estimate_tokens(chars)
                self._counted.add(path)
                self._turn[path] = category, tokens
                self._tokens[category] += tokens
                total += tokens
        return total


def estimate_tokens(chars: int) -> int:
    """A quarter of the characters, rounded up."""
    return -(-max(chars, 0) // 4)
