"""A machine of a hub -> short texts, the same on the page and in a terminal."""

from datetime import UTC, tzinfo
from typing import Final

from msgspec import Struct

from unspool.model.shipping import MachineRow
from unspool.show import safe
from unspool.show.numbers import format_bytes, format_usd, plural
from unspool.show.times import ago, duration, local_time

SKEWED_MS: Final = 5_000


class MachineView(Struct, frozen=True, kw_only=True):
    """What is not known is ""."""

    name: str
    person: str
    seen: str
    state: str  # that it is revoked or connected, or when it was seen
    seen_at: str | None
    is_revoked: bool
    is_connected: bool
    queue: str
    lag: str
    skew: str  # only where clocks are far apart
    version: str
    mode: str
    platform: str
    sources: str
    bytes: str
    quarantined: str
    sessions: str
    sessions_today: int
    cost: str


def machine_view(row: MachineRow, now: int, zone: tzinfo | None = None) -> MachineView:
    """One row."""
    is_revoked = row.revoked_at is not None
    is_connected = row.connected_at is not None and not is_revoked
    seen_at = local_time(row.seen_at, UTC).isoformat() if row.seen_at is not None else None
    seen = ago(seen_at, now, zone) or "never"
    return MachineView(
        name=safe.brief(row.name, 100),
        person=safe.brief(row.person, 100),
        seen=seen,
        state="revoked" if is_revoked else "connected" if is_connected else f"seen {seen}",
        seen_at=seen_at,
        is_revoked=is_revoked,
        is_connected=is_connected,
        queue=_queue(row.queue_bytes),
        lag=f"{duration(row.lag_ms)} behind" if row.lag_ms else "",
        skew=_skew(row.skew_ms),
        version=safe.brief(row.version or "", 40),
        mode=safe.brief(row.mode or "", 20),
        platform=safe.brief(row.platform or "", 60),
        sources=plural(row.sources, "file"),
        bytes=format_bytes(row.bytes),
        quarantined=f"{row.quarantined:,} quarantined" if row.quarantined else "",
        sessions=plural(row.sessions_today, "session"),
        sessions_today=row.sessions_today,
        cost=format_usd(row.cost_today_usd, at_least=row.is_lower_bound),
    )


def _queue(waiting: int | None) -> str:
    if waiting is None:
        return ""
    return f"{format_bytes(waiting)} waiting" if waiting else "up to date"


def _skew(skew: int | None) -> str:
    """Where clocks differ by five seconds or more; the way of a request is less."""
    if skew is None or abs(skew) < SKEWED_MS:
        return ""
    return f"clock {duration(abs(skew))} {'behind' if skew > 0 else 'ahead'}"
