"""The archive of one source -> shipments, derived as the indexer would, from any place on."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from unspool.engine.indexing.rebuild import stored_meta
from unspool.engine.indexing.replay import Replay
from unspool.engine.indexing.spool import with_projects
from unspool.hub.collector.covers import SpoolCover
from unspool.hub.collector.modes import reduced
from unspool.hub.collector.plan import LocalSource, NextStretch, mark
from unspool.model.files import Root, TailState
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.shipping import WITH_BYTES, Shipment, ShipMode, ShippedPiece
from unspool.redact import Redactor
from unspool.redact.cover import LineCover
from unspool.store import Store
from unspool.store.pack import packed, unpacked
from unspool.store.postgres.pieces import pieces as cut_pieces

# Raw bytes of one shipment: packed they are a sixth, and their rows a third.
_ENOUGH: Final = 512 * 1024
_MOST_REPLAYS: Final = 64


class ReplayState(NamedTuple):
    """A fold that goes on where it was left."""

    stretch: NextStretch
    replay: Replay


class SourceShipper:
    """Derives shipments; folds of the last sources are kept, so that an append costs an append."""

    def __init__(self, store: Store, roots: Sequence[Root], mode: ShipMode = "raw") -> None:
        self._store, self._roots = store, roots
        self._mode: ShipMode = mode
        self._redactor = None if mode == "raw" else Redactor()
        self._replays: OrderedDict[int, ReplayState] = OrderedDict()

    def shipments(self, local: LocalSource, stretch: NextStretch) -> Iterator[Shipment]:
        """All from a place on, to be sent in this order; a caller that has enough may stop."""
        replay = self._replay(local, stretch)
        begun: list[Segment] = []
        has_sent = False
        for segment in self._segments(local.row, stretch.generation, stretch.offset):
            # Not before there is more: the bytes of an unfinished line go with its row.
            if sum(one.end - one.offset for one in begun) >= _ENOUGH:
                made, begun, has_sent = begun, [], True
                batch = replay.take()
                self._keep(local, ReplayState(stretch._replace(offset=replay.offset), replay))
                yield self._shipment(local, stretch, batch, made)
            begun.append(segment)
            replay.feed(segment)
        batch = replay.take()
        if replay.has_last_line and stretch.generation == local.row.generation:
            self._replays.pop(local.row.source_id, None)  # what follows is read again
            lines = [part for one in begun if (part := _between(one, 0, replay.offset))]
            rest = [part for one in begun if (part := _between(one, replay.offset, None))]
            if lines:
                yield self._shipment(local, stretch, batch, lines)
            # With its bytes: where they are, the hub has the line, too.
            yield self._shipment(local, stretch, replay.last_line(), rest)
            return
        self._keep(local, ReplayState(stretch._replace(offset=replay.offset), replay))
        if begun or not has_sent:
            yield self._shipment(local, stretch, batch, begun)

    def _replay(self, local: LocalSource, stretch: NextStretch) -> Replay:
        id = local.row.source_id
        known = self._replays.pop(id, None)
        if known is not None and known.stretch == stretch:
            return known.replay
        source = replace(local.row, generation=stretch.generation)
        redactor = self._redactor
        clean = redactor.value if redactor else (lambda meta: meta)
        replay = Replay(source, stored_meta(self._store, local.row), clean)
        if stretch.offset:
            before = self._segments(local.row, stretch.generation, 0, stretch.offset)
            replay.skip(before)
        return replay

    def _keep(self, local: LocalSource, state: ReplayState) -> None:
        self._replays[local.row.source_id] = state
        while len(self._replays) > _MOST_REPLAYS:
            self._replays.popitem(last=False)

    def _segments(
        self, row: SourceRow, generation: int, after: int, end: int | None = None
    ) -> Iterator[Segment]:
        """The bytes between two places in small pieces, as they may leave the machine."""
        cover = self._cover(row)
        for segment in self._store.segments(row.source_id, generation, after):
            if end is not None and segment.offset >= end:
                return
            part = _between(segment, after, end)
            if part is None:
                continue
            data = unpacked(part)
            if data is None:
                # Nobody can tell what is in it: a row says that it is damaged, its bytes stay here.
                yield replace(part, packed=b"")
                if cover:
                    cover.skip()
                continue
            shown = _packed_at(part, part.offset, cover.covered(data)) if cover else part
            yield from (piece.segment for piece in cut_pieces(shown))

    def _cover(self, row: SourceRow) -> LineCover | None:
        if self._redactor is None:
            return None
        return SpoolCover() if row.kind == "spool" else LineCover()

    def _shipment(
        self, local: LocalSource, stretch: NextStretch, batch: Batch, segments: list[Segment]
    ) -> Shipment:
        id, row = local.row.source_id, local.row
        source, ends = batch.source, batch.source.offset
        is_last = stretch.generation == row.generation and ends >= row.offset
        # What proves the bytes stays here; when the file was written is told, and its last line.
        tail = TailState(mtime_ns=row.tail.mtime_ns, pending=source.tail.pending)
        source = replace(
            source,
            size=row.size if is_last else ends,
            mtime_ns=row.mtime_ns if is_last else 0,
            gone_at=row.gone_at if is_last else None,
            tail=tail if is_last else TailState(),
        )
        if ends == 0 and not batch.is_provisional:  # nothing was read that tells of a session
            batch = Batch(source=source, begins=0)
        batch = with_projects(replace(batch, source=source), self._roots)
        ends_at = max((one.end for one in segments), default=0)
        has_bytes = self._mode in WITH_BYTES
        sent = [one for one in segments if one.packed] if has_bytes else []
        return Shipment(
            batch=reduced(batch, self._mode),
            edition=stretch.edition,
            before=mark(self._store, id, stretch.generation, batch.begins),
            after=mark(self._store, id, stretch.generation, ends),
            pieces=[ShippedPiece(s.offset, s.end, s.checksum, s.packed) for s in sent],
            withheld=0 if has_bytes else ends_at,
        )


def _between(segment: Segment, after: int, end: int | None) -> Segment | None:
    """The part of a segment between two places."""
    first = max(after, segment.offset)
    last = segment.end if end is None else min(end, segment.end)
    if first >= last:
        return None
    data = None if (first, last) == (segment.offset, segment.end) else unpacked(segment)
    if data is None:
        return segment
    return _packed_at(segment, first, data[first - segment.offset : last - segment.offset])


def _packed_at(of: Segment, offset: int, data: bytes) -> Segment:
    return packed(of.source_id, of.generation, offset, data)
