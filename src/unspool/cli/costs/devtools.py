"""The ledger, priced as claude-devtools counted: rates without dates, a tier for each field."""

from collections.abc import Sequence

from unspool.cli.costs import given
from unspool.cli.costs.responses import responses
from unspool.derive.usage.prices import Pricer
from unspool.ingest.scan.tally import settled_sums
from unspool.model.costs import Total


def devtools_totals(explicit: Sequence[str]) -> list[Total]:
    """What was spent, by quarters of an hour."""
    return settled_sums(responses(explicit), Pricer(given.prices(), "devtools").price_of)
