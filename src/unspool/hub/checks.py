"""A shipment -> what is wrong with it, whatever the hub has: a machine may send anything."""

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Final

import zstandard

from unspool.model.rows import Batch, Segment
from unspool.model.shipping import MODES, Envelope, Shipment, ShipMode, ShippedOutput, ShippedPiece
from unspool.store.pack import unpacked

_LARGEST: Final = 2**63 - 1
_MARK: Final = 8
MOST_RAW: Final = 16 * 1024 * 1024


def is_fuller(mode: str, takes: ShipMode | None) -> bool:
    """Whether a mode sends more than a hub takes; one that is not known may send anything."""
    return takes not in (None, "raw") and mode not in MODES[: MODES.index(takes) + 1]


def unpacked_bytes(envelope: Envelope) -> int:
    """How many raw bytes all pieces say that they have; none is unpacked that has more."""
    sent = (one.pieces for one in envelope.shipments)
    every = chain(*sent, *(one.pieces for one in envelope.outputs))
    return sum(max(0, piece.ends - piece.begins) for piece in every)


def wrong_shipment(shipment: Shipment) -> str:
    """A sentence, or "" where nothing is wrong."""
    return next(_faults(shipment), "")


def wrong_output(part: ShippedOutput) -> str:
    """The same of a part of a long tool output."""
    file, ends = part.file, part.begins
    if not all(0 <= one <= _LARGEST for one in (file.size, file.mtime_ns)):
        return "An output has no size or no time."
    for one in part.pieces:
        if one.begins != ends:
            return "Bytes of an output are not in order."
        ends = one.ends
    if not all(map(_is_whole, part.pieces)):
        return "Bytes of an output are damaged."
    return ""


def _faults(shipment: Shipment) -> Iterator[str]:
    batch = shipment.batch
    source = batch.source
    places = source.source_id, source.generation, batch.begins, source.offset
    if not all(0 <= place <= _LARGEST for place in places) or source.offset < batch.begins:
        yield "A batch ends before it begins, or its source has no number."
    if batch.is_provisional and source.offset != batch.begins:
        yield "An unfinished line must not move a checkpoint."
    if any(len(mark) > _MARK for mark in (shipment.before, shipment.after)):
        yield "A mark is too long."
    if not _rows_fit(batch):
        yield "A row belongs to a line before its batch."
    if batch.state:
        yield "A batch must not contain the state of a fold."
    yield from _piece_faults(batch, shipment.pieces)


def _rows_fit(batch: Batch) -> bool:
    places = [row.offset for row in batch.lines] + [row.offset for row in batch.bad]
    return all(batch.begins <= place <= _LARGEST for place in places)


def _piece_faults(batch: Batch, pieces: list[ShippedPiece]) -> Iterator[str]:
    if any(one.begins < batch.begins for one in pieces):
        yield "Raw bytes begin before their batch."
    if any(one.ends > next.begins for one, next in pairwise(pieces)):
        yield "Raw bytes are not in order."
    if not all(map(_is_whole, pieces)):
        yield "Raw bytes are damaged."


def _is_whole(piece: ShippedPiece) -> bool:
    """Asked before anything is unpacked: a short frame may say that it is very long."""
    try:
        size = zstandard.frame_content_size(piece.packed)
    except zstandard.ZstdError:
        return False
    if size != piece.ends - piece.begins or size <= 0:
        return False
    segment = Segment(0, 0, piece.begins, piece.ends, piece.checksum, piece.packed)
    return unpacked(segment) is not None
