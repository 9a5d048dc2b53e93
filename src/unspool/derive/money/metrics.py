"""Responses -> metrics: the one sum behind every figure."""

from collections.abc import Iterable

from unspool.derive.money.cost import cost, pico, usd
from unspool.model.document import Metrics
from unspool.model.prices import PriceTable
from unspool.model.usage import Mode, Response

NAMELESS = "unknown"


def metrics(
    responses: Iterable[Response],
    table: PriceTable,
    mode: Mode = "billing",
    *,
    message_count: int = 0,
    duration_ms: int = 0,
) -> Metrics:
    """Sum responses; the cost is of those that have a price, None where that says nothing."""
    counted = list(responses)
    tokens = [response.tokens for response in counted]
    read, written = sum(one.cache_read for one in tokens), sum(one.cache_write for one in tokens)
    sent, made = sum(one.input for one in tokens), sum(one.output for one in tokens)
    cost_usd, unpriced = _priced(counted, table, mode)
    return Metrics(
        input_tokens=sent,
        output_tokens=made,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        ephemeral5m_tokens=sum(one.write_5m for one in tokens),
        ephemeral1h_tokens=sum(one.write_1h for one in tokens),
        total_tokens=sent + made + read + written,
        message_count=message_count,
        cost_usd=cost_usd,
        unpriced=unpriced,
        lower_bound=not all(response.finished for response in counted),
        duration_ms=duration_ms,
    )


def add(a: Metrics, b: Metrics) -> Metrics:
    """Add what two parts used; they may have run at once, so the longer one is the duration."""
    total = pico(a.cost_usd or 0) + pico(b.cost_usd or 0)
    unpriced = {*a.unpriced, *b.unpriced}
    return Metrics(
        input_tokens=a.input_tokens + b.input_tokens,
        output_tokens=a.output_tokens + b.output_tokens,
        cache_read_tokens=a.cache_read_tokens + b.cache_read_tokens,
        cache_creation_tokens=a.cache_creation_tokens + b.cache_creation_tokens,
        ephemeral5m_tokens=a.ephemeral5m_tokens + b.ephemeral5m_tokens,
        ephemeral1h_tokens=a.ephemeral1h_tokens + b.ephemeral1h_tokens,
        total_tokens=a.total_tokens + b.total_tokens,
        message_count=a.message_count + b.message_count,
        cost_usd=_dollars(total, bool(unpriced)),
        unpriced=tuple(sorted(unpriced)),
        lower_bound=a.lower_bound or b.lower_bound,
        duration_ms=max(a.duration_ms, b.duration_ms),
    )


def duration(times: Iterable[int | None]) -> int:
    """Milliseconds from the first to the last known time."""
    known = [at for at in times if at is not None]
    return max(known) - min(known) if known else 0


def _priced(
    responses: list[Response], table: PriceTable, mode: Mode
) -> tuple[float | None, tuple[str, ...]]:
    total, unpriced = 0, set()
    for response in responses:
        price = cost(response.tokens, response.model, response.at, table, mode)
        if price is None:
            unpriced.add(response.model or NAMELESS)
        else:
            total += price
    return _dollars(total, bool(unpriced)), tuple(sorted(unpriced))


def _dollars(total: int, is_partial: bool) -> float | None:
    # Nothing beside something unpriced would read as "free".
    return None if is_partial and total == 0 else usd(total)
