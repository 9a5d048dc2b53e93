"""Calls -> one count for each tool: how many, how many failed, how long they took and waited."""

from collections.abc import Iterable, Mapping, Sequence

from unspool.model.insights import CallFact, ToolCount


def tool_counts(calls: Iterable[CallFact], waits: Mapping[str, int]) -> list[ToolCount]:
    """The most used first; a call without an answer counts, and has no time."""
    groups: dict[str, list[CallFact]] = {}
    for call in calls:
        groups.setdefault(call.name or "?", []).append(call)
    made = [_count(name, group, waits) for name, group in groups.items()]
    return sorted(made, key=lambda one: (-one.calls, one.name))


def _count(name: str, calls: Sequence[CallFact], waits: Mapping[str, int]) -> ToolCount:
    took = sorted(_worked(call, waits) for call in calls if call.duration_ms is not None)
    waited = [waits[call.tool_use_id] for call in calls if call.tool_use_id in waits]
    return ToolCount(
        name=name,
        calls=len(calls),
        errors=sum(call.state == "error" for call in calls),
        rejected=sum(call.state == "rejected" for call in calls),
        median_ms=quantile(took, 0.5),
        p95_ms=quantile(took, 0.95),
        waited=len(waited),
        waited_ms=sum(waited),
    )


def _worked(call: CallFact, waits: Mapping[str, int]) -> int:
    """How long a tool itself took: the wait for approval is the reader's."""
    return max(0, (call.duration_ms or 0) - waits.get(call.tool_use_id, 0))


def quantile(ordered: Sequence[int], part: float) -> int | None:
    """The least value that so large a part of all does not exceed."""
    if not ordered:
        return None
    return ordered[max(0, -(-len(ordered) * round(part * 100) // 100) - 1)]
