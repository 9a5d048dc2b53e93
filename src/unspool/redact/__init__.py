"""Text -> text without secrets: each is found by our own rules and replaced by a placeholder."""

from typing import TYPE_CHECKING

from unspool.redact.find import redact

if TYPE_CHECKING:
    from unspool.redact.redactor import Redactor

__all__ = ["Redactor", "redact"]


def __getattr__(name: str) -> object:
    """Load the redactor, which reads JSON, on first use: `unspool cost` only cleans a few names."""
    if name == "Redactor":
        from unspool.redact.redactor import Redactor  # noqa: PLC0415

        return Redactor
    raise AttributeError(f"module 'unspool.redact' has no attribute {name!r}")
