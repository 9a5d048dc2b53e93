from datetime import UTC, datetime

import pytest

from unspool.cli.since import since

NOW = datetime(2026, 1, 14, 15, 30, tzinfo=UTC)  # a Wednesday; tests live in UTC


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-01-31", "2026-01-31T00:00"),
        ("2026-01-31T10:00+02:00", "2026-01-31T08:00"),
        ("7d", "2026-01-07T15:30"),
        ("24h", "2026-01-13T15:30"),
        ("90 min", "2026-01-14T14:00"),
        ("2w", "2025-12-31T15:30"),
        ("today", "2026-01-14T00:00"),
        ("Yesterday", "2026-01-13T00:00"),
        ("monday", "2026-01-12T00:00"),
        ("wed", "2026-01-14T00:00"),
        ("thu", "2026-01-08T00:00"),
    ],
)
def test_a_time_is_understood_as_people_say_it(said: str, meant: str) -> None:
    wanted = datetime.fromisoformat(meant).replace(tzinfo=UTC)

    assert since(said, NOW) == wanted.timestamp() * 1_000


@pytest.mark.parametrize("said", ["", "soon", "2026-13-01", "999999w", "7", "mo", "-3d"])
def test_what_nobody_could_mean_is_refused_with_examples(said: str) -> None:
    with pytest.raises(ValueError, match="yesterday or a weekday"):
        since(said, NOW)
