"""Hook events and a registry entry -> what is known of a session that has no transcript yet."""

import re
from typing import Final

from msgspec import MsgspecError, Raw
from msgspec.json import decode as from_json

from unspool.derive.reading.clock import EARLIEST, LATEST, iso, millis
from unspool.model.document import Origin, SessionInfo
from unspool.model.hooks import HookEvent
from unspool.model.sidecars import RegistryEntry

_GOAL: Final = 200


class Heard:
    """Fed a session's events, oldest first."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self.cwd = self.prompt = self.model = ""

    def feed(self, event: HookEvent) -> None:
        """Take in the next event."""
        at = millis(event.timestamp)
        self.first = self.first or at
        self.last = at or self.last
        tells = event.event_type in ("user_prompt_submit", "session_start")
        if self.cwd and not tells:
            return
        said = fields(event.data)
        self.cwd = self.cwd or said.get("cwd", "")
        self.prompt = self.prompt or said.get("prompt", "").strip()[:_GOAL]
        self.model = said.get("model", "") or self.model


def heard_info(id: str, project_id: str, heard: Heard, entry: RegistryEntry | None) -> SessionInfo:
    """A session known only from hooks or the registry; its status is for others to add."""
    origin: Origin = "hook" if heard.first or entry is None else "registry"
    entry = entry or RegistryEntry()
    cwd = heard.cwd or entry.cwd or ""
    start = heard.first or moment(entry.started_at)
    end = max(heard.last or 0, moment(entry.updated_at) or 0, start or 0) or None
    return SessionInfo(
        id=id,
        project_id=project_id,
        project_path=cwd,
        project_name=re.split(r"[/\\]", cwd.rstrip("/\\"))[-1],
        title=entry.name or heard.prompt,
        goal=heard.prompt,
        version=entry.version or "",
        model=heard.model,
        models=(heard.model,) if heard.model else (),
        origin=origin,
        start_time=iso(start),
        end_time=iso(end),
        duration_ms=0 if start is None or end is None else end - start,
        entrypoint=entry.entrypoint or "",
    )


def whereabouts(data: Raw | bytes) -> tuple[str, str]:
    """Where a payload says its transcript will lie, and its working directory."""
    said = fields(data)
    return said.get("transcript_path", ""), said.get("cwd", "")


def fields(data: Raw | bytes) -> dict[str, str]:
    """The texts of a payload, by name."""
    try:
        found = from_json(data, type=dict[str, object])
    except (MsgspecError, RecursionError, UnicodeError):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def moment(ms: float | None) -> int | None:
    """A registry's time, if it can be one."""
    return int(ms) if ms is not None and EARLIEST <= ms < LATEST else None
