"""Folds and whole sessions from transcripts, without a disk."""

from unspool.decode.lines import decode
from unspool.decode.prices import price_table
from unspool.demo import Transcript
from unspool.derive.transcript import TranscriptFold
from unspool.derive.usage.session_usage import SessionUsage
from unspool.derive.whole import AgentPart, Ownership, Prices, SessionJoin, Whole
from unspool.model.usage import UsageRow
from unspool.source.prices import bundled
from unspool.source.tail import split_lines

PRICES = Prices(price_table(bundled()))


def fold_of(made: Transcript | bytes, agent: str = "") -> TranscriptFold:
    """What one file says."""
    data = made if isinstance(made, bytes) else made.bytes()
    name = agent if isinstance(made, bytes) else made.agent or ""
    fold = TranscriptFold("s1", name, kind="subagent" if name else "main")
    fold.feed_all((offset, len(line), decode(line)) for offset, line in split_lines(data))
    return fold


def whole_of(main: Transcript, *agents: Transcript) -> Whole:
    """A session of several files."""
    return Whole(
        fold_of(main),
        [AgentPart(fold_of(agent)) for agent in agents],
        SessionJoin(PRICES),
        Ownership(is_exact=True),
    )


def responses(usage: SessionUsage, owner: str) -> list[UsageRow]:
    """What one transcript is charged for, by line."""
    return sorted(usage.lines_of(owner).rows(), key=lambda row: row.line_id)
