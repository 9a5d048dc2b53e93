from collections.abc import Callable
from pathlib import Path

import pytest

from tests.serve.served import Served
from tests.waiting import until
from unspool.engine import health
from unspool.engine.health import HealthMonitor, HealthSources
from unspool.model.health import Health, IndexStatus, Lag, WriterProcess


def monitor(
    site: Served,
    index: Callable[[], IndexStatus] | None = None,
    now: Callable[[], int] | None = None,
) -> HealthMonitor:
    given = site.context.config
    sources = HealthSources(
        store=given.store, home=given.home, now=now or given.now, index=index or given.index
    )
    return HealthMonitor(sources)


def checked(site: Served, index: Callable[[], IndexStatus] | None = None) -> Health:
    """Health once the first check is through."""
    made = monitor(site, index)
    until(lambda: made.health().integrity != "unknown")
    return made.health()


def test_an_index_that_is_whole_is_said_to_be(site: Served) -> None:
    found = checked(site)

    assert (found.status, found.integrity, found.trouble) == ("ok", "ok", ())
    assert (found.sessions, found.bad_lines, found.lag_bytes) == (2, 0, 0)
    assert (found.disk_free_bytes or 0) > 0


def test_a_damaged_index_is_trouble(site: Served, home: Path) -> None:
    path = home / "unspool" / "index.db"
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    path.write_bytes(data)
    found = checked(site, index=lambda: IndexStatus(home=""))

    assert (found.status, found.integrity) == ("trouble", "damaged")
    assert found.trouble


@pytest.mark.parametrize(
    ("writer", "expected"), [(None, "trouble"), (WriterProcess(pid=7), "behind")]
)
def test_to_be_behind_is_trouble_where_nobody_writes(
    site: Served, writer: WriterProcess | None, expected: str
) -> None:
    status = IndexStatus(home="", lag=Lag(1, 5), writer=writer)

    assert checked(site, index=lambda: status).status == expected


def test_a_full_disk_is_trouble(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_LOW_DISK", 2**62)

    assert "free on the disk of the index" in " ".join(checked(site).trouble)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (IndexStatus(home=""), "ok"),
        (IndexStatus(home="", lag=Lag(1, 5), writer=WriterProcess(pid=1)), "behind"),
        (IndexStatus(home="", trouble=("full",)), "trouble"),
    ],
)
def test_health_is_as_the_index_is(site: Served, status: IndexStatus, expected: str) -> None:
    found = monitor(site, lambda: status, lambda: 0).health()

    assert (found.status, found.lag_bytes, found.trouble) == (
        expected,
        status.lag.bytes,
        status.trouble,
    )


def test_the_index_is_looked_at_once_a_second(site: Served) -> None:
    now, calls = [0], list[int]()

    def index() -> IndexStatus:
        calls.append(1)
        return IndexStatus(home="")

    made = monitor(site, index, lambda: now[0])
    for now[0] in (0, 10, 999, 1_000, 1_001, 500):
        made.index()

    assert len(calls) == 3  # at first, after a second, and after the clock was set back
