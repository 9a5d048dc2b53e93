"""Usage limits: kept as the status line is given them, and known until they are reset."""

from pathlib import Path

import pytest

from unspool.engine.quota import QuotaLog, latest_quota, quota_history, record_quota
from unspool.model.usage import Quota, QuotaRow, QuotaWindow

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


def test_a_snapshot_knows_the_session_it_came_from(tmp_path: Path) -> None:
    record_quota(str(tmp_path), Quota(1, FIVE), "s1")
    with (tmp_path / "quota.jsonl").open("ab") as file:  # as versions before wrote them
        file.write(b'{"at": 2, "five_hour": {"used_percentage": 24, "resets_at": 18000}}\n')

    assert list(quota_history(str(tmp_path))) == [
        QuotaRow(1, "5h", 23.5, 5 * HOUR, "s1"),
        QuotaRow(2, "5h", 24, 5 * HOUR, ""),
    ]
    assert list(quota_history(str(tmp_path / "elsewhere"))) == []


def test_the_log_is_in_order_and_read_again_when_there_is_more(tmp_path: Path) -> None:
    log = QuotaLog(str(tmp_path))
    assert log() == ()
    for at in (5, 3):
        record_quota(str(tmp_path), Quota(at, FIVE._replace(used=at)))

    assert [one.at for one in log()] == [3, 5]
    record_quota(str(tmp_path), Quota(9, FIVE))
    assert [one.at for one in log()] == [3, 5, 9]
