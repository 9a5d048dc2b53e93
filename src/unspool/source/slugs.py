"""Working directory -> the name Claude Code gives its directory under `projects/`."""

import os
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from unspool.source.claude_code import is_name

if TYPE_CHECKING:
    from unspool.source.claude_code import RootLike

_FOLDER = re.compile(r"([^/\\]+)[/\\][^/\\]+\.jsonl$")
_LONGEST = 200
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def slug(cwd: str) -> str:
    """Name the project directory of a working directory. There is no way back."""
    units = _utf16_units(unicodedata.normalize("NFC", cwd))
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{_base36(abs(_hash31(units)))}"


def project_folder(transcript: str) -> str:
    """The project of a transcript: the directory it lies in; "" where that names none."""
    found = _FOLDER.search(transcript)
    return found[1] if found and is_name(found[1]) else ""


def project_of(transcript: str, cwd: str, roots: "Iterable[RootLike]") -> str | None:
    """The project of a session, by what a hook says of it; None where it is none of these roots."""
    name = project_folder(transcript) or slug(cwd or "/")
    for root in roots:
        is_ours = not transcript or transcript.startswith(root.projects + os.sep)
        if is_ours and root.only in (None, name):
            return root.prefix + name
    return None


def matches(name: str, cwd: str) -> bool:
    """Whether a project directory's name can be this working directory's."""
    ours = slug(cwd)
    if len(ours) <= _LONGEST:
        return name == ours
    # Builds of the CLI disagree about the hash behind a long name, never about what it follows.
    return name.startswith(ours[: _LONGEST + 1])


def _utf16_units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]


def _hash31(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
