"""Messages of all files of a session -> what it used so far and since a moment, in little memory.

A response is written on lines that stand close together: once many others have come it is
settled, and of it no more is kept than that it was counted.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import structs

from unspool.derive.money.ledger import Ledger, key
from unspool.derive.money.metrics import add, summed
from unspool.derive.money.pricer import Pricer
from unspool.model.document import Metrics
from unspool.model.message import Message
from unspool.model.usage import Response

_MOST_OPEN: Final = 512
_QUARTER: Final = 900_000  # every zone's midnight begins one
_KEPT: Final = 2 * 96  # quarters: whoever asks asks for today


class Spending:
    """Feed it every message of every file of one session, in any order of files."""

    def __init__(self, pricer: Pricer) -> None:
        self._price = pricer.price
        self._ledger = Ledger()
        self._done: set[int] = set()
        self._settled = Metrics()
        self._quarters: dict[int, Metrics] = {}

    def feed(self, message: Message, owner: str = "") -> None:
        """Take in a message; `owner` tells lines without any id of one file from another's."""
        if message.tokens is None:
            return
        name = key(message)
        if name.startswith("l:"):
            message = structs.replace(message, uuid=f"{owner}/{name}")
            name = key(message)
        if hash(name) in self._done:
            return
        self._ledger.feed(message)
        if len(self._ledger.tallies) > _MOST_OPEN:
            self._settle(_MOST_OPEN // 2)

    @property
    def total(self) -> Metrics:
        """All it used."""
        return add(self._settled, self._sum(self._responses()))

    def since(self, moment: int) -> Metrics:
        """What it used from a moment on; copies that a fork made were paid for elsewhere."""
        own = [one for one in self._responses(copies=False) if (one.at or 0) >= moment]
        found = self._sum(own)
        for quarter, used in self._quarters.items():
            if quarter >= moment:
                found = add(found, used)
        return found

    def _responses(self, *, copies: bool = True) -> Iterator[Response]:
        tallies = self._ledger.tallies
        for one in self._ledger.responses():
            if copies or not tallies[one.key].is_copy:
                yield one

    def _settle(self, count: int) -> None:
        tallies = self._ledger.tallies
        old = self._ledger.responses()[:count]
        self._settled = add(self._settled, self._sum(old))
        quarters: dict[int, list[Response]] = {}
        for one in old:
            at = one.at or 0
            if not tallies.pop(one.key).is_copy:
                quarters.setdefault(at - at % _QUARTER, []).append(one)
            self._done.add(hash(one.key))
        for quarter, found in quarters.items():
            known = self._quarters.get(quarter, Metrics())
            self._quarters[quarter] = add(known, self._sum(found))
        for quarter in sorted(self._quarters)[:-_KEPT]:
            del self._quarters[quarter]

    def _sum(self, responses: Iterable[Response]) -> Metrics:
        price = self._price
        return summed((one, price(one.tokens, one.model, one.at)) for one in responses)
