"""Shapes of answers that are no part of the model: lists, and how the server is."""

from typing import Generic, Literal, TypeVar

from msgspec import Struct

Item = TypeVar("Item")


class Listed(Struct, Generic[Item], frozen=True, kw_only=True, rename="camel"):
    """Some items, and where the next ones begin."""

    items: tuple[Item, ...]
    next_cursor: str | None = None


class Health(Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether all is well, and what is not."""

    status: Literal["ok", "behind", "trouble"]
    version: str
    demo: bool = False  # whether the sessions are made up
    seq: int = 0
    sessions: int = 0
    lines: int = 0
    bad_lines: int = 0
    lag_files: int = 0
    lag_bytes: int = 0
    writer_pid: int | None = None  # None: nobody keeps the index up to date
    disk_free_bytes: int | None = None
    integrity: Literal["ok", "damaged", "unknown"] = "unknown"  # unknown: not looked at yet
    trouble: tuple[str, ...] = ()
