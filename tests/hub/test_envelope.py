"""Envelopes: what a machine seals the hub opens, and nothing else gets past."""

from secrets import token_bytes

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.hub.made import envelope, shipment
from tests.store.made import Source
from unspool.hub.collector.packing import EnvelopeMaker
from unspool.hub.envelope import MOST_PACKED, EnvelopeRefusal, opened, sealed
from unspool.model.files import OutputFile
from unspool.model.rows import Segment
from unspool.model.shipping import Envelope, MachineReport, Shipment, ShippedOutput, ShippedPiece
from unspool.store.pack import packed, unpacked


def refused(body: bytes) -> int:
    """The status of a refusal."""
    answer = opened(body)
    assert isinstance(answer, EnvelopeRefusal), answer
    return answer.status


def pack(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(3).compress(data)


def test_what_was_sealed_is_opened() -> None:
    source = Source().line("hello").spends().calls().answers().touches("/a").hooks().bad()
    source.attributes(skill="x").wonders().tells(title="t").knows(b"facts")
    sent = envelope(shipment(source.batch(ties=(1,)), b'{"a": 1}\n'))

    assert opened(sealed(sent)) == sent


@pytest.mark.parametrize("size", [2**21, 2**28])
def test_a_bomb_is_not_unpacked(size: int) -> None:
    assert refused(pack(bytes(size))) == 413


def test_a_frame_that_hides_its_size_is_refused() -> None:
    compressor = zstandard.ZstdCompressor(3).compressobj()
    assert refused(compressor.compress(bytes(2**22)) + compressor.flush()) == 422


def test_a_body_beyond_the_limit_is_refused() -> None:
    assert refused(bytes(MOST_PACKED + 1)) == 413


@pytest.mark.parametrize("cut", [0, 1, 10, -1])
def test_a_frame_that_was_cut_or_goes_on_is_refused(cut: int) -> None:
    body = sealed(envelope())
    assert refused(body[:cut]) == 422
    assert refused(body + b"x") == 422


@given(st.binary(max_size=400))
def test_any_bytes_are_answered(data: bytes) -> None:
    assert refused(data) == 422
    assert refused(pack(data)) in (422, 426)


@given(st.data())
def test_an_envelope_with_wrong_bytes_is_answered(data: st.DataObject) -> None:
    good = bytearray(msgspec.msgpack.encode(envelope(shipment(Source().line("x").batch()))))
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))

    assert isinstance(opened(pack(bytes(good))), Envelope | EnvelopeRefusal)


def test_deep_nesting_is_refused() -> None:
    assert refused(pack(b"\x91" * 60_000)) == 422
    assert refused(pack(b"\x82\xa1v\x01\xa1x" + b"\x91" * 60_000 + b"\xc0")) == 422


@pytest.mark.parametrize("version", [0, 2, 99, -1])
def test_another_version_says_who_has_to_upgrade(version: int) -> None:
    answer = opened(sealed(replace(envelope(), v=version)))

    assert isinstance(answer, EnvelopeRefusal)
    assert answer.status == 426
    assert ("upgrade the hub" if version > 1 else "upgrade unspool") in answer.detail


def test_negative_rules_are_nobodys() -> None:
    assert refused(pack(msgspec.msgpack.encode(replace(envelope(), rules=-1)))) == 422


def zeros(size: int) -> ShippedPiece:
    """Few bytes that unpack to many."""
    made = packed(0, 0, 0, bytes(size))
    return ShippedPiece(0, size, made.checksum, made.packed)


def bombed(pieces: list[ShippedPiece]) -> Shipment:
    return replace(shipment(_batch), pieces=pieces)


@pytest.fixture
def unpacked_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much was unpacked, piece by piece."""
    sizes: list[int] = []

    def noting(segment: Segment) -> bytes | None:
        sizes.append(segment.end - segment.offset)
        return unpacked(segment)

    monkeypatch.setattr("unspool.hub.checks.unpacked", noting)
    return sizes


def test_many_bombs_in_one_envelope_are_not_unpacked(unpacked_sizes: list[int]) -> None:
    bomb, output = zeros(2**24), OutputFile("/claude", "x", "-repo", "s1", 2**24, 5)
    parts = [
        ShippedOutput(local_id=one, file=output, begins=0, pieces=[bomb]) for one in range(500)
    ]
    sent = envelope(*(bombed([bomb]) for _ in range(500)))
    # As random as a machine may make it: the body is not packed too well.
    body = sealed(replace(sent, outputs=parts, filling=token_bytes(2**18)))

    assert len(body) < MOST_PACKED
    assert refused(body) == 413
    assert unpacked_sizes == []


@pytest.mark.parametrize(("sizes", "status"), [([2**23, 2**23], 0), ([2**23, 2**23, 1], 413)])
def test_all_pieces_together_may_be_as_long_as_one(
    unpacked_sizes: list[int], sizes: list[int], status: int
) -> None:
    sent = envelope(*(bombed([zeros(size)]) for size in sizes))
    answer = opened(sealed(sent))

    assert (answer.status if isinstance(answer, EnvelopeRefusal) else 0) == status
    assert unpacked_sizes == ([] if status else sizes)
    made = EnvelopeMaker("raw", 0).body(sent.shipments, 0, MachineReport())
    assert (made is None) == bool(status)  # a machine does not send what is too long


def _piece(begins: int, ends: int, data: bytes = b"abc") -> ShippedPiece:
    made = packed(0, 0, begins, data)
    return ShippedPiece(begins, ends, made.checksum, made.packed)


_batch = Source().line("x").batch()
_nameless = replace(_batch.source, source_id=-1)
_BOMB = packed(0, 0, 0, bytes(2**25))


@pytest.mark.parametrize(
    "forged",
    [
        replace(shipment(_batch), batch=replace(_batch, begins=_batch.source.offset + 1)),
        replace(shipment(_batch), batch=replace(_batch, begins=-1)),
        replace(shipment(_batch), batch=replace(_batch, is_provisional=True)),
        replace(shipment(_batch), batch=replace(_batch, begins=1)),
        replace(shipment(_batch), batch=replace(_batch, state=b"x")),
        replace(shipment(_batch), batch=replace(_batch, source=_nameless)),
        replace(shipment(_batch), before=b"123456789"),
        replace(shipment(_batch), pieces=[_piece(0, 4)]),
        replace(shipment(_batch), pieces=[_piece(0, 3), _piece(2, 5)]),
        replace(shipment(_batch), pieces=[replace(_piece(0, 3), checksum=1)]),
        replace(shipment(_batch), pieces=[ShippedPiece(0, 3, _BOMB.checksum, _BOMB.packed)]),
    ],
)  # fmt: skip
def test_a_forged_shipment_is_refused(forged: Shipment) -> None:
    assert refused(sealed(envelope(forged))) == 422
