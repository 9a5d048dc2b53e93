"""Roots -> their files, and which of these the ledger does not have as they are."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from unspool.cli import paths
from unspool.cli.costs import seen
from unspool.errors import StoreError
from unspool.source.roots import Scope, known_roots
from unspool.store.sqlite.totals import read_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from unspool.cli.costs.seen import Seen
    from unspool.source.files import FileState
    from unspool.source.roots import Place


class Asked(NamedTuple):
    """What a report is asked of, and where the ledger for it lies."""

    explicit: Sequence[str]
    scope: Scope
    prices: str  # the name of those in force
    files: "list[FileState]"
    changed: "list[FileState]"
    is_fresh: bool  # the ledger has all of it, at the prices in force
    seen: "Seen | None" = None  # where nothing has changed since

    @property
    def places(self) -> "list[Place]":
        """The roots."""
        return self.scope.places

    @property
    def home(self) -> str:
        """The directory of the ledger."""
        return self.scope.home

    @property
    def ledger(self) -> str:
        """The ledger's file."""
        return os.path.join(self.home, paths.INDEX)

    def is_about(self) -> "Callable[[str], bool]":
        """Whether a project is of these roots: the ledger may hold others of the user's too."""
        mine = {place.prefix for place in self.places}
        every = mine | {root.prefix for root in known_roots(self.home)}
        only = {place.prefix + place.only for place in self.places if place.only is not None}

        def is_mine(project: str) -> bool:
            prefix = project.partition("~")[0] + "~"
            return (prefix if prefix in every else "") in mine

        if only:
            return only.__contains__
        return is_mine if every != mine else lambda _: True


def asked(explicit: Sequence[str]) -> Asked:
    """Look at every file once, and at what the ledger knows of them."""
    found, home = scope = paths.scope(explicit)
    prices, last = paths.prices_name(paths.unspool_home()), seen.read(home)
    if last and (last.places, last.prices) == (found, prices) and seen.stands(last, home):
        return Asked(explicit, scope, prices, last.files, [], True, last)
    from unspool.source.files import TRANSCRIPT_KINDS, scan_files

    priced, known = _known(home)
    files = [
        file.state
        for place in found
        for file in scan_files(place, TRANSCRIPT_KINDS, with_sessions=False)
    ]
    has = set(known)
    changed = [file for file in files if file not in has]
    return Asked(explicit, scope, prices, files, changed, not changed and priced == prices)


def _known(home: str) -> "tuple[str, list[FileState]]":
    try:
        return read_known(os.path.join(home, paths.INDEX))
    except StoreError:
        return "", []  # whoever writes it will say what is wrong with it
