"""A share of the files -> its sums, and then an index of what they say."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.msgpack import Decoder, encode

from unspool.derive.usage.prices import Pricer
from unspool.errors import UnspoolError
from unspool.ingest.scan.crew import Turn
from unspool.ingest.scan.files import scan, unread
from unspool.ingest.scan.links import Link, Lost
from unspool.ingest.scan.tally import Tally, settled_sums
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.model.usage import OwnedUsage
from unspool.source.session_files import transcript_at

_rows: Final = Decoder(list[OwnedUsage])
_ROOM: Final = 16 * 1024 * 1024


def tallied(paths: Iterable[str], roots: Sequence[Root], table: PriceTable) -> Tally:
    """Scan whole files; those that cannot be opened are left out, and looked at again next time."""
    # What glibc has once seen freed it keeps from then on: else each window is given back to the
    # system, and the next one comes from there page by page.
    bytes(_ROOM)
    tally = Tally(Pricer(table))
    for path in paths:
        file = transcript_at(roots, path, is_scanned=True)
        try:
            if file is not None:
                tally.add(scan(file, unread(file)))
        except UnspoolError:
            continue
    return tally


def serve(tally: Tally, link: Link, turn: Turn) -> tuple[str, str] | None:
    """Tell the parent what was scanned; where it wants that kept, say in which directories."""
    link.send(array("q", tally.names()).tobytes())
    sums, rows = tally.sums(frozenset(array("q", link.receive())))
    if turn.is_first:
        for packed in link.receive():
            rows += _rows.decode(packed)
        link.send(sums + settled_sums(rows, tally.price))
    else:
        link.send((sums, encode(rows)))
    try:
        home, aside = link.receive()
    except Lost:
        return None
    return home, aside
