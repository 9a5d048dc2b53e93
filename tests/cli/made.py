"""Small roots for the commands that read an index."""

import shutil
from pathlib import Path

from unspool.demo import Transcript, tool_block


def talk(session: str = "session-one", day: int = 1, cwd: str = "/home/dev/kettle") -> Transcript:
    """A session of one turn that has all kinds of text."""
    made = Transcript(session=session, cwd=cwd, start=f"2026-01-0{day}T10:00:00.000Z")
    made.user(f"alpha prompt of {session}").thinks("alpha thought", id=f"{session}-1")
    made.answers([tool_block("Bash", {"command": "echo alpha"})], id=f"{session}-2")
    return made.returns("alpha result").says("alpha answer", id=f"{session}-3")


def root(place: Path, *made: Transcript) -> Path:
    """A root of these sessions, or of one."""
    for one in made or (talk(),):
        one.save(place)
    return place


def sweep(place: Path, session: str) -> None:
    """Do as Claude Code does after thirty days."""
    for path in place.glob(f"projects/*/{session}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def hook_log(place: Path, *lines: str, session: str = "session-one") -> Path:
    """A log of hook events."""
    log = place / "hooks" / "-home-dev-kettle" / f"{session}.hooks.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{line}\n" for line in lines))
    return log
