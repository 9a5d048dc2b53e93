"""One price table, asked often: the row for a model and a day is looked up once."""

from unspool.derive.money import names, rates
from unspool.derive.money.cost import billed, cost
from unspool.model.message import Tokens
from unspool.model.prices import PriceRow, PriceTable
from unspool.model.usage import Mode

_DAY = 86_400_000


class Pricer:
    """Prices responses as `cost` does, and remembers which row it took."""

    def __init__(self, table: PriceTable, mode: Mode = "billing") -> None:
        self._table = table
        self._mode = mode
        self._rows: dict[tuple[str, int], PriceRow | None] = {}

    def price(self, tokens: Tokens, model: str, at: int | None) -> int | None:
        """What one response costs, in picodollars; None where its model has no known price."""
        if self._mode != "billing":
            return cost(tokens, model, at, self._table, self._mode)
        key = (model, -1 if at is None else at // _DAY)
        try:
            row = self._rows[key]
        except KeyError:
            found = names.find(model, self._table.models, self._table.aliases)
            row = self._rows[key] = rates.row_at(found, at) if found else None
        return None if row is None else billed(tokens, row, self._table)

    def window(self, model: str, at: int | None) -> int | None:
        """How many tokens a model can read; None where that is not known."""
        found = names.find(model, self._table.models, self._table.aliases)
        return (rates.row_at(found, at).context or None) if found else None
