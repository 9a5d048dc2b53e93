import pytest
from msgspec import structs

from tests.serve.served import Served
from unspool.model.health import IndexStatus, Lag, WriterProcess
from unspool.serve.desk import Desk


def desk_of(site: Served, status: IndexStatus, now: list[int], asked: list[int]) -> Desk:
    def index() -> IndexStatus:
        asked.append(1)
        return status

    return Desk(structs.replace(site.desk.around, now=lambda: now[0], index=index))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (IndexStatus(home=""), "ok"),
        (IndexStatus(home="", lag=Lag(1, 5), writer=WriterProcess(pid=1)), "behind"),
        (IndexStatus(home="", trouble=("full",)), "trouble"),
    ],
)
def test_health_is_as_the_index_is(site: Served, status: IndexStatus, expected: str) -> None:
    found = desk_of(site, status, [0], []).health()

    assert (found.status, found.lag_bytes, found.trouble) == (
        expected,
        status.lag.bytes,
        status.trouble,
    )


def test_the_index_is_looked_at_once_a_second(site: Served) -> None:
    now, asked = [0], [0][:0]
    made = desk_of(site, IndexStatus(home=""), now, asked)
    for now[0] in (0, 10, 999, 1_000, 1_001, 500):
        made.index()

    assert len(asked) == 3  # at first, after a second, and after the clock was set back
