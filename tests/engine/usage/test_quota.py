"""Usage limits: kept as the status line is given them, and known until they are reset."""

from pathlib import Path

import pytest

from unspool.engine.usage.quota import latest_quota, record_quota
from unspool.model.usage import Quota, QuotaWindow

HOUR = 3_600_000
FIVE, SEVEN = QuotaWindow(23.5, 5 * HOUR), QuotaWindow(41.2, 50 * HOUR)


def lines(home: Path) -> list[bytes]:
    return (home / "quota.jsonl").read_bytes().splitlines()


def test_every_snapshot_that_says_something_new_is_kept(tmp_path: Path) -> None:
    first = Quota(1, FIVE, SEVEN)
    for one in (first, first._replace(at=2), Quota(3, FIVE._replace(used=24.0)), Quota(4)):
        record_quota(str(tmp_path), one)

    assert [line.partition(b",")[0] for line in lines(tmp_path)] == [b'{"at": 1', b'{"at": 3']
    assert latest_quota(str(tmp_path)) == Quota(3, FIVE._replace(used=24.0))


@pytest.mark.parametrize("damage", [b"\0\0\n", b"{}\n", b'{"at": "x"}\n', b'{"at": 9, "five'])
def test_a_damaged_line_hides_no_other(tmp_path: Path, damage: bytes) -> None:
    record_quota(str(tmp_path), Quota(1, FIVE))
    with (tmp_path / "quota.jsonl").open("ab") as file:
        file.write(damage)

    assert latest_quota(str(tmp_path)) == Quota(1, FIVE)


def test_where_nothing_can_be_written_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    record_quota(str(tmp_path / "file"), Quota(1, FIVE))

    assert latest_quota(str(tmp_path / "file")) is None


def test_the_log_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    record_quota(str(tmp_path), Quota(1, FIVE))

    assert (tmp_path / "quota.jsonl").stat().st_mode & 0o777 == 0o600
