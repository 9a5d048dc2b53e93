"""A transcript -> one of the same shape that says nothing: for showing to strangers."""

from unspool.redact.anonymous.anonymiser import Anonymiser

__all__ = ["Anonymiser"]
