from pathlib import Path

from msgspec import structs

from tests.cli.made import root, talk
from tests.serve.served import Served, desk, indexed
from unspool.demo import Transcript
from unspool.engine.index_scope import IndexScope
from unspool.serve.desks.pulse import DAYS, Pulse, Pulses

DAY = 86_400_000
NOON = 1_767_312_000_000 - DAY // 2  # 2026-01-01T12:00:00Z
USAGE = {"input_tokens": 0, "output_tokens": 1_000_000}


def pulse(site: Served, now: int) -> Pulse:
    around = structs.replace(site.desk.around, now=lambda: now)
    return Pulses(around, IndexScope(around.store, around.roots, around.home)).pulse()


def spending(place: Path, *starts: str) -> Path:
    for start in starts:
        made = Transcript(f"at-{start}", start=start).user("x")
        root(place, made.says("y", id=start, model="claude-opus-4-6", usage=USAGE))
    return place


def test_the_last_days_end_with_today(tmp_path: Path) -> None:
    starts = ("2026-01-01T01:00:00.000Z", "2025-12-31T23:00:00.000Z", "2025-12-19T01:00:00.000Z")
    place = spending(tmp_path / "claude", *starts, "2025-12-18T23:00:00.000Z")
    indexed(place)
    with desk(place) as made:
        found = pulse(Served(made), NOON)

    assert len(found.days) == DAYS
    assert found.days == (25.0, *(0.0,) * 11, 25.0, 25.0)
    assert found.today == 25.0


def test_the_block_that_runs_is_told_and_one_that_is_over_is_not(tmp_path: Path) -> None:
    place = spending(tmp_path / "claude", "2026-01-01T10:30:00.000Z")
    indexed(place)
    with desk(place) as made:
        now, later = pulse(Served(made), NOON).block, pulse(Served(made), NOON + DAY).block

    assert now
    assert now.spend.usd == 25.0
    assert later is None


def test_what_another_root_spent_is_not_counted(site: Served, tmp_path: Path) -> None:
    indexed(spending(tmp_path / "theirs", "2026-01-01T10:30:00.000Z"))

    assert pulse(site, NOON).today < 1


def test_it_is_not_looked_up_for_every_page(site: Served, place: Path) -> None:
    before = site.desk.pulses.pulse()
    indexed(root(place, talk("session-three", day=3)))

    assert site.desk.pulses.pulse() is before
