"""The prices in force: the table of this version, with the user's `prices.toml` over it.

Loads nothing until a price is asked for: `unspool cost` and the status line often need none.
"""

import os
import zlib
from contextlib import suppress
from typing import NamedTuple

import unspool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.derive.usage.prices import Pricer
    from unspool.model.prices import PriceTable
    from unspool.model.usage import Mode

_BUNDLED = os.path.join(os.path.dirname(unspool.__file__), "source", "prices.json")


class PriceFiles(NamedTuple):
    """Reads prices for one home of unspool."""

    home: str

    @property
    def version(self) -> str:
        """Changes whenever a price does, ours or the user's."""
        return "".join(_checksum(path) for path in (_BUNDLED, self._own))

    @property
    def _own(self) -> str:
        return os.path.join(self.home, "prices.toml")

    def table(self) -> "PriceTable":
        """The table; `trouble` says what in the user's file could not be used."""
        from unspool.decode.prices import price_table  # noqa: PLC0415 - see above

        overrides = None
        with suppress(OSError), open(self._own, "rb") as file:
            overrides = file.read()
        with open(_BUNDLED, "rb") as file:
            return price_table(file.read(), overrides)

    def bundled(self) -> "PriceTable":
        """The table of this version alone."""
        from unspool.decode.prices import price_table  # noqa: PLC0415 - see above

        with open(_BUNDLED, "rb") as file:
            return price_table(file.read(), None)

    def pricer(self, mode: "Mode" = "billing") -> "Pricer":
        """What prices a response."""
        from unspool.derive.usage.prices import Pricer  # noqa: PLC0415 - see above

        return Pricer(self.table(), mode)


def _checksum(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return f"{zlib.crc32(file.read()):08x}"
    except OSError:
        return "-"
