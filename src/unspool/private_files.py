"""Directories of our own: only their owner may read them, whatever the umask says."""

import os


def private_directory(path: str | os.PathLike[str]) -> None:
    """Create a directory, and those above it that are missing; existing ones keep their modes."""
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        above = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(above):
            raise  # a file system without directories of ours, as /proc
        private_directory(above)
        private_directory(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
