"""What a hub answers to a request that it does not take."""

from collections.abc import Iterator
from contextlib import contextmanager

from unspool.errors import ShipmentUnfit, StoreError, StoreFull
from unspool.model.shipping import Receipt, ShipMode


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


def refusal_of(error: StoreError) -> HubRefusal:
    """An error of the database as a status; what it says is for nobody who asks."""
    if isinstance(error, ShipmentUnfit):
        return HubRefusal(422, str(error))
    if isinstance(error, StoreFull):
        return HubRefusal(503, "The database cannot write.", retry_after=60)
    return HubRefusal(503, "The database does not answer.", retry_after=5)


@contextmanager
def in_http() -> Iterator[None]:
    """What the database has to say, as a status."""
    try:
        yield
    except StoreError as error:
        raise refusal_of(error) from error
