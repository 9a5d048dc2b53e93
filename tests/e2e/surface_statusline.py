"""What the status line says of a session while Claude Code shows it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tests.e2e import surface_fields as fields
from tests.e2e.surface_fields import Facts, Json, Key, dollars, first
from tests.e2e.workspaces import Workspace

Answers: TypeAlias = dict[Key, Facts]


def statusline_answers(workspace: Workspace, paths: Mapping[Key, str | None]) -> dict[str, Answers]:
    """As JSON and as the line itself, of each session that has a transcript."""
    found: dict[str, Answers] = {"statusline": {}, "statusline --json": {}}
    for key, path in paths.items():
        if path and Path(path).is_file():
            given = json.dumps(_given(key, Path(path))).encode()
            told = workspace.json("statusline", "--json", given=given)
            found["statusline --json"][key] = _of_json(told)
            found["statusline"][key] = _of_line(workspace.run("statusline", given=given) or "")
    return found


def _given(key: Key, path: Path) -> Json:
    """What Claude Code writes to it: the context is what the last response has used."""
    usage = None
    for line in path.read_bytes().split(b"\n"):
        # After a compaction nothing is known until the next response.
        usage = None if b'"compact_boundary"' in line else _usage(line) or usage
    window = {"context_window": {"current_usage": usage}} if usage else {}
    return {"session_id": key[1], "transcript_path": str(path), **window}


def _usage(line: bytes) -> Json | None:
    try:
        entry: Any = json.loads(line)
        message = entry["message"]
        is_own = not entry.get("isSidechain") and message["model"] != "<synthetic>"
        is_own = is_own and "id" in message
        usage = message["usage"] if is_own else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return usage if isinstance(usage, dict) else None


def _of_json(told: Json) -> Facts:
    session, today, context = told["session"], told["today"], told["context"]["tokens"]
    status = told["status"]
    stop = {**fields.of_stop(status), **({"state": status["state"]} if status else {})}
    facts: Facts = {**stop, "spent_today": fields.pico(today["costUsd"]) or 0}
    # Nothing is said of a session without a response.
    if session["costUsd"] is not None or session["atLeast"]:
        facts["usd"] = fields.pico(session["costUsd"])
    return facts | ({} if context is None else {"context": context})


def _of_line(line: str) -> Facts:
    plain = re.sub(r"\x1b\[\d*m", "", line)
    facts: Facts = fields.reset_shown(plain)
    if money := first(r"(\S+) session", plain):
        facts["usd"] = dollars(money)
    if context := first(r"([\d,]+)(?: \(\d+%\))? context", plain):
        facts["context"] = int(context.replace(",", ""))
    return facts
