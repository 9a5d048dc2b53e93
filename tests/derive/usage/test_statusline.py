from typing import Any

from unspool.derive.reading.clock import iso
from unspool.derive.usage.reports import statusline_totals
from unspool.derive.usage.responses import ledger_changes, merge_lines
from unspool.model.usage import LineUsage, OwnedUsage, Tokens, TotalRow, UsageRow

HOUR, MINUTE = 3_600_000, 60_000
NOON = 1_793_534_400_000  # 2026-11-01
PICO = 10**12
KEY = ("-p", "s1")


def answer(id: str = "m1", at: int = NOON, output: int = 10, **more: Any) -> LineUsage:
    flags: dict[str, Any] = {"is_finished": True, "is_sidechain": False, **more}
    return LineUsage(id, iso(at) or "", "opus", Tokens(output=output), **flags)


def newer(*answers: LineUsage, session: str = "s1") -> dict[str, OwnedUsage]:
    return merge_lines(("-p", session, one) for one in answers)


def known(*answers: LineUsage) -> dict[str, OwnedUsage]:
    return {
        key: owned._replace(project_id="-p", row=owned.row._replace(usd_pico=10 * PICO))
        for key, owned in newer(*answers).items()
    }


def price(row: UsageRow) -> int | None:
    return None if row.model == "odd" else row.tokens.output * PICO


def total(at: int, dollars: int, session: str = "s1", project: str = "-p") -> TotalRow:
    name = (at - at % 900_000, project, session, "", "opus")
    return (*name, 1, 100, 0, 0, 0, dollars * PICO, 0, 0, 1, at, at)


def test_of_a_responses_lines_the_one_with_most_output_counts() -> None:
    (found,) = newer(answer(output=1), answer(output=9), answer(output=1)).values()

    assert found.row.tokens.output == 9


def test_its_time_is_that_of_the_earliest_and_one_end_is_enough() -> None:
    late = answer(at=NOON + 5, output=20, is_finished=False)
    (found,) = newer(answer(at=NOON, is_finished=True), late).values()

    assert (found.row.timestamp, found.row.is_finished) == (NOON, True)


def test_new_answers_are_sums_of_their_quarter() -> None:
    (found,) = ledger_changes(newer(answer(at=NOON + 20 * MINUTE)), {}, price)

    assert found == (
        *(NOON + 15 * MINUTE, "-p", "s1", "", "opus"),
        *(0, 10, 0, 0, 0, 10 * PICO, 0, 0, 1, NOON + 20 * MINUTE, NOON + 20 * MINUTE),
    )


def test_an_answer_without_a_price_is_counted_as_such() -> None:
    (found,) = ledger_changes(newer(answer()._replace(model="odd")), {}, price)

    assert found[10:12] == (0, 1)


def test_an_answer_that_may_go_on_is_a_lower_bound() -> None:
    (found,) = ledger_changes(newer(answer(is_finished=False)), {}, price)

    assert found[12] == 1


def test_an_answer_the_ledger_has_is_left_out() -> None:
    assert ledger_changes(newer(answer()), known(answer()), price) == []


def test_of_one_that_grew_since_the_difference_counts() -> None:
    before, after = ledger_changes(newer(answer(output=30)), known(answer()), price)

    assert [int(a) + int(b) for a, b in zip(before[5:14], after[5:14], strict=True)] == [
        *(0, 20, 0, 0, 0, 20 * PICO, 0, 0, 0)
    ]


def test_an_answer_that_another_session_owns_is_not_counted_again() -> None:
    """A fork repeats it, and says so."""
    fork = answer(output=10, is_fork=True)

    assert ledger_changes(newer(fork, session="s2"), known(answer()), price) == []


def test_an_answer_without_a_time_is_of_the_session_and_of_no_day() -> None:
    found = statusline_totals(
        ledger_changes(newer(answer()._replace(at="some day")), {}, price), KEY, NOON, NOON
    )

    assert (found.session.pico, found.today.pico, found.block) == (10 * PICO, 0, None)


def test_the_session_is_counted_over_all_days() -> None:
    found = statusline_totals([total(NOON - 99 * HOUR, 1), total(NOON, 2)], KEY, NOON, NOON)

    assert (found.session.pico, found.today.pico) == (3 * PICO, 2 * PICO)


def test_a_session_of_the_same_id_in_another_project_is_another_one() -> None:
    totals = [total(NOON, 1), total(NOON, 2, project="-q")]
    keys = KEY, ("-q", "s1"), ("", "s1")

    found = [statusline_totals(totals, key, NOON, NOON).session.pico for key in keys]

    assert found == [PICO, 2 * PICO, 3 * PICO]


def test_the_day_is_of_all_sessions() -> None:
    found = statusline_totals([total(NOON, 1), total(NOON, 2, "s2")], KEY, NOON - HOUR, NOON)

    assert (found.session.pico, found.today.pico) == (PICO, 3 * PICO)


def test_the_block_that_runs_says_what_is_left_of_it() -> None:
    found = statusline_totals(
        [total(NOON, 1), total(NOON + 30 * MINUTE, 2)], KEY, NOON, NOON + HOUR
    )

    assert found.block is not None
    assert (found.block.spend.pico, found.minutes_left) == (3 * PICO, 240)


def test_the_pace_is_that_of_the_block() -> None:
    found = statusline_totals(
        [total(NOON, 1), total(NOON + 30 * MINUTE, 2)], KEY, NOON, NOON + HOUR
    )

    assert (found.usd_per_hour, round(found.tokens_per_minute, 2)) == (6.0, 6.73)


def test_a_block_that_is_over_is_not_told() -> None:
    found = statusline_totals([total(NOON, 1)], KEY, NOON, NOON + 6 * HOUR)

    assert (found.block, found.usd_per_hour, found.minutes_left) == (None, None, 0)


def test_where_nothing_is_known_nothing_stands() -> None:
    found = statusline_totals([], KEY, NOON, NOON)

    assert (found.session.responses, found.today.responses, found.block) == (0, 0, None)
