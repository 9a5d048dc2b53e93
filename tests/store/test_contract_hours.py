"""Sums of whole hours: every store has the same, whatever happened to the responses before."""

import random
from pathlib import Path

import pytest

from tests.store.made import START, UNPRICED, Source, price
from tests.store.stores import KINDS, AnyStore
from unspool.model.query import ProjectTotal, TotalsQuery, UsageTotal
from unspool.model.rows import Batch
from unspool.model.usage import Price, UsageRow
from unspool.store import Store
from unspool.store.memory import MemoryStore

HOUR = 3_600_000
NOON = START - START % (24 * HOUR) + 12 * HOUR
QUERIES = (
    TotalsQuery(by="hour"),
    TotalsQuery(by="hour", since=NOON, until=NOON + 3 * HOUR),
    TotalsQuery(by="hour", until=NOON + HOUR, model="OPUS"),
    TotalsQuery(by="project", since=NOON + HOUR),
    TotalsQuery(by="project", until=NOON + 2 * HOUR, projects=("-a", "-c")),
    TotalsQuery(by="model", projects=("-b",)),
    TotalsQuery(by="model", since=NOON + 1),  # no whole hour
)


def dearer(row: UsageRow) -> int | None:
    """Other prices than before."""
    return None if row.tokens.geo == UNPRICED else row.tokens.output * 7


def history(seed: int) -> list[Batch | Price]:
    """Commits, files that are written anew, responses that move to their owner, other prices."""
    dice = random.Random(seed)
    sources = [Source(n, f"s{n}", project=f"-{'abc'[n % 3]}", at=NOON) for n in range(1, 7)]
    steps: list[Batch | Price] = []
    for _ in range(30):
        source = dice.choice(sources)
        if dice.random() < 0.15:
            source.restart()
        for _ in range(dice.randrange(1, 4)):
            key, at = f"m:{dice.randrange(25)}", NOON + dice.randrange(-HOUR, 4 * HOUR)
            undated = dice.random() < 0.1
            source.line().spends(
                key,
                dice.randrange(50),
                at=None if undated else at,
                model=dice.choice(("claude-opus-4-6", "claude-haiku-4-5")),
                geo=dice.choice(("", "", UNPRICED)),
                claim=dice.randbytes(2),
            )
        source.tells(is_displayable=dice.random() < 0.9)
        steps.append(source.batch())
        if dice.random() < 0.1:
            steps.append(dice.choice((price, dearer)))
    return steps


def played(store: Store, seed: int) -> list[list[UsageTotal]]:
    prices: Price = price
    for step in history(seed):
        if isinstance(step, Batch):
            store.commit([step], prices)
        else:
            prices = step
            store.reprice(prices, "prices")
    return [list(store.totals(query)) for query in QUERIES]


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
@pytest.mark.parametrize("seed", range(3))
def test_sums_of_hours_are_those_of_the_reference(kind: str, seed: int, tmp_path: Path) -> None:
    store: AnyStore = KINDS[kind](tmp_path)
    try:
        assert played(store, seed) == played(MemoryStore(), seed)
        assert store.projects() == _projects(seed)
        assert store.check(thorough=True) == []
    finally:
        store.close()


def _projects(seed: int) -> list[ProjectTotal]:
    store = MemoryStore()
    played(store, seed)
    return store.projects()


def test_an_hour_is_the_sum_of_its_quarters(store: AnyStore) -> None:
    source = Source().line()
    for number, minutes in enumerate((0, 14, 29, 59, 60)):
        source.spends(f"m:{number}", 1 << number, at=NOON + minutes * 60_000)
    store.commit([source.tells().batch()], price)

    found = list(store.totals(TotalsQuery(by="hour")))
    assert [(one.quarter, one.output_tokens, one.responses) for one in found] == [
        (NOON, 15, 4),
        (NOON + HOUR, 16, 1),
    ]
    assert (found[0].first_at, found[0].last_at) == (NOON, NOON + 59 * 60_000)
