from pathlib import Path

import pytest
from msgspec import structs

from tests.serve.served import Served
from tests.waiting import until
from unspool.model.health import IndexStatus, Lag, WriterProcess
from unspool.serve.answers import Health
from unspool.serve.desks import health
from unspool.serve.desks.health import Checkup


def checked(site: Served, **given: object) -> Health:
    """Health once the first check is through."""
    around = structs.replace(site.desk.around, **given)
    checkup = Checkup(around)
    until(lambda: checkup.health().integrity != "unknown")
    return checkup.health()


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
    monkeypatch.setattr(health, "_LITTLE", 2**62)

    assert "free where the index lies" in " ".join(checked(site).trouble)
