"""What every store does alike: which batch is due, and whose word on a session counts."""

from unspool.errors import StoreError
from unspool.model.rows import Batch, SessionRow

# A transcript knows more of its session than a hook, a hook more than the registry.
_ORIGINS = {"transcript": 2, "hook": 1}


def is_due(batch: Batch, newest: int | None, checkpoint: int | None) -> bool:
    """Whether to take a batch, given the newest generation and the checkpoint of its own.

    False: it has been taken. StoreError: something before it is missing, or it is out of date.
    """
    source, expected = batch.source, checkpoint or 0
    current = newest is None or source.generation >= newest
    if current and batch.begins == expected and source.offset >= expected:
        return True
    if checkpoint is not None and source.offset <= checkpoint:
        return False
    raise StoreError(
        f"{source.path}, generation {source.generation}: bytes {batch.begins} to {source.offset}"
        f" do not follow on {expected} of generation {newest or 0}; read the file again from there"
    )


def knows_better(row: SessionRow, origin: str) -> bool:
    """Whether a session row may replace one of this origin."""
    return _ORIGINS.get(row.origin, 0) >= _ORIGINS.get(origin, 0)
