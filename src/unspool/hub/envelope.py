"""Bytes of a request <-> an envelope; what cannot be read is a refusal with its status."""

from itertools import chain
from typing import Final

import msgspec
import zstandard
from msgspec import Struct

from unspool.hub.checks import MOST_RAW, unpacked_bytes, wrong_output, wrong_shipment
from unspool.model.shipping import PROTOCOL, Envelope

MOST_PACKED: Final = 1024 * 1024
MOST_UNPACKED: Final = 16 * 1024 * 1024
MOST_TIMES: Final = 16
# A small body may be packed well: this much is always taken.
_ALWAYS: Final = 64 * 1024
_LEVEL: Final = 3
# Versions of the protocol that this hub reads.
_OLDEST: Final = PROTOCOL


class EnvelopeRefusal(Struct, frozen=True):
    """Why an envelope is not taken."""

    status: int  # 413, 422, 426
    detail: str


class _Version(Struct, frozen=True):
    v: int


_TOO_LARGE: Final = EnvelopeRefusal(
    413,
    f"An envelope may have up to {MOST_PACKED:,} bytes, and unpacked up to {MOST_UNPACKED:,},"
    f" or {MOST_TIMES} times as many as packed.",
)
_TOO_MUCH_RAW: Final = EnvelopeRefusal(
    413, f"Raw bytes of an envelope may be up to {MOST_RAW:,} bytes when they are unpacked."
)
_NOT_ZSTD: Final = EnvelopeRefusal(
    422, "The body is not a complete zstd frame that states its size."
)
_UNREADABLE: Final = EnvelopeRefusal(422, "The body is not an envelope of this version.")
_version: Final = msgspec.msgpack.Decoder(_Version)
_envelope: Final = msgspec.msgpack.Decoder(Envelope)


def sealed(envelope: Envelope) -> bytes:
    """An envelope as the body of a request; OverflowError or UnicodeError for a value that
    msgpack does not take.
    """
    return zstandard.ZstdCompressor(_LEVEL).compress(msgspec.msgpack.encode(envelope))


def opened(body: bytes) -> Envelope | EnvelopeRefusal:
    """The envelope in a body, or why it is refused."""
    if len(body) > MOST_PACKED:
        return _TOO_LARGE
    data = _unpacked(body)
    if isinstance(data, EnvelopeRefusal):
        return data
    try:
        version = _version.decode(data).v
        if not _OLDEST <= version <= PROTOCOL:
            return _other_version(version)
        envelope = _envelope.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError):
        return _UNREADABLE
    if unpacked_bytes(envelope) > MOST_RAW:
        return _TOO_MUCH_RAW
    return _first_wrong(envelope) or envelope


def is_dense(size: int, packed: int) -> bool:
    """Whether so many bytes may be packed into so few."""
    return size <= max(_ALWAYS, MOST_TIMES * packed)


def _first_wrong(envelope: Envelope) -> EnvelopeRefusal | None:
    found = chain(map(wrong_shipment, envelope.shipments), map(wrong_output, envelope.outputs))
    detail = next((one for one in found if one), "")
    return EnvelopeRefusal(422, detail) if detail else None


def _other_version(version: int) -> EnvelopeRefusal:
    newer = "the hub" if version > PROTOCOL else "unspool on this machine"
    detail = f"The envelope has version {version}, but the hub uses {PROTOCOL}: upgrade {newer}."
    return EnvelopeRefusal(426, detail)


def _unpacked(body: bytes) -> bytes | EnvelopeRefusal:
    """The bytes of the one frame; no more are made than its head says, and that is looked at."""
    try:
        size = zstandard.frame_content_size(body)
        if size < 0:
            return _NOT_ZSTD
        if size > MOST_UNPACKED or not is_dense(size, len(body)):
            return _TOO_LARGE
        decompressor = zstandard.ZstdDecompressor(max_window_size=MOST_UNPACKED)
        return decompressor.decompress(body, allow_extra_data=False)
    except zstandard.ZstdError:
        return _NOT_ZSTD
