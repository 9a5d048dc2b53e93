"""What `make pictures` decides before a browser is started, and after."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("PIL")
from tools.pictures import afternoon_zone, report


@pytest.mark.parametrize("hour", range(24))
def test_in_the_zone_of_the_pictures_it_is_afternoon(hour: int) -> None:
    now = datetime(2026, 11, 17, hour, 20, tzinfo=UTC)

    assert now.astimezone(ZoneInfo(afternoon_zone(now))).hour == 16


@pytest.mark.parametrize(("size", "code"), [(399, 0), (401, 1)])
def test_a_page_that_is_too_large_is_a_failure(tmp_path: Path, size: int, code: int) -> None:
    page, film = tmp_path / "board.png", tmp_path / "spool.png"
    page.write_bytes(b"x" * size * 1_024)
    film.write_bytes(b"x" * 1_900 * 1_024)

    assert report([page], film) == code
