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
        self, sizes: FileSizes, recorded: Set[str], recorded_files: Set[str] = frozenset()
    ) -> None:
        self._sizes = sizes
        self._counts_memory = "claude_md" not in recorded
        self._counts_mentions = "mentioned_files" not in recorded
        self._counted = set(recorded_files)
        self._reads: set[str] = set()
        self._has_globals = False

    def take_tokens(self, reads: Iterable[str], mentions: Iterable[str]) -> tuple[int, int]:
        """Tokens of the CLAUDE.md files and of the @-files that a turn is the first to add."""
        paths = {path.removeprefix("./"): None for path in mentions}
        sizes = {path: self._sizes.mentioned(path) for path in paths}
        existing = {path: chars for path, chars in sizes.items() if chars is not None}
        memory = self._memory((*reads, *existing)) if self._counts_memory else 0
        short = {
            path: chars
            for path, chars in existing.items()
            if estimate_tokens(chars) <= LARGEST_MENTION
        }
        return memory, self._count(short) if self._counts_mentions else 0

    def _memory(self, paths: Iterable[str]) -> int:
        total = 0
        if not self._has_globals:
            total = sum(map(estimate_tokens, self._sizes.global_files().values()))
        self._has_globals = True
        for path in paths:
            if path not in self._reads:
                self._reads.add(path)
                total += self._count(self._sizes.directory_files(path))
        return total

    def _count(self, files: Mapping[str, int]) -> int:
        new = {path: chars for path, chars in files.items() if path not in self._counted}
        self._counted.update(new)
        return sum(map(estimate_tokens, new.values()))


def estimate_tokens(chars: int) -> int:
    """A quarter of the characters, rounded up."""
    return -(-max(chars, 0) // 4)
