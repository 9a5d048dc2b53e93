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
    priced = ((one, cost(one.tokens, one.model, one.at, table, mode)) for one in responses)
    return summed(priced, message_count=message_count, duration_ms=duration_ms)


def summed(
    priced: Iterable[tuple[Response, int | None]], *, message_count: int = 0, duration_ms: int = 0
) -> Metrics:
    """Sum responses whose prices are known already."""
    sent = made = read = written = short = long = total = 0
    finished = True
    unpriced: set[str] = set()
    for response, price in priced:
        tokens = response.tokens
        sent += tokens.input
        made += tokens.output
        read += tokens.cache_read
        written += tokens.cache_write
        short += tokens.write_5m
        long += tokens.write_1h
        finished = finished and response.finished
        if price is None:
            unpriced.add(response.model or NAMELESS)
        else:
            total += price
    return Metrics(
        input_tokens=sent,
        output_tokens=made,
        cache_read_tokens=read,
        cache_creation_tokens=written,
        ephemeral5m_tokens=short,
        ephemeral1h_tokens=long,
        total_tokens=sent + made + read + written,
        message_count=message_count,
        cost_usd=_dollars(total, bool(unpriced)),
        unpriced=tuple(sorted(unpriced)),
        lower_bound=not finished,
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
        message_count=(a.message_count or 0) + (b.message_count or 0),
        cost_usd=_dollars(total, bool(unpriced)),
        unpriced=tuple(sorted(unpriced)),
        lower_bound=a.lower_bound or b.lower_bound,
        duration_ms=max(a.duration_ms, b.duration_ms),
    )


def duration(times: Iterable[int | None]) -> int:
    """Milliseconds from the first to the last known time."""
    known = [at for at in times if at is not None]
    return max(known) - min(known) if known else 0


def _dollars(total: int, is_partial: bool) -> float | None:
    # Nothing beside something unpriced would read as "free".
    return None if is_partial and total == 0 else usd(total)
