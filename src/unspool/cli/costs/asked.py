"""Roots -> their files, and which of these the ledger does not have as they are."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from unspool.cli.costs import homes, seen
from unspool.errors import StoreError
from unspool.source.places import places
from unspool.source.sweep import sweep
from unspool.store.sqlite.totals import read_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.cli.costs.seen import Seen
    from unspool.source.places import Place
    from unspool.source.sweep import Look


class Asked(NamedTuple):
    """What a report is asked of, and where the ledger for it lies."""

    explicit: Sequence[str]
    places: "list[Place]"
    home: str
    prices: str  # the name of those in force
    looks: "list[Look]"
    changed: "list[Look]"
    is_fresh: bool  # the ledger has all of it, at the prices in force
    seen: "Seen | None" = None  # where nothing has changed since

    @property
    def ledger(self) -> str:
        """The ledger's file."""
        return os.path.join(self.home, homes.INDEX)


def asked(explicit: Sequence[str]) -> Asked:
    """Look at every file once, and at what the ledger knows of them."""
    found = places(explicit, os.environ, os.path.expanduser("~"))
    main, roots = homes.unspool_home(), [place[1] for place in found]
    prices, beside = homes.prices_name(main), homes.beside(main, roots)
    for home in (main, beside):
        last = seen.read(home)
        if last and (last.places, last.prices) == (found, prices) and seen.stands(last, home):
            return Asked(explicit, found, home, prices, last.files, [], True, last)
    home, (priced, known) = main, _known(main)
    if not _is_of(known, roots):
        home = beside
        priced, known = _known(home)
    looks = [look for _, _, _, projects, only in found for look in sweep(projects, only)]
    has = set(known)
    changed = [look for look in looks if look not in has]
    is_fresh = not changed and priced == prices
    return Asked(explicit, found, home, prices, looks, changed, is_fresh)


def _known(home: str) -> "tuple[str, list[Look]]":
    try:
        return read_known(os.path.join(home, homes.INDEX))
    except StoreError:
        return "", []  # whoever writes it will say what is wrong with it


def _is_of(known: "list[Look]", roots: list[str]) -> bool:
    """Whether a ledger is of these roots alone."""
    begins = tuple(os.path.join(root, "") for root in roots)
    return all(path.startswith(begins) for path, _, _ in known)
