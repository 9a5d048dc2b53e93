"""What is given around a scan, in the model's words: roots, and prices."""

from pathlib import Path

from unspool.cli.costs import homes
from unspool.cli.costs.asked import Asked
from unspool.decode.prices import price_table
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.source import prices as files


def roots(wanted: Asked) -> list[Root]:
    """The roots a report is asked of."""
    return [Root(*place) for place in wanted.places]


def prices() -> PriceTable:
    """The prices that came with this version, and the user's own over them."""
    return price_table(files.bundled(), files.overrides(Path(homes.unspool_home())))
