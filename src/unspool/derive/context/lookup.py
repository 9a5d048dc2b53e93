"""What derive asks about files on disk: how long they are, never what they say."""

from collections.abc import Mapping
from typing import Protocol


class FileSizes(Protocol):
    """Lengths in characters of the files a session's context was filled from."""

    def global_files(self) -> Mapping[str, int]:
        """Files every phase starts with, by where they come from: user, project, …"""
        ...

    def directory_files(self, path: str) -> Mapping[str, int]:
        """CLAUDE.md files, by absolute path, that reading this file brings along."""
        ...

    def mentioned(self, path: str) -> int | None:
        """Length of an @-mentioned file; None where it is missing or not ours to read."""
        ...
