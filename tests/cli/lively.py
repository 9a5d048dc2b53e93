"""Sessions that were at work a moment ago, for the commands that watch."""

import json
import os
from datetime import timedelta
from pathlib import Path

from unspool.cli import config
from unspool.demo import Transcript


def lively(
    session: str = "session-one", cwd: str = "/home/dev/kettle", ago: int = 60
) -> Transcript:
    """A session that began so many seconds ago, not saved yet."""
    start = (config.local_now() - timedelta(seconds=ago)).isoformat()
    return Transcript(session, cwd, start=start)


def register(root: Path, session: str, status: str = "busy", pid: int | None = None) -> Path:
    """Say in the live registry how a session stands; by default its process is this one."""
    number = os.getpid() if pid is None else pid
    path = root / "sessions" / f"{number}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"pid": number, "sessionId": session, "status": status, "cwd": "/home/dev/kettle"}
    path.write_text(json.dumps({**entry, "statusUpdatedAt": config.now()}))
    return path


def tell(root: Path, session: str, event: str, **said: object) -> None:
    """Log a hook event of this moment."""
    path = root / "hooks" / "-home-dev-kettle" / f"{session}.hooks.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    at = config.local_now().isoformat()
    line = {"timestamp": at, "sessionId": session, "eventType": event, "input": said}
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
