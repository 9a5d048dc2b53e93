"""Text -> text, secrets out: every kind by rules of our own, each replaced by a mark."""

from unspool.redact.redactor import Redactor, redact

__all__ = ["Redactor", "redact"]
