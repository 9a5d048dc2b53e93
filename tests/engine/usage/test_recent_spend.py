from pathlib import Path

from tests.cli.made import root, talk
from tests.serve.served import Served, indexed, server_context
from unspool.demo import Transcript
from unspool.engine.usage.spending import RECENT_DAYS, RecentSpend, RecentSpendCache

DAY = 86_400_000
NOON = 1_767_312_000_000 - DAY // 2  # 2026-01-01T12:00:00Z
USAGE = {"input_tokens": 0, "output_tokens": 1_000_000}


def recent(site: Served, now: int) -> RecentSpend:
    return RecentSpendCache(site.context.store, site.context.scope, lambda: now).current()


def spending(place: Path, *starts: str) -> Path:
    for start in starts:
        made = Transcript(f"at-{start}", start=start).user("x")
        root(place, made.says("y", id=start, model="claude-opus-4-6", usage=USAGE))
    return place


def test_the_last_days_end_with_today(tmp_path: Path) -> None:
    starts = ("2026-01-01T01:00:00.000Z", "2025-12-31T23:00:00.000Z", "2025-12-19T01:00:00.000Z")
    place = spending(tmp_path / "claude", *starts, "2025-12-18T23:00:00.000Z")
    indexed(place)
    with server_context(place) as made:
        found = recent(Served(made), NOON)

    assert len(found.days) == RECENT_DAYS
    assert found.dollars == (25.0, *(0.0,) * 11, 25.0, 25.0)
    assert found.today.usd == 25.0


def test_the_block_that_runs_is_told_and_one_that_is_over_is_not(tmp_path: Path) -> None:
    place = spending(tmp_path / "claude", "2026-01-01T10:30:00.000Z")
    indexed(place)
    with server_context(place) as made:
        now, later = recent(Served(made), NOON).block, recent(Served(made), NOON + DAY).block

    assert now
    assert now.spend.usd == 25.0
    assert later is None


def test_what_another_root_spent_is_not_counted(site: Served, tmp_path: Path) -> None:
    indexed(spending(tmp_path / "theirs", "2026-01-01T10:30:00.000Z"))

    assert recent(site, NOON).dollars[-1] < 1


def test_it_is_not_looked_up_for_every_page(site: Served, place: Path) -> None:
    before = site.context.recent_spend.current()
    indexed(root(place, talk("session-three", day=3)))

    assert site.context.recent_spend.current() is before
