"""Text -> text, secrets out: every kind by rules of our own, each replaced by a mark."""

from typing import TYPE_CHECKING

from unspool.redact.find import redact

if TYPE_CHECKING:
    from unspool.redact.redactor import Redactor

__all__ = ["Redactor", "redact"]


def __getattr__(name: str) -> object:
    """Load what reads JSON when it is first asked for: `unspool cost` cleans a few names only."""
    if name == "Redactor":
        from unspool.redact.redactor import Redactor  # noqa: PLC0415

        return Redactor
    raise AttributeError(f"module 'unspool.redact' has no attribute {name!r}")
