"""The ledger, priced as claude-devtools counted: rates without dates, a tier for each field."""

from collections.abc import Sequence

from msgspec.structs import replace

from unspool.cli.costs import given
from unspool.cli.costs.responses import responses
from unspool.derive.money.pricer import Pricer
from unspool.ingest.scan.tally import settled_sums
from unspool.model.costs import Total
from unspool.model.message import Tokens
from unspool.model.rows import UsageRow


def devtools_totals(explicit: Sequence[str]) -> list[Total]:
    """What was spent, by quarters of an hour."""
    pricer = Pricer(given.prices(), "devtools")
    priced = (
        owned._replace(row=replace(owned.row, usd_pico=_price(owned.row, pricer)))
        for owned in responses(explicit)
    )
    return settled_sums(priced)


def _price(row: UsageRow, pricer: Pricer) -> int | None:
    tokens = Tokens(
        row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_creation_tokens
    )
    return pricer.price(tokens, row.model, row.timestamp)
