"""Lines and documents -> standard output, plain wherever it goes."""

import os
import sys
from collections.abc import Iterable
from typing import Any


def width() -> int | None:
    """Columns of the terminal; a pipe has none."""
    if not sys.stdout.isatty():
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def write(lines: Iterable[str]) -> None:
    """Print lines."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def write_json(document: dict[str, Any]) -> None:
    """Print a document."""
    import json

    print(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
