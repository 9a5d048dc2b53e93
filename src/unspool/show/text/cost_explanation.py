"""`unspool cost explain` -> text: how a session's cost is computed, step by step."""

from collections.abc import Iterator
from typing import Final

from unspool.model.api import Charge, Difference, Explanation, ToolComparison
from unspool.show import safe
from unspool.show.numbers import format_usd, plural, unknown_usage
from unspool.show.text.costs import CostColumn, layout_columns, model_name

_WHY: Final = {
    "streamed": "are further lines of a response written block by block",
    "sidechain": "repeat a response in an agent's file or beside the main thread",
    "fork": "were copied from the session they were first written in",
    "copy": "repeat a response in another file of the session",
}
_RATES: Final = (
    CostColumn("", right=False),
    CostColumn("TOKENS"),
    CostColumn("USD PER MILLION"),
    CostColumn("COST"),
)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """All of it."""
    yield f"{explanation.session_id}  {safe.brief(explanation.project_id, 80)}"
    yield ""
    yield from _read(explanation)
    for charge in explanation.charges:
        yield ""
        yield from _charge(charge)
    yield ""
    yield from _sum(explanation)
    if explanation.ccusage is not None:
        yield ""
        yield from _compared(explanation.ccusage)


def _read(explanation: Explanation) -> Iterator[str]:
    files, lines = plural(explanation.files, "file"), plural(explanation.lines, "line")
    yield f"{lines} in {files}, {explanation.usage_lines:,} with usage"
    for dropped in explanation.dropped:
        yield f"- {dropped.lines:,} {_WHY.get(dropped.why, dropped.why)}"
    if explanation.earlier:
        yield f"+ {plural(explanation.earlier, 'response')} only in an earlier version of the file"
    yield f"= {plural(explanation.responses, 'response')}"
    for session, count in explanation.elsewhere.items():
        yield f"  {plural(count, 'response')} of {safe.brief(session, 40)} counted there"


def _charge(charge: Charge) -> Iterator[str]:
    name = model_name(safe.brief(charge.model, 80))
    head = f"{name}, {plural(charge.responses, 'response')}"
    if charge.cost_usd is None:
        yield f"{head}: no price"
        return
    yield f"{head}{''.join(_terms(charge))}"
    rows = [
        [kind.kind, f"{kind.tokens:,}", f"{kind.usd_per_million:g}", _usd(kind.cost_usd)]
        for kind in charge.kinds
    ]
    if charge.searches:
        rows.append(["web searches", f"{charge.searches:,}", "", _usd(charge.searches_usd)])
    total = ["sum", "", "", _usd(charge.cost_usd)]
    yield from layout_columns(_RATES, rows, total, None)


def _terms(charge: Charge) -> Iterator[str]:
    if charge.since or charge.until:
        yield f", prices of {charge.since or 'the beginning'} to {charge.until or 'now'}"
    if charge.above is not None:
        yield f", prompts above {charge.above:,} tokens"
    if charge.fast is not None:
        yield f", fast mode x {charge.fast:g}"
    if charge.geo is not None:
        yield f", served in the US x {charge.geo:g}"


def _sum(explanation: Explanation) -> Iterator[str]:
    yield f"{_usd(explanation.total_cost)} in total"
    if explanation.unpriced:
        yield f"  no price: {', '.join(safe.brief(name, 80) for name in explanation.unpriced)}"
    if unfinished := explanation.lower_bound - explanation.unknown_agents:
        yield f"  at least: {plural(unfinished, 'response')} without a final output count"
    if explanation.unknown_agents:
        yield f"  at least: {unknown_usage(explanation.unknown_agents)}"
    if explanation.cost_state_usd is not None:
        off = _signed(explanation.cost_state_difference or 0.0)
        yield f"  Claude Code's own count: {_usd(explanation.cost_state_usd)} ({off})"


def _compared(comparison: ToolComparison) -> Iterator[str]:
    report = f"{comparison.tool}, {comparison.report} report"
    if comparison.total_cost is None:
        yield f"{report}: not compared"
    else:
        total, difference = _usd(comparison.total_cost), _signed(comparison.difference)
        yield f"{report}: {total} for these lines ({difference})"
    if comparison.unknown_models:
        names = ", ".join(safe.brief(name, 80) for name in comparison.unknown_models)
        yield f"  without {names}: its prices for them are unknown"
    for one in comparison.because:
        yield f"  {_signed(one.cost_usd)}  {plural(one.responses, 'response')}: {one.rule}"
        if tokens := _tokens(one):
            yield f"      {tokens}"


def _tokens(one: Difference) -> str:
    counts = {
        "input": one.input_tokens,
        "output": one.output_tokens,
        "cache write": one.cache_creation_tokens,
        "cache read": one.cache_read_tokens,
    }
    return ", ".join(f"{kind} {count:+,}" for kind, count in counts.items() if count)


def _usd(amount: float | None) -> str:
    return format_usd(amount) if amount is None or amount >= 1 else f"${amount:.4f}"


def _signed(amount: float) -> str:
    return f"{'-' if amount < 0 else '+'}${abs(amount):.4f}"
