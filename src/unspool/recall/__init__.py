"""The way back: bytes -> one session, read again through decode and derive, and kept."""

from unspool.recall.recall import Recall
from unspool.recall.session import Session

__all__ = ["Recall", "Session"]
