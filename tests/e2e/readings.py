"""A whole root, read as anybody's root is read, in the words of its truth file."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import structs

from tests.engine.roots import PRICES, setting
from unspool.derive.reading.clock import iso
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import is_used, merge_rows
from unspool.engine.sessions.live_session import LiveSession
from unspool.engine.sessions.ownership import Owners
from unspool.engine.sessions.related import RelatedSessions
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.model.document import Diagnostics, ToolExecution
from unspool.model.usage import OwnedUsage, UsageRow
from unspool.source.roots import find_roots

LONG_AFTER = 2_000_000_000_000  # nobody is at work on any of it any more
FIELDS = {
    "inputTokens": "input",
    "outputTokens": "output",
    "cacheReadTokens": "cache_read",
    "cacheCreationTokens": "cache_write",
    "ephemeral5mTokens": "write_5m",
    "ephemeral1hTokens": "write_1h",
    "webSearches": "web_searches",
}


class Reading:
    """All sessions of a root, and each of its responses charged to one of them."""

    def __init__(self, root: Path) -> None:
        roots = find_roots([root], {}, root)
        files = RootSessions(roots, PRICES, now=LONG_AFTER).files()
        around = structs.replace(setting(LONG_AFTER), owners=Owners(roots))
        self.live = {
            file.session_id or "": LiveSession(file, around) for file in files if file.size
        }
        others = RelatedSessions(roots)
        self.sessions = {id: SessionReader(one, others) for id, one in self.live.items()}

    @cached_property
    def shares(self) -> list[tuple[str, str, UsageRow]]:
        """Each response once: the session and the agent that own it."""
        rows = (
            OwnedUsage(one.file.project_id, id, row)
            for id, one in self.live.items()
            for fold in one.whole.folds.values()
            for row in fold.usage.rows.values()
        )
        every = merge_rows(rows).values()
        return [(session, row.agent_id, row) for _, session, row in every if is_used(row)]

    def executions(self, id: str) -> Iterator[tuple[SessionReader, ToolExecution]]:
        """Every tool call of a session, then of its agents, with the one who made it."""
        session = self.sessions[id]
        for one in (session, *(session.agent(agent.id) for agent in session.agents)):
            yield from ((one, call) for call in one.document(bodies=False).tool_executions)

    @property
    def diagnostics(self) -> Iterator[Diagnostics]:
        """What could be read of every file."""
        for one in self.live.values():
            yield from (file.fold.diagnostics for file in (one.main, *one.agents.values()))


def sums(responses: Iterable[UsageRow]) -> dict[str, int]:
    """What some responses used and cost, as a truth file says it."""
    found = list(responses)
    tokens = [one.tokens for one in found]
    prices = list(map(Pricer(PRICES).price_of, found))
    used = {name: sum(getattr(one, field) for one in tokens) for name, field in FIELDS.items()}
    return {
        "messages": len(found),
        **used,
        "unsplitWriteTokens": sum(t.cache_write - t.write_5m - t.write_1h for t in tokens),
        "usdPico": sum(price or 0 for price in prices),
        "unpriced": prices.count(None),
        "lowerBound": sum(not one.is_finished for one in found),
    }


def day(response: UsageRow) -> str:
    """The UTC day of a response's first line."""
    return (iso(response.timestamp) or "")[:10]


def families(sessions: dict[str, Any]) -> dict[str, str]:
    """Each session's first copy: which of two equal files was written first, nobody says."""
    kin = ("copyOf", "forkOf")
    return {
        id: next((session[link] for link in kin if link in session), id)
        for id, session in sessions.items()
    }
