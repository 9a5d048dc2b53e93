"""Why it cost that: the kinds add up, and what is too little is left out."""

from unspool.model.insights import Cause, Causes
from unspool.model.steps import StepCost
from unspool.show.html.cost_panel import cause_shares
from unspool.show.html.spend_causes import avoidable, cause_rows, largest_cause

PICO = 10**12


def kinds(**usd: float) -> tuple[Cause, ...]:
    return tuple(Cause(name=name, pico=int(cost * PICO)) for name, cost in usd.items())


def broken(usd: float) -> Cause:
    return Cause(name="a pause", pico=int(usd * PICO), responses=1)


def test_what_breaks_cost_is_taken_out_of_the_writing() -> None:
    found = Causes(pico=10 * PICO, kinds=kinds(read=6, write=4), breaks=(broken(3),))

    assert [(row.name, row.cost, row.part) for row in cause_rows(found)] == [
        ("Cache reads", "$6.00", "60 %"),
        ("Cache breaks", "$3.00", "30 %"),
        ("Cache writes", "$1.00", "10 %"),
    ]


def test_less_than_half_a_cent_is_no_row() -> None:
    found = Causes(pico=PICO, kinds=kinds(read=1, output=0.004))

    assert len(cause_rows(found)) == 1


def test_loops_come_last_and_are_part_of_the_rest() -> None:
    rows = cause_rows(Causes(pico=2 * PICO, kinds=kinds(output=2), looped=PICO))

    assert [(row.name, row.cost, row.leads) for row in rows][-1] == ("Loops", "$1.00", "loops")


def test_a_cause_has_the_name_and_the_hint_it_has_on_a_session() -> None:
    cost = StepCost(read=6 * PICO, write=PICO, input=PICO, output=PICO, rewrite=PICO, searches=PICO)
    parts = [(one.name, one.text, one.why) for one in cause_shares([cost])]
    spent = kinds(read=6, write=2, input=1, output=1, searches=1)
    rows = cause_rows(Causes(pico=11 * PICO, kinds=spent, breaks=(broken(1),)))

    assert {(row.kind, row.name, row.note) for row in rows} == set(parts)


def test_the_largest_cause_is_a_sentence() -> None:
    found = Causes(pico=10 * PICO, kinds=kinds(read=2, write=8), breaks=(broken(7),))

    assert largest_cause(found) == ("70 %", "went into cache breaks")
    assert largest_cause(Causes()) == ("", "")


def test_nothing_worth_a_cent_was_avoidable() -> None:
    assert (avoidable(Causes(avoidable=PICO // 1_000)), avoidable(Causes(avoidable=PICO))) == (
        "",
        "$1.00",
    )
