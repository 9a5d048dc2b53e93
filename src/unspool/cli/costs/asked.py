"""Roots -> their files, and which of these the ledger does not have as they are."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from unspool.cli.costs import homes
from unspool.errors import StoreError
from unspool.source.places import places
from unspool.source.sweep import sweep
from unspool.store.sqlite.totals import read_prices, read_usage_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.source.places import Place
    from unspool.source.sweep import Look


class Asked(NamedTuple):
    """What a report is asked of, and where the ledger for it lies."""

    places: "list[Place]"
    looks: "list[Look]"
    changed: "list[Look]"
    home: str
    prices: str  # the name of those in force

    @property
    def ledger(self) -> str:
        """The ledger's file."""
        return os.path.join(self.home, homes.INDEX)

    @property
    def is_fresh(self) -> bool:
        """Whether the ledger has all of it, at the prices in force."""
        return not self.changed and _prices(self.ledger) == self.prices


def asked(explicit: Sequence[str]) -> Asked:
    """Look at every file once, and at what the ledger knows of them."""
    found = places(explicit, os.environ, os.path.expanduser("~"))
    main, roots = homes.unspool_home(), [place[1] for place in found]
    looks = [look for _, _, _, projects, only in found for look in sweep(projects, only)]
    home, known = main, _known(main)
    if not _is_of(known, roots):
        home = homes.beside(main, roots)
        known = _known(home)
    changed = [look for look in looks if known.get(look[0]) != look[1:]]
    return Asked(found, looks, changed, home, homes.prices_name(main))


def _known(home: str) -> dict[str, tuple[int, int]]:
    try:
        return read_usage_sources(os.path.join(home, homes.INDEX))
    except StoreError:
        return {}  # whoever writes it will say what is wrong with it


def _prices(ledger: str) -> str:
    try:
        return read_prices(ledger)
    except StoreError:
        return ""


def _is_of(known: dict[str, tuple[int, int]], roots: list[str]) -> bool:
    """Whether a ledger is of these roots alone."""
    begins = tuple(os.path.join(root, "") for root in roots)
    return all(path.startswith(begins) for path in known)
