from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from unspool.derive.context.calibration import fitted
from unspool.model.document import Categories

COUNTS = st.lists(st.integers(0, 10**7), min_size=7, max_size=7)


def test_estimates_below_the_measured_context_stay_as_they_are() -> None:
    raw = Categories(claude_md=10, skills=20)

    assert fitted(raw, 30) == raw


def test_estimates_above_the_measured_context_shrink_in_proportion() -> None:
    raw = Categories(claude_md=100, tool_outputs=300)

    assert fitted(raw, 100) == Categories(claude_md=25, tool_outputs=75)


def test_tokens_lost_by_rounding_go_to_the_largest_remainders() -> None:
    raw = Categories(claude_md=5, tool_outputs=4, skills=1)

    assert fitted(raw, 7) == Categories(claude_md=3, tool_outputs=3, skills=1)


@given(COUNTS, st.integers(1, 10**7))
def test_fitted_estimates_never_exceed_what_was_measured(counts: list[int], limit: int) -> None:
    fit = astuple(fitted(Categories(*counts), limit))

    assert sum(fit) == min(sum(counts), limit)
    assert all(0 <= now <= before for now, before in zip(fit, counts, strict=True))
