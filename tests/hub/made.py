"""Envelopes as a machine would send them."""

from hashlib import blake2b

from unspool.model.rows import Batch
from unspool.model.shipping import PROTOCOL, Envelope, Shipment, ShippedPiece
from unspool.store.pack import packed


def envelope(*shipments: Shipment) -> Envelope:
    return Envelope(v=PROTOCOL, sent_at=0, mode="raw", shipments=list(shipments))


def shipment(batch: Batch, data: bytes = b"", **fields: object) -> Shipment:
    """The batch with its raw bytes, which are `data` or made up."""
    size = batch.source.offset - batch.begins
    raw = data or b"x" * size
    made = packed(0, 0, batch.begins, raw)
    pieces = [ShippedPiece(batch.begins, made.end, made.checksum, made.packed)] if raw else []
    marks = {"before": mark_at(batch.begins), "after": mark_at(batch.source.offset)}
    return Shipment(batch=batch, pieces=pieces, **{**marks, **fields})  # type: ignore[arg-type]


def mark_at(offset: int, past: str = "") -> bytes:
    """The mark of made-up bytes before an offset."""
    return blake2b(f"{past}{offset}".encode(), digest_size=8).digest() if offset else b""
