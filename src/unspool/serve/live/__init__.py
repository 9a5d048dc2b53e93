"""Live: events handed in, timelines, and one channel that tells all who listen what is new."""

from unspool.serve.live.live import Live

__all__ = ["Live"]
