"""Roots -> the sums of all that was spent in them: from the index, as long as nothing changed."""

import os
from collections.abc import Sequence

from unspool.cli.costs.asked import asked
from unspool.model.costs import Total
from unspool.store.sqlite.totals import read_totals


def totals(explicit: Sequence[str]) -> list[Total]:
    """What was spent, by quarters of an hour; the ledger is brought up to date first."""
    wanted = asked(explicit)
    if wanted.is_fresh:
        found = read_totals(wanted.ledger)
    elif not os.path.exists(wanted.ledger):
        from unspool.cli.costs.scanning import scanned

        found = scanned(wanted, keep=True)
    else:
        from unspool.cli.costs.scanning import load

        load()
        from unspool.cli.costs.catch_up import caught_up

        found = caught_up(wanted, explicit)
    only = {f"{prefix}{one}" for _, _, prefix, _, one in wanted.places if one is not None}
    return [total for total in found if total[1] in only] if only else found
