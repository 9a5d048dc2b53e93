"""The machines page: when each was seen, how far it is behind, and what is not known."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.shipping import MachineRow
from unspool.show.html.machines_page import MachinesPage, machines_page


def machine(name: str = "laptop", **known: Any) -> MachineRow:
    return MachineRow(name=name, person="ada", enrolled_at=NOW, **known)


def page(*machines: MachineRow) -> MachinesPage:
    return machines_page(machines, shell(), NOW, UTC)


def test_a_machine_leads_to_its_sessions() -> None:
    made = page(machine(seen_at=NOW - 120_000, queue_bytes=2_000_000, lag_ms=90_000))
    (row,) = made.rows

    assert "/sessions?machine=laptop" in seen(made).hrefs
    assert (row.state, row.queue, row.lag) == ("seen 2 min ago", "2.0 MB waiting", "2 min behind")


def test_what_is_not_known_is_no_zero() -> None:
    made = page(machine())

    assert (made.rows[0].state, made.rows[0].queue, made.rows[0].lag) == ("seen never", "", "")
    assert seen(made).text.count("unknown") == 3
    assert page(machine(cost_today_usd=None)).rows[0].cost == "unpriced"


@pytest.mark.parametrize(
    ("skew", "shown"),
    [
        (None, ""), (0, ""), (4_999, ""), (-4_999, ""),
        (5_000, "clock 5.0 s behind"), (-5_000, "clock 5.0 s ahead"),
    ],
)  # fmt: skip
def test_clocks_are_marked_from_five_seconds_on(skew: int | None, shown: str) -> None:
    made = page(machine(skew_ms=skew))

    assert made.rows[0].skew == shown
    assert ("clock " in seen(made).text) == bool(shown)


def test_the_summary_counts_and_adds_up() -> None:
    given = machine(cost_today_usd=1.5), machine("desk", cost_today_usd=2.0, revoked_at=NOW)

    assert page(*given).summary == "2 machines, 1 revoked, $3.50 today"
    assert page(*given, machine("new")).summary == "3 machines, 1 revoked, ≥ $3.50 today"
    assert page().summary == "0 machines"
    assert "revoked" in seen(page(given[1])).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    plain = page(machine("x", platform="x", version="x", mode="x"))
    hostile = page(machine(text, platform=text, version=text, mode=text))

    assert seen(hostile).shape == seen(plain).shape
