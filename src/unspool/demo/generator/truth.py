"""What a generated root contains, counted while it is written and never by reading it.

Costs are computed independently of the product, so that each can check the other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from unspool.demo.generator.eras import Model

_PICO = 1_000_000_000_000
_RATE = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """The tokens of one API response."""

    input: int = 0
    output: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    unsplit: int = 0
    searches: int = 0
    fast: bool = False
    us: bool = False

    @property
    def written(self) -> int:
        """Tokens written to the cache, of either lifetime or of none told."""
        return self.write_5m + self.write_1h + self.unsplit

    @property
    def prompt(self) -> int:
        """Tokens that went in."""
        return self.input + self.read + self.written


class PriceList:
    """A dated price table: USD per million tokens, in rows per model."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._models: Mapping[str, Any] = table["models"]
        self._aliases: Mapping[str, str] = table.get("aliases", {})
        self._us = Decimal(str(table["geo"]["us"]))
        self._search = _pico(table["web_search_usd"], _PICO)

    def cost(self, model: str, day: str, usage: TokenUsage) -> int | None:
        """Price a response on its day; None when nobody knows the model."""
        rows = self._models.get(model) or self._models.get(self._aliases.get(model, ""))
        if not rows:
            return None
        row = [row for row in rows if (row.get("from") or "") <= day][-1]
        rates = row
        for tier in sorted(row.get("tiers") or (), key=lambda tier: int(tier["above"])):
            rates = tier if usage.prompt > tier["above"] else rates
        total = (
            usage.input * _pico(rates["input"])
            + usage.output * _pico(rates["output"])
            + usage.read * _pico(rates["cache_read"])
            + (usage.write_5m + usage.unsplit) * _pico(rates["cache_write_5m"])
            + usage.write_1h * _pico(rates["cache_write_1h"])
        )
        if usage.fast:
            total = int(total * Decimal(str(row.get("fast") or 1)))
        if usage.us:
            total = int(total * self._us)
        return total + usage.searches * self._search


@cache
def _pico(rate: float | None, unit: int = _RATE) -> int:
    return int(Decimal(str(rate or 0)) * unit)


@dataclass(slots=True)
class UsageTally:
    """The sum of some responses."""

    messages: int = 0
    input: int = 0
    output: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    unsplit: int = 0
    searches: int = 0
    pico: int = 0
    unpriced: int = 0
    unfinished: int = 0

    def add(self, usage: TokenUsage, pico: int | None, *, finished: bool) -> None:
        """Count one response."""
        self.messages += 1
        self.input += usage.input
        self.output += usage.output
        self.read += usage.read
        self.write_5m += usage.write_5m
        self.write_1h += usage.write_1h
        self.unsplit += usage.unsplit
        self.searches += usage.searches
        self.pico += pico or 0
        self.unpriced += pico is None
        self.unfinished += not finished

    def document(self) -> dict[str, int]:
        """Give the sum under the names the product uses."""
        return {
            "messages": self.messages,
            "inputTokens": self.input,
            "outputTokens": self.output,
            "cacheReadTokens": self.read,
            "cacheCreationTokens": self.write_5m + self.write_1h + self.unsplit,
            "ephemeral5mTokens": self.write_5m,
            "ephemeral1hTokens": self.write_1h,
            "unsplitWriteTokens": self.unsplit,
            "webSearches": self.searches,
            "usdPico": self.pico,
            "unpriced": self.unpriced,
            "lowerBound": self.unfinished,
        }


@dataclass
class SessionTruth:
    """What one session holds.

    A response counts for the session of its first copy: `copied` is what a fork shows besides.
    `hidden` is the part of `subagents` spent by agents no reader lists.
    """

    session: str
    facts: dict[str, Any]
    main: UsageTally = field(default_factory=UsageTally)
    subagents: UsageTally = field(default_factory=UsageTally)
    total: UsageTally = field(default_factory=UsageTally)
    copied: UsageTally = field(default_factory=UsageTally)
    hidden: UsageTally = field(default_factory=UsageTally)
    tools: dict[str, str] = field(default_factory=dict)
    tool_agents: dict[str, str] = field(default_factory=dict)
    agents: list[dict[str, Any]] = field(default_factory=list)
    filtered: list[str] = field(default_factory=list)
    compactions: int = 0

    def document(self) -> dict[str, Any]:
        """Give the session's part of the truth file."""
        return {
            **self.facts,
            "main": self.main.document(),
            "subagents": self.subagents.document(),
            "total": self.total.document(),
            "copied": self.copied.document(),
            "hidden": self.hidden.document(),
            "tools": self.tools,
            "toolAgents": self.tool_agents,
            "agents": self.agents,
            "filteredAgents": self.filtered,
            "compactions": self.compactions,
        }


@dataclass(frozen=True)
class Truth:
    """The sums of a whole root; its sessions are in the file it was written to."""

    path: Path
    totals: dict[str, int]
    models: dict[str, dict[str, int]]
    days: dict[str, dict[str, dict[str, int]]]
    unpriced: list[str]
    counts: dict[str, int]
    broken: dict[str, int]
    traps: dict[str, str]

    @property
    def sessions(self) -> dict[str, Any]:
        """Read back what each session holds."""
        sessions: dict[str, Any] = json.loads(self.path.read_bytes())["sessions"]
        return sessions


class TruthLedger:
    """Counts each response once, as it is written, and writes sessions out as they end."""

    def __init__(self, path: Path, prices: PriceList) -> None:
        self.counts: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self.traps: dict[str, str] = {}
        self._prices = prices
        self._totals = UsageTally()
        self._models: dict[str, UsageTally] = {}
        self._days: dict[str, dict[str, UsageTally]] = {}
        self._unpriced: set[str] = set()
        self._path = path
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self._file.write('{"sessions":{')
        self._glue = "\n"

    def message(
        self, model: Model, day: str, usage: TokenUsage, *shares: UsageTally, finished: bool
    ) -> int | None:
        """Count a response for the root and for those who share in it; say what it cost."""
        pico = self._prices.cost(model.priced, day, usage)
        if pico is None:
            self._unpriced.add(model.written)
        by_model = self._models.setdefault(model.written, UsageTally())
        by_day = self._days.setdefault(day, {}).setdefault(model.written, UsageTally())
        for tally in (self._totals, by_model, by_day, *shares):
            tally.add(usage, pico, finished=finished)
        return pico

    def close_session(self, session: SessionTruth) -> None:
        """Write a finished session down and forget it."""
        self.counts["sessions"] += 1
        self.counts["compactions"] += session.compactions
        self.counts["agents"] += len(session.agents)
        self._file.write(f"{self._glue}{_json(session.session)}:{_json(session.document())}")
        self._glue = ",\n"

    def finish(self) -> Truth:
        """Write the sums and close the file."""
        truth = Truth(
            path=self._path,
            totals=self._totals.document(),
            models={name: tally.document() for name, tally in sorted(self._models.items())},
            days={
                day: {name: tally.document() for name, tally in sorted(models.items())}
                for day, models in sorted(self._days.items())
            },
            unpriced=sorted(self._unpriced),
            counts=dict(sorted(self.counts.items())),
            broken=dict(sorted(self.broken.items())),
            traps=self.traps,
        )
        for name in ("totals", "models", "days", "unpriced", "counts", "broken", "traps"):
            closing = "\n}" if name == "totals" else ""
            self._file.write(f"{closing},\n{_json(name)}:{_json(getattr(truth, name))}")
        self._file.write("}\n")
        self._file.close()
        return truth


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
