from typing import Any

from tests.derive.usage.books import TABLE, line
from unspool.derive.usage.explain import (
    ExplainedResponse,
    UsageRecord,
    charges,
    dropped_lines,
    group_responses,
)
from unspool.derive.usage.prices import Pricer
from unspool.model.usage import Tokens

MARCH, APRIL = 1_772_500_000_000, 1_775_500_000_000


def record(
    output: int = 1, file: int = 0, tokens: Tokens | None = None, **fields: Any
) -> UsageRecord:
    used = tokens or Tokens(0, output)
    made = line(output, **{"model": "claude-sonnet-4-6", "at": MARCH, **fields})
    return UsageRecord(file, bool(fields.get("agent_id")), made, used)


def kept(tokens: Tokens, **fields: Any) -> ExplainedResponse:
    (found,) = group_responses([record(tokens=tokens, **fields)])
    return found


def why(*lines: UsageRecord, elsewhere: dict[str, str] | None = None) -> dict[str, int]:
    found = dropped_lines(group_responses(lines), elsewhere or {})
    return {one.why: one.lines for one in found}


def test_each_response_is_kept_once_by_its_best_line() -> None:
    (found,) = group_responses([record(1), record(260), record(3)])

    assert (found.record.tokens.output, len(found.others)) == (260, 2)


def test_a_line_number_is_no_name_outside_its_file() -> None:
    found = group_responses([record(file=file, message_id="", uuid="") for file in (0, 1)])

    assert len(found) == 2


def test_lines_of_one_response_in_one_file_were_streamed() -> None:
    assert why(record(1), record(2), record(3)) == {"streamed": 2}


def test_a_copy_in_an_agent_s_file_is_a_sidechain_s() -> None:
    assert why(record(9), record(1, file=1, agent_id="a1", is_sidechain=True)) == {"sidechain": 1}


def test_a_copy_that_names_its_origin_is_a_fork_s() -> None:
    assert why(record(9), record(1, file=1, forked_from=("s0", "u1"))) == {"fork": 1}


def test_a_copy_in_another_file_is_one() -> None:
    assert why(record(9), record(1, file=1)) == {"copy": 1}


def test_what_counts_elsewhere_is_dropped_whole() -> None:
    assert why(record(1), record(2), elsewhere={"m:msg_1": "s0"}) == {"fork": 2}


def test_a_response_began_with_its_earliest_line_and_ends_with_any() -> None:
    (found,) = group_responses([record(9, at=APRIL), record(1, at=MARCH, stop_reason="end_turn")])

    assert (found.first_at, found.is_finished) == (MARCH, True)


def test_tokens_are_told_by_kind_and_rate() -> None:
    (charge,) = charges([kept(Tokens(10, 20, 30, 50, 10, 40)).row], TABLE)

    assert [(kind.kind, kind.tokens, kind.usd_per_million) for kind in charge.kinds] == [
        ("input", 10, 3.0),
        ("output", 20, 15.0),
        ("cache write 5m", 10, 3.75),
        ("cache write 1h", 40, 6.0),
        ("cache read", 30, 0.3),
    ]


def test_a_charge_is_what_its_responses_cost() -> None:
    used = Tokens(1_000, 2_000, 3_000, 500, 100, 200, 2, "", "us")
    (charge,) = charges([kept(used).row], TABLE)

    assert charge.cost_usd == (Pricer(TABLE).price(used, "claude-sonnet-4-6", MARCH) or 0) / 10**12
    assert (charge.geo, charge.searches, charge.searches_usd) == (1.1, 2, 0.02)


def test_a_tier_a_day_and_a_factor_make_a_charge_of_their_own() -> None:
    long = kept(Tokens(200_001))
    short = kept(Tokens(5))
    later = kept(Tokens(5), at=APRIL)
    found = charges([one.row for one in (long, short, later)], TABLE)

    assert [(one.above, one.since, one.until) for one in found] == [
        (200_000, None, "2026-03-13"),
        (None, None, "2026-03-13"),
        (None, "2026-03-13", None),
    ]


def test_fast_mode_is_told_by_its_factor() -> None:
    used = Tokens(1_000_000, speed="fast")
    (charge,) = charges([kept(used, model="claude-opus-4-7", at=APRIL).row], TABLE)

    assert (charge.fast, charge.cost_usd, charge.kinds[0].cost_usd) == (6.0, 30.0, 30.0)


def test_a_model_without_a_price_has_no_cost() -> None:
    (charge,) = charges([kept(Tokens(5), model="").row], TABLE)

    assert (charge.model, charge.cost_usd, charge.kinds) == ("unknown", None, ())
