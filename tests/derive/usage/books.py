"""A small price table, and usage read from made-up transcripts."""

from typing import Any

from hypothesis import strategies as st

from tests.derive.reads import entries_of
from unspool.demo import Transcript
from unspool.derive.reading.messages import read
from unspool.derive.usage.file_usage import FileUsage
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.responses import FileStart
from unspool.model.message import Message
from unspool.model.prices import DevtoolsRow, FieldRates, PriceRow, PriceTable, Rates, Tier
from unspool.model.usage import UNKNOWN_AGENT, Mode, Tokens, UsageRow

NOON, LATER = 1_700_000_000_000, 1_700_000_001_000


def rates(*usd_per_million: float) -> Rates:
    """Input, output, 5m write, 1h write, read."""
    return Rates(*(round(usd * 1_000_000) for usd in usd_per_million))


def field_rates(*usd_per_million: float) -> FieldRates:
    """Input, output, write, read."""
    return FieldRates(*(round(usd * 1_000_000) for usd in usd_per_million))


SONNET = rates(3, 15, 3.75, 6, 0.3)
SONNET_ABOVE = rates(6, 22.5, 7.5, 12, 0.6)
DEVTOOLS_SONNET = DevtoolsRow(field_rates(3, 15, 3.75, 0.3), field_rates(6, 22.5, 7.5, 0.6))
OPUS = rates(5, 25, 6.25, 10, 0.5)

TABLE = PriceTable(
    models={
        "claude-sonnet-4-5": (PriceRow(SONNET, tiers=(Tier(200_000, SONNET_ABOVE),)),),
        "claude-sonnet-4-6": (
            PriceRow(SONNET, until="2026-03-13", tiers=(Tier(200_000, SONNET_ABOVE),)),
            PriceRow(SONNET, start="2026-03-13"),
        ),
        "claude-opus-4-1": (PriceRow(rates(15, 75, 18.75, 30, 1.5)),),
        "claude-opus-4-7": (
            PriceRow(OPUS, until="2026-07-24", fast=60),
            PriceRow(OPUS, start="2026-07-24"),
        ),
        "claude-haiku-5-5": (
            PriceRow(
                rates(0.1, 0.5, 0.125, 0.2, 0.01),
                tiers=(Tier(100_000, rates(0.5, 2.5, 0.625, 1, 0.05)),),
            ),
        ),
        "free": (PriceRow(Rates()),),
    },
    devtools={
        "claude-sonnet-4-5": DEVTOOLS_SONNET,
        "claude-sonnet-4-6": DEVTOOLS_SONNET,
        "claude-opus-4-1": DevtoolsRow(field_rates(15, 75, 18.75, 1.5)),
        "half-free": DevtoolsRow(field_rates(3, 15), field_rates(0, 0)),
    },
    aliases={"claude-sonnet-4-5-20250929": "claude-sonnet-4-5"},
    geo={"us": 11},
    web_search=10_000_000_000,
)


def usage_of(transcript: Transcript | bytes, session: str = "s1", agent: str = "") -> FileUsage:
    """The usage of a whole file."""
    data = transcript if isinstance(transcript, bytes) else transcript.bytes()
    usage = FileUsage(session, agent, start=FileStart().feed_lines(0, data))
    for number, entries in enumerate(entries_of(data), 1):
        for part, entry in enumerate(entries):
            usage.feed(read(entry, number, part), entry)
    return usage


def responses_of(transcript: Transcript | bytes) -> list[UsageRow]:
    """The responses of a whole file, in the order they began; nothing of its agents."""
    rows = usage_of(transcript).rows.values()
    return [row for row in rows if row.model != UNKNOWN_AGENT]


def response(
    model: str = "claude-sonnet-4-5",
    *,
    key: str = "m:1",
    finished: bool = True,
    at: int | None = NOON,
    mode: Mode = "billing",
    **counts: Any,
) -> UsageRow:
    """A response that used so many tokens, priced."""
    row = UsageRow(key, b"", b"", at, finished, model, Tokens(**counts), "", 0)
    return row._replace(usd_pico=Pricer(TABLE, mode).price_of(row))


def line(output: int, **fields: Any) -> Message:
    """An assistant message as the ledger sees it."""
    made = {"line": 1, "message_id": "msg_1", "at": NOON, "tokens": Tokens(0, output), **fields}
    return Message(type="assistant", category="ai", **made)


LINES = st.builds(
    line,
    st.just(0),
    tokens=st.builds(Tokens, st.integers(0, 2), st.integers(0, 2)),
    message_id=st.sampled_from(["", "m1", "m2"]),
    request_id=st.sampled_from(["", "r1"]),
    uuid=st.sampled_from(["u1", "u2"]),
    is_sidechain=st.booleans(),
    stop_reason=st.sampled_from(["", "end_turn"]),
    at=st.sampled_from([None, NOON, LATER]),
    model=st.sampled_from(["a", "b"]),
)
