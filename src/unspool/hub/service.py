"""One hub process: its pool of connections, who may send, and what takes envelopes."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from unspool.hub.checks import is_fuller
from unspool.hub.envelope import EnvelopeRefusal, opened
from unspool.hub.intake import RequestIntake
from unspool.hub.keys import KeyCache
from unspool.hub.refusals import HubRefusal, in_http
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

_TOO_MANY: Final = 60  # seconds to wait after too many wrong secrets
_FAULTS: Final[dict[CodeFault, str]] = {
    "unknown": "This code is wrong: ask for one that `unspool hub enrol` prints.",
    "used": "This code has already been used, and each works only once: ask for a new one.",
    "expired": "This code has expired, as each does after 15 minutes: ask for a new one.",
    "revoked": "This machine was revoked: `unspool hub enrol` makes a code for a new name.",
    "taken": "There is already a machine with this name: choose another with --name.",
}


class HubPools(NamedTuple):
    """Connections for who asks, and for what machines send."""

    asking: Pool
    writing: Pool


class HubService:
    """What the routes of machines call, from any thread.

    What machines send may have connections of its own: however long commits take, others are free.
    """

    def __init__(
        self,
        pools: Pool | HubPools,
        price: Price,
        now: Callable[[], int],
        *,
        changed: Callable[[], None] = lambda: None,
        weeks_ahead: int = 8,
        takes: ShipMode | None = None,
    ) -> None:
        pool, writing = pools if isinstance(pools, HubPools) else (pools, pools)
        self.now, self._changed, self.takes = now, changed, takes
        self.people, self.audit = PeopleTable(pool), AuditTable(pool)
        self.intake, self._senders = RequestIntake(), PeopleTable(writing)
        self._writer = ShipmentWriter(writing, price, weeks_ahead=weeks_ahead)
        self._machines = KeyCache[MachineIdentity](lambda key: self.people.by_key(key, now()), now)
        self._persons = KeyCache[PersonIdentity](self.people.by_token, now)
        self._wrong = FailedAttempts(now)

    def machine(self, authorization: str, address: str = "") -> MachineIdentity:
        """Who sends; 401 for anything but the key of a machine."""
        found = self._found(self._machines, authorization, "uk_", address)
        if found is None:
            raise HubRefusal(401, "This key is unknown or revoked: enrol this machine again.")
        return found

    def person(self, authorization: str, address: str = "") -> PersonIdentity:
        """Who asks; 401 for anything but the token of a person."""
        found = self._found(self._persons, authorization, "up_", address)
        if found is None:
            raise HubRefusal(401, "Send `Authorization: Bearer` with your token.")
        return found

    def enrol(self, asked: EnrolRequest, address: str) -> EnrolAnswer:
        """A key for a code; no code is tried for an address that sent too many wrong secrets."""
        self._must_wait(address)
        with in_http():
            answer = self.people.enrol(asked, self.now())
        if isinstance(answer, EnrolAnswer):
            return answer
        if answer == "taken":
            raise HubRefusal(409, _FAULTS[answer])
        self._wrong.is_too_many(address)
        raise HubRefusal(401, _FAULTS[answer])

    def states(
        self, sender: MachineIdentity, after: int, forgotten: str | None = None
    ) -> StatePage:
        """A page of what the hub has of a machine."""
        with in_http():
            if after < 0:  # a machine that has nothing to send begins here from time to time
                self._senders.machine_seen(sender, self.now())
            page = self._writer.states(sender, after, forgotten=forgotten)
        return replace(page, takes=self.takes)

    def ingest(self, sender: MachineIdentity, body: bytes) -> Receipt:
        """Take an envelope; everything in the receipt is on the disk."""
        with in_http():
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

    def _found(
        self, cache: KeyCache[Who], authorization: str, kind: str, address: str
    ) -> Who | None:
        scheme, _, secret = authorization.partition(" ")
        if not authorization:
            return None
        found = None
        if scheme.lower() == "bearer" and secret.startswith(kind) and len(secret) <= 200:
            # Others at the same address go on, whoever sends wrong secrets there.
            if not cache.had(secret):
                self._must_wait(address)
            with in_http():
                found = cache.of(secret)
        if found is None:
            self._wrong.is_too_many(address)
        return found

    def _must_wait(self, address: str) -> None:
        if self._wrong.has_too_many(address):
            detail = "Too many wrong secrets from this address: wait a minute."
            raise HubRefusal(429, detail, retry_after=_TOO_MANY)
