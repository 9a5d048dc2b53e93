"""Days in zones whose clocks change: each response counts once, on the day of that place."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.cli.runs import process
from unspool.demo import Transcript

# An hour twice, an hour never, half an hour, a month of other time, and far from UTC.
CHANGES = {
    "Europe/Berlin": ["2026-03-28T12:00", "2026-10-24T12:00"],
    "America/New_York": ["2026-03-07T12:00", "2026-10-31T12:00"],
    "Australia/Lord_Howe": ["2026-04-04T00:00", "2026-10-03T00:00"],
    "Africa/Casablanca": ["2026-02-14T12:00", "2026-03-21T12:00"],
    "Pacific/Kiritimati": ["2026-01-31T00:00"],
    "America/St_Johns": ["2026-03-07T12:00"],
}
STEP, COUNT = timedelta(minutes=30), 96


def moments(zone: str) -> list[datetime]:
    starts = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in CHANGES[zone]]
    return [start + number * STEP for start in starts for number in range(COUNT)]


def saved(root: Path, times: list[datetime]) -> None:
    """One response at each of these moments."""
    path = root / "projects" / "-p" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        for number, time in enumerate(times):
            start = time.isoformat().replace("+00:00", ".000Z")
            made = Transcript(session="s1", start=start, uuid_prefix=f"{number}-")
            usage = {"input_tokens": 0, "output_tokens": 1}
            file.write(
                made.says("x", id=f"msg-{number}", request=f"r{number}", usage=usage).bytes()
            )


@pytest.mark.parametrize(
    "zone",
    [
        next(iter(CHANGES)),
        *(pytest.param(zone, marks=pytest.mark.slow) for zone in list(CHANGES)[1:]),
    ],
)
@pytest.mark.parametrize("indexed", [False, True])
def test_each_response_counts_once_on_its_day(tmp_path: Path, zone: str, indexed: bool) -> None:
    times = moments(zone)
    saved(tmp_path, times)
    if indexed:
        assert process("index", "build", "--root", tmp_path, TZ=zone).code == 0
    expected = Counter(f"{time.astimezone(ZoneInfo(zone)):%Y-%m-%d}" for time in times)
    for _ in "12":  # the second time from what the first has kept
        said = process("cost", "daily", "--json", "--root", tmp_path, TZ=zone)
        found = {row["date"]: row["outputTokens"] for row in json.loads(said.out)["daily"]}

        assert found == expected


def test_another_zone_than_last_time_has_its_own_days(tmp_path: Path) -> None:
    times = moments("Europe/Berlin")
    saved(tmp_path, times)
    for zone in ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Europe/Berlin"):
        said = process("cost", "daily", "--json", "--root", tmp_path, TZ=zone)
        expected = Counter(f"{time.astimezone(ZoneInfo(zone)):%Y-%m-%d}" for time in times)
        found = {row["date"]: row["outputTokens"] for row in json.loads(said.out)["daily"]}

        assert found == expected
