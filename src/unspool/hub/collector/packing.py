"""Shipments -> bodies of requests: as large as the hub takes, and each shipment in some form."""

import secrets
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from unspool.hub.checks import MOST_RAW, unpacked_bytes
from unspool.hub.envelope import MOST_PACKED, MOST_UNPACKED, is_dense, sealed
from unspool.model.rows import BadLine, Batch
from unspool.model.shipping import (
    PROTOCOL,
    Envelope,
    MachineReport,
    Shipment,
    ShipMode,
    ShippedOutput,
    ShippedTombstone,
)
from unspool.store.cleaning import cleaned

REFUSED: Final = "refused by the hub"
_MOST_REFUSED: Final = 256 * 1024


class EnvelopeMaker:
    """Seals shipments of one machine."""

    def __init__(
        self, mode: ShipMode, rules: int, *, version: str = "", platform: str = ""
    ) -> None:
        self.mode, self._rules = mode, rules
        self._version, self._platform = version[:100], platform[:200]

    def body(
        self,
        shipments: Sequence[Shipment],
        now: int,
        report: MachineReport,
        forgotten: Sequence[ShippedTombstone] = (),
        outputs: Sequence[ShippedOutput] = (),
    ) -> bytes | None:
        """The body of a request; None where it would be larger than the hub takes."""
        made = Envelope(
            v=PROTOCOL,
            sent_at=now,
            mode=self.mode,
            rules=self._rules,
            shipments=list(shipments),
            forgotten=list(forgotten),
            outputs=list(outputs),
            report=replace(report, version=self._version, platform=self._platform),
        )
        try:
            size = len(msgspec.msgpack.encode(made))
        except (OverflowError, UnicodeError):
            made = cleaned(made)
            size = len(msgspec.msgpack.encode(made))
        if size > MOST_UNPACKED or unpacked_bytes(made) > MOST_RAW:
            return None
        body = sealed(made)
        if not is_dense(size, len(body)):
            # The hub cannot tell text that repeats itself from a bomb.
            body = sealed(replace(made, filling=secrets.token_bytes(size // 15)))
        return body if len(body) <= MOST_PACKED else None


def smaller(shipment: Shipment) -> Shipment | None:
    """A shipment that is too large, without the texts that searches find; None if it has none."""
    if not shipment.batch.texts:
        return None
    return replace(shipment, batch=replace(shipment.batch, texts=[]))


def bare(shipment: Shipment) -> Shipment:
    """A shipment that the hub refuses: its bytes, and one line that says so.

    The rows go along as they were refused, for people who look into the quarantine.
    """
    batch = shipment.batch
    try:
        rows = msgspec.msgpack.encode(batch)
    except (OverflowError, UnicodeError):
        rows = msgspec.msgpack.encode(cleaned(batch))
    length = max(0, batch.source.offset - batch.begins - 1)
    line = BadLine(batch.begins, length, batch.source.lines, REFUSED)
    kept = Batch(source=batch.source, begins=batch.begins, bad=[line] if length else [])
    return replace(shipment, batch=kept, refused=rows[:_MOST_REFUSED])
