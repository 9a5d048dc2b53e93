import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.money.books import NOON, TABLE
from tests.recall.roots import PRICES
from unspool.derive.money.cost import cost
from unspool.derive.money.pricer import Pricer
from unspool.model.message import Tokens
from unspool.model.usage import Mode

DAY = 86_400_000
MODELS = st.sampled_from([*TABLE.models, *TABLE.aliases, "nobody", ""])
# Around the days on which prices of the table change.
MOMENTS = st.none() | st.integers(1_773_360_000_000 - DAY, 1_784_851_200_000 + DAY)
COUNTS = st.sampled_from([0, 1, 99_999, 100_001, 200_001])
TOKENS = st.builds(Tokens, COUNTS, COUNTS, COUNTS, COUNTS, geo=st.sampled_from(["", "us"]))


@given(st.lists(st.tuples(TOKENS, MODELS, MOMENTS), max_size=8))
def test_a_pricer_asked_often_says_what_the_table_says(
    asked: list[tuple[Tokens, str, int | None]],
) -> None:
    pricer = Pricer(TABLE)

    assert [pricer.price(*one) for one in asked] == [cost(*one, TABLE) for one in asked]


@pytest.mark.parametrize("mode", ["billing", "devtools"])
def test_each_mode_has_its_own_rates(mode: Mode) -> None:
    tokens = Tokens(input=300_000)

    assert Pricer(TABLE, mode).price(tokens, "claude-sonnet-4-5", NOON) == (
        cost(tokens, "claude-sonnet-4-5", NOON, TABLE, mode)
    )


def test_a_price_changes_on_its_day_and_not_before() -> None:
    pricer, tokens, day = Pricer(TABLE), Tokens(input=300_000), 1_773_360_000_000  # 2026-03-13
    before, after = (pricer.price(tokens, "claude-sonnet-4-6", at) for at in (day - 1, day))

    assert (before, after) == (300_000 * 6_000_000, 300_000 * 3_000_000)


def test_a_model_without_a_price_has_none() -> None:
    assert Pricer(TABLE).price(Tokens(1, 1), "nobody", NOON) is None


def test_a_model_can_read_as_much_as_its_row_says_and_an_unknown_one_nobody_knows() -> None:
    pricer = Pricer(PRICES)

    assert pricer.window("claude-opus-5-20260101", None) == 1_000_000
    assert pricer.window("new-9", None) is None
