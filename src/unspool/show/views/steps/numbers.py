"""Metrics -> figures that can say how they came to be."""

from msgspec import Struct

from unspool.model.document import Metrics, TotalMetrics
from unspool.show import names
from unspool.show.money import format_count, format_usd


class Number(Struct, frozen=True):
    """A figure, and in a sentence or two where it comes from."""

    text: str
    why: str = ""

    def __bool__(self) -> bool:
        return bool(self.text)


def cost(metrics: Metrics, of: str = "") -> Number:
    """Dollars, with the tokens they were reckoned from."""
    text = format_usd(metrics.cost_usd, at_least=metrics.lower_bound)
    return Number(text, " ".join([*_reckoned(metrics, of), *_doubts(metrics)]))


def total(metrics: TotalMetrics, main: Metrics, agents: Metrics) -> Number:
    """A session's dollars: its own and its agents', and what the client itself says."""
    whole = cost(metrics)
    shares = f"{format_usd(main.cost_usd)} of its own"
    if agents.total_tokens:
        shares += f" and {format_usd(agents.cost_usd)} of its agents"
    told = (
        f" Claude Code says {format_usd(metrics.cost_state.total_cost_usd)}."
        if (metrics.cost_state)
        else ""
    )
    return Number(whole.text, f"{whole.why} It is {shares}.{told}")


def tokens(metrics: Metrics) -> Number:
    """How many tokens went through."""
    return Number(f"{format_count(metrics.total_tokens)} tokens", " ".join(_reckoned(metrics)))


def _reckoned(metrics: Metrics, of: str = "") -> list[str]:
    kinds = (
        (metrics.input_tokens, "read new"),
        (metrics.cache_creation_tokens, "written to the cache"),
        (metrics.cache_read_tokens, "read from the cache"),
        (metrics.output_tokens, "written"),
    )
    told = ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)
    if not told:
        return ["No tokens were counted."]
    return [f"Tokens{f' of {of}' if of else ''}, each answer counted once: {told}."]


def _doubts(metrics: Metrics) -> list[str]:
    found = []
    if metrics.unpriced:
        found.append(f"No price is known for {', '.join(map(names.model, metrics.unpriced))}.")
    if metrics.lower_bound:
        found.append("At least: some answers were never finished on disk.")
    return found
