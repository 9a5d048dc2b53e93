"""Reads and mentions of one phase -> the tokens of the files they brought, each file once."""

from collections.abc import Iterable, Mapping, Set

from unspool.derive.context.lookup import FileSizes

LARGEST_MENTION = 25_000  # tokens; a longer file is not injected at all


class PhaseFiles:
    """Sizes come from disk, but not for a category or a file that the transcript recorded."""

    def __init__(
        self, sizes: FileSizes, recorded: Set[str], recorded_files: Set[str] = frozenset()
    ) -> None:
        self._sizes = sizes
        self._weighs_memory = "claude_md" not in recorded
        self._weighs_mentions = "mentioned_files" not in recorded
        self._seen = set(recorded_files)
        self._reads: set[str] = set()
        self._begun = False

    def brought(self, reads: Iterable[str], mentions: Iterable[str]) -> tuple[int, int]:
        """Tokens of the CLAUDE.md files and of the @-files a turn is the first to bring."""
        named = {path.removeprefix("./"): None for path in mentions}
        sizes = {path: self._sizes.mentioned(path) for path in named}
        real = {path: chars for path, chars in sizes.items() if chars is not None}
        memory = self._memory((*reads, *real)) if self._weighs_memory else 0
        short = {path: n for path, n in real.items() if tokens(n) <= LARGEST_MENTION}
        return memory, self._weigh(short) if self._weighs_mentions else 0

    def _memory(self, paths: Iterable[str]) -> int:
        found = 0 if self._begun else sum(map(tokens, self._sizes.global_files().values()))
        self._begun = True
        for path in paths:
            if path not in self._reads:
                self._reads.add(path)
                found += self._weigh(self._sizes.directory_files(path))
        return found

    def _weigh(self, files: Mapping[str, int]) -> int:
        fresh = {path: chars for path, chars in files.items() if path not in self._seen}
        self._seen.update(fresh)
        return sum(map(tokens, fresh.values()))


def tokens(chars: int) -> int:
    """Estimate of a text of so many characters."""
    return -(-max(chars, 0) // 4)
