"""`unspool index verify` and `rebuild`: compare everything again, or make the index anew."""

import sys
from argparse import Namespace
from contextlib import closing

import msgspec

from unspool.cli import config, printing
from unspool.cli.progress import Bar
from unspool.cli.stores import Stores
from unspool.errors import StoreCorrupt
from unspool.ingest.indexer import Indexer
from unspool.ingest.rebuild import rebuild as rebuilt
from unspool.ingest.verify import verify as verified
from unspool.model.findings import Finding
from unspool.show.money import plural
from unspool.show.oddities import findings
from unspool.show.status import size
from unspool.source.roots import known_roots
from unspool.store.sqlite.rebuild import set_aside
from unspool.store.sqlite.store import SqliteStore


def verify(options: Namespace) -> int:
    """Read files, archive and index again; exit 1 where anything is wrong."""
    stores, prices = Stores(options.root), config.prices()
    stores.require()
    with closing(stores.writing()) as store:
        found = verified(store, Indexer(store, stores.roots, prices), config.now())
    wrong = any(one.grade == "wrong" for one in found.findings)
    if options.json:
        told = {"files": found.files, "bytes": found.bytes, "findings": found.findings}
        printing.write_json([msgspec.json.encode(told)])
        return int(wrong)
    said = f"Compared {plural(found.files, 'file')}, {size(found.bytes)} with index and archive."
    first = Finding(about="verify", grade="wrong" if wrong else "ok", said=said)
    printing.write(findings([first, *found.findings], config.frame(sys.stdout)))
    return int(wrong)


def rebuild(options: Namespace) -> int:
    """Make the index anew from the archive and the files; the archive is never touched."""
    stores, prices, bar = Stores(options.root), config.prices(), Bar("Rebuilding")
    try:
        with closing(_opened(stores)) as store:
            known = {root.path: root.prefix for root in known_roots(str(stores.home))}
            rebuilt(store, stores.roots, prices, config.now(), bar, prefixes=known)
            status = store.status()
    finally:
        bar.close()
    if options.json:
        told = {"lines": status.lines, "sessions": status.sessions, "badLines": status.bad_lines}
        printing.write_json([msgspec.json.encode(told)])
    else:
        held = f"{plural(status.lines, 'line')}, {plural(status.sessions, 'session')}"
        printing.write([(("", f"The index is new: {held}, {size(status.index_bytes)}."),)])
    return 0


def _opened(stores: Stores) -> SqliteStore:
    try:
        return stores.rebuilding()
    except StoreCorrupt:
        # Too damaged to be opened: it is kept for whoever wants to look at it.
        set_aside(stores.home)
        return stores.writing()
