"""Usage limits: known until they are reset, and compared with the time that is gone."""

from unspool.derive.usage.quota import paces
from unspool.model.usage import Quota, QuotaWindow

HOUR = 3_600_000
FIVE, SEVEN = QuotaWindow(23.5, 5 * HOUR), QuotaWindow(41.2, 50 * HOUR)


def test_use_is_compared_with_the_time_that_is_gone() -> None:
    five, seven = paces(Quota(4 * HOUR, FIVE, SEVEN), 4 * HOUR)

    assert (five.window, five.used, round(five.elapsed), five.is_ahead) == ("5h", 23.5, 80, False)
    assert (seven.window, round(seven.elapsed), seven.is_ahead) == ("7d", 73, False)
    assert paces(Quota(HOUR, QuotaWindow(30, 5 * HOUR)), HOUR)[0].is_ahead


def test_a_window_that_was_reset_is_not_known_any_more() -> None:
    assert [one.window for one in paces(Quota(1, FIVE, SEVEN), 5 * HOUR)] == ["7d"]
    assert paces(None, 0) == []
