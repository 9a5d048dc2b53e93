"""What is given around a scan, in the model's words: roots, and prices."""

from pathlib import Path

from unspool.cli import paths
from unspool.cli.costs.asked import Asked
from unspool.decode.prices import price_table
from unspool.model.files import Root
from unspool.model.prices import PriceTable
from unspool.source import prices as files


def roots(wanted: Asked) -> list[Root]:
    """The roots a report is asked of."""
    return wanted.scope.roots


def prices() -> PriceTable:
    """The prices that came with this version, and the user's own over them."""
    return price_table(files.bundled(), files.overrides(Path(paths.unspool_home())))
