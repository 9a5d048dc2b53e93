"""What `unspool doctor` has to say: findings about this machine, and what no version knew yet."""

from typing import Literal, TypeAlias

from msgspec import Struct

Grade: TypeAlias = Literal["ok", "note", "wrong"]
OddityKind: TypeAlias = Literal["type", "subtype", "block", "attachment", "field"]


class Finding(Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing looked at, how it stands, and the command that puts it right."""

    about: str
    grade: Grade = "ok"
    said: str
    fix: str = ""
    details: tuple[str, ...] = ()


class Oddity(Struct, frozen=True, kw_only=True, rename="camel"):
    """A name this version does not know, by the Claude Code version that wrote it."""

    version: str
    kind: OddityKind
    name: str
    count: int
    path: str  # where it stood first
    line: int
