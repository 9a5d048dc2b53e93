"""Cost reports as JSON, with ccusage's field names and a few more."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from unspool.model.usage import CostBlock, CostRow, Pace, QuotaPace, Report, Spend

Document: TypeAlias = dict[str, Any]

# A report's list, and what a row of it is called by.
LISTS: Final = {
    "daily": ("daily", "date"),
    "weekly": ("weekly", "week"),
    "monthly": ("monthly", "month"),
    "session": ("sessions", "sessionId"),
    "project": ("projects", "projectId"),
    "model": ("models", "modelName"),
    "skill": ("skills", "skill"),
    "mcp": ("mcpServers", "mcpServer"),
    "agent": ("agents", "agentType"),
    "command": ("commands", "command"),
    "tool": ("tools", "tool"),
}
_WARNING: Final = 0.8


def document(report: Report, kind: str) -> Document:
    """A whole report."""
    plural, _ = LISTS[kind]
    return {
        plural: [_row(row, kind) for row in report.rows],
        "totals": _sums(report.total),
    }


def _row(row: CostRow, kind: str) -> Document:
    document: Document = {LISTS[kind][1]: row.name}
    if kind in ("daily", "weekly", "monthly"):
        document |= {"period": row.name, "agent": "all", "metadata": {"agents": ["claude"]}}
    if kind == "session":
        last = {"lastActivity": iso(row.spend.last_at)}
        document |= {"period": row.name, "agent": "claude", "metadata": last}
        document |= {"projectId": row.project, "projectPath": row.project}
    if kind == "project":
        document["projectPath"] = row.name
    if kind not in ("daily", "weekly", "monthly"):
        document |= {
            "firstActivity": iso(row.spend.first_at),
            "lastActivity": iso(row.spend.last_at),
        }
    document |= _sums(row)
    if kind != "model":
        document["modelsUsed"] = list(row.models)
        document["modelBreakdowns"] = [
            {"modelName": name, **_tokens(spend), "cost": spend.usd}
            for name, spend in row.models.items()
        ]
    return document


def _sums(row: CostRow) -> Document:
    spend = row.spend
    return {
        **_tokens(spend),
        "totalTokens": spend.tokens,
        "totalCost": spend.usd,
        "unpriced": sorted(name for name, part in row.models.items() if part.unpriced),
        "lowerBound": bool(spend.lower_bound),
        "responses": spend.responses,
    }


def _tokens(spend: Spend) -> Document:
    return {
        "inputTokens": spend.input,
        "outputTokens": spend.output,
        "cacheCreationTokens": spend.write,
        "cacheReadTokens": spend.read,
    }


def blocks_document(
    blocks: Sequence[CostBlock],
    pace: Pace | None,
    limit: int | None,
    quota: Sequence[QuotaPace] = (),
) -> Document:
    """Blocks; pace and token limit apply to the active one. Usage limits that are known."""
    return {
        "blocks": [_block(block, pace if block.is_active else None, limit) for block in blocks],
        "quota": quota_document(quota),
    }


def quota_document(quota: Sequence[QuotaPace]) -> Document:
    """Usage limits: what is used, how much of the time is gone, and how the two compare."""
    spans = {"fiveHour": "5h", "sevenDay": "7d"}
    known = {name: one for name, span in spans.items() for one in quota if one.window == span}
    return {
        **{name: _quota_span(known[name]) if name in known else None for name in spans},
        "pace": {name: known[name].pace if name in known else None for name in spans}
        if known
        else None,
    }


def _quota_span(one: QuotaPace) -> Document:
    return {
        "usedPercent": one.used,
        "elapsedPercent": round(one.elapsed, 1),
        "resetsAt": iso(one.resets_at),
        "at": iso(one.at),
    }


def _block(block: CostBlock, pace: Pace | None, limit: int | None) -> Document:
    spend, start = block.spend, iso(block.start)
    document: Document = {
        "id": f"gap-{start}" if block.is_gap else start,
        "startTime": start,
        "endTime": iso(block.end),
        "actualEndTime": iso(spend.last_at),
        "isActive": block.is_active,
        "isGap": block.is_gap,
        "entries": spend.responses,
        "tokenCounts": {
            "inputTokens": spend.input,
            "outputTokens": spend.output,
            "cacheCreationInputTokens": spend.write,
            "cacheReadInputTokens": spend.read,
        },
        "totalTokens": spend.tokens,
        "costUSD": spend.usd,
        "models": list(block.models),
        "burnRate": pace and _burn(pace),
        "projection": pace and _projection(pace),
        "unpriced": list(block.unpriced),
        "lowerBound": bool(spend.lower_bound),
        "responses": spend.responses,
    }
    if pace and limit:
        document["tokenLimitStatus"] = _limited(pace, limit)
    return document


def _burn(pace: Pace) -> Document:
    return {
        "tokensPerMinute": pace.tokens_per_minute,
        "tokensPerMinuteForIndicator": pace.spoken_per_minute,
        "costPerHour": pace.usd_per_hour,
    }


def _projection(pace: Pace) -> Document:
    return {
        "remainingMinutes": pace.minutes_left,
        "totalTokens": pace.tokens,
        "totalCost": pace.usd,
    }


def _limited(pace: Pace, limit: int) -> Document:
    share = pace.tokens / limit
    status = "exceeds" if share > 1 else "warning" if share > _WARNING else "ok"
    return {
        "limit": limit,
        "projectedUsage": pace.tokens,
        "percentUsed": share * 100,
        "status": status,
    }


def iso(ms: int) -> str | None:
    """A timestamp as ISO 8601; None for 0."""
    if not ms:
        return None
    whole, part = divmod(ms, 1_000)
    return f"{datetime.fromtimestamp(whole, UTC).isoformat()[:19]}.{part:03}Z"
