"""One hub process: its pool of connections, who may send, and what takes envelopes."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final, TypeVar

from msgspec.structs import replace

from unspool.errors import ShipmentUnfit, StoreError, StoreFull
from unspool.hub.checks import is_fuller
from unspool.hub.envelope import EnvelopeRefusal, opened
from unspool.hub.keys import KeyCache
from unspool.model.shipping import (
    EnrolAnswer,
    EnrolRequest,
    MachineIdentity,
    PersonIdentity,
    Receipt,
    ShipMode,
    StatePage,
)
from unspool.model.usage import Price
from unspool.serve.auth.tokens import FailedAttempts
from unspool.store.postgres.audit import AuditTable
from unspool.store.postgres.database import Pool
from unspool.store.postgres.people import CodeFault, PeopleTable
from unspool.store.postgres.shipments import ShipmentWriter

Who = TypeVar("Who")

# Requests that are being taken at once, of one machine and of all.
_OF_ONE: Final = 4
_OF_ALL: Final = 256
_FAULTS: Final[dict[CodeFault, str]] = {
    "unknown": "This code is wrong: ask for one that `unspool hub enrol` prints.",
    "used": "This code has already been used, and each works only once: ask for a new one.",
    "expired": "This code has expired, as each does after 15 minutes: ask for a new one.",
    "revoked": "This machine was revoked: `unspool hub enrol` makes a code for a new name.",
    "taken": "There is already a machine with this name: choose another with --name.",
}


class HubRefusal(Exception):
    """A request that the hub does not take, with its status, and when to try again."""

    def __init__(
        self,
        status: int,
        detail: str,
        retry_after: int | None = None,
        receipt: Receipt | None = None,
        takes: ShipMode | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.retry_after, self.receipt, self.takes = retry_after, receipt, takes


class HubService:
    """What the routes of machines call, from any thread."""

    def __init__(
        self,
        pool: Pool,
        price: Price,
        now: Callable[[], int],
        *,
        changed: Callable[[], None] = lambda: None,
        weeks_ahead: int = 8,
        takes: ShipMode | None = None,
    ) -> None:
        self.now, self._changed, self.takes = now, changed, takes
        self.people, self.audit = PeopleTable(pool), AuditTable(pool)
        self._writer = ShipmentWriter(pool, price, weeks_ahead=weeks_ahead)
        self._machines = KeyCache[MachineIdentity](lambda key: self.people.by_key(key, now()), now)
        self._persons = KeyCache[PersonIdentity](self.people.by_token, now)
        self._wrong = FailedAttempts(now)
        self._lock, self._busy = Lock(), Counter[int]()

    def machine(self, authorization: str) -> MachineIdentity:
        """Who sends; 401 for anything but the key of a machine."""
        found = self._found(self._machines, authorization, "uk_")
        if found is None:
            raise HubRefusal(401, "This key is unknown or revoked: enrol this machine again.")
        return found

    def person(self, authorization: str) -> PersonIdentity:
        """Who asks; 401 for anything but the token of a person."""
        found = self._found(self._persons, authorization, "up_")
        if found is None:
            raise HubRefusal(401, "Send `Authorization: Bearer` with your token.")
        return found

    def enrol(self, asked: EnrolRequest, address: str) -> EnrolAnswer:
        """A key for a code."""
        with in_http():
            answer = self.people.enrol(asked, self.now())
        if isinstance(answer, EnrolAnswer):
            return answer
        if answer == "taken":
            raise HubRefusal(409, _FAULTS[answer])
        if self._wrong.is_too_many(address):
            raise HubRefusal(429, "Too many wrong codes: wait a minute.", retry_after=60)
        raise HubRefusal(401, _FAULTS[answer])

    def states(
        self, sender: MachineIdentity, after: int, forgotten: str | None = None
    ) -> StatePage:
        """A page of what the hub has of a machine."""
        with in_http():
            if after < 0:  # a machine that has nothing to send begins here from time to time
                self.people.machine_seen(sender, self.now())
            page = self._writer.states(sender, after, forgotten=forgotten)
        return replace(page, takes=self.takes)

    def ingest(self, sender: MachineIdentity, body: bytes) -> Receipt:
        """Take an envelope; everything in the receipt is on the disk."""
        with self._taking(sender), in_http():
            envelope = opened(body)
            if isinstance(envelope, EnvelopeRefusal):
                raise HubRefusal(envelope.status, envelope.detail)
            if (envelope.shipments or envelope.outputs) and is_fuller(envelope.mode, self.takes):
                # Collectors that do not know `takes` stop at this status, and say the sentence.
                detail = (
                    f"This hub accepts mode {self.takes}, but this machine sends {envelope.mode}"
                )
                how = f"run `unspool collect --mode {self.takes}`."
                raise HubRefusal(426, f"{detail}: {how}", takes=self.takes)
            receipt = self._writer.accept(sender, envelope, self.now())
        self._changed()
        if receipt.expected:
            raise HubRefusal(
                409, "Some shipments do not continue what the hub has.", receipt=receipt
            )
        return receipt

    def _found(self, cache: KeyCache[Who], authorization: str, kind: str) -> Who | None:
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() != "bearer" or not secret.startswith(kind) or len(secret) > 200:
            return None
        with in_http():
            return cache.of(secret)

    @contextmanager
    def _taking(self, sender: MachineIdentity) -> Iterator[None]:
        with self._lock:
            if self._busy[sender.machine] >= _OF_ONE:
                raise HubRefusal(429, "This machine sends too much at once.", retry_after=1)
            if self._busy.total() >= _OF_ALL:
                raise HubRefusal(503, "The hub is busy.", retry_after=5)
            self._busy[sender.machine] += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy[sender.machine] -= 1
                if not self._busy[sender.machine]:
                    del self._busy[sender.machine]


@contextmanager
def in_http() -> Iterator[None]:
    """What the database has to say, as a status."""
    try:
        yield
    except ShipmentUnfit as error:
        raise HubRefusal(422, str(error)) from error
    except StoreFull as error:
        raise HubRefusal(503, "The database cannot write.", retry_after=60) from error
    except StoreError as error:
        raise HubRefusal(503, "The database does not answer.", retry_after=5) from error
