"""A whole root, read as anybody's root is read, in the words of its truth file."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from tests.recall.roots import PRICES, setting
from unspool.derive.agents.tree import depths
from unspool.derive.money.cost import cost
from unspool.derive.money.ledger import merge
from unspool.derive.reading.clock import iso
from unspool.model.document import Diagnostics, ToolExecution
from unspool.model.usage import Response
from unspool.recall import Recall, Session
from unspool.recall.neighbours import Neighbours
from unspool.recall.reel import Reel
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
        files = Recall(roots, PRICES, now=LONG_AFTER).files()
        self.reels = {
            file.session_id or "": Reel(file, setting(LONG_AFTER)) for file in files if file.size
        }
        around = Neighbours(roots)
        self.sessions = {id: Session(reel, around) for id, reel in self.reels.items()}

    @cached_property
    def shares(self) -> list[tuple[str, str, Response]]:
        """Each response once: the session and the agent that own it."""
        ledgers = [
            (f"{id} {owner}", deep.get(owner, 0 if owner == "" else 1), fold.ledger)
            for id, reel in sorted(self.reels.items(), key=lambda item: _begun(item[1]))
            for deep in (depths(reel.whole.links),)
            for owner, fold in reel.whole.folds.items()
        ]
        return [
            (*_two(owner.split(" ")), response)
            for owner, found in merge(ledgers).items()
            for response in found
        ]

    def executions(self, id: str) -> Iterator[tuple[Session, ToolExecution]]:
        """Every tool call of a session, then of its agents, with the one who made it."""
        session = self.sessions[id]
        for one in (session, *(session.agent(agent.id) for agent in session.agents)):
            yield from ((one, call) for call in one.document(bodies=False).tool_executions)

    @property
    def diagnostics(self) -> Iterator[Diagnostics]:
        """What could be read of every file."""
        for reel in self.reels.values():
            yield from (file.fold.diagnostics for file in (reel.main, *reel.agents.values()))


def sums(responses: Iterable[Response]) -> dict[str, int]:
    """What some responses used and cost, as a truth file says it."""
    found = list(responses)
    tokens = [one.tokens for one in found]
    prices = [cost(one.tokens, one.model, one.at, PRICES) for one in found]
    used = {name: sum(getattr(one, field) for one in tokens) for name, field in FIELDS.items()}
    return {
        "messages": len(found),
        **used,
        "unsplitWriteTokens": sum(t.cache_write - t.write_5m - t.write_1h for t in tokens),
        "usdPico": sum(price or 0 for price in prices),
        "unpriced": prices.count(None),
        "lowerBound": sum(not one.finished for one in found),
    }


def day(response: Response) -> str:
    """The UTC day of a response's first line."""
    return (iso(response.at) or "")[:10]


def _begun(reel: Reel) -> tuple[int, bool, int]:
    """A copy has the times of its original: it is the one that names another, or went on longer."""
    about, lines = reel.whole.abouts[""], reel.main.fold.lines
    return about.start or 0, 2 * about.foreign > lines, reel.main.last_write


def _two(parts: list[str]) -> tuple[str, str]:
    return parts[0], parts[1]
