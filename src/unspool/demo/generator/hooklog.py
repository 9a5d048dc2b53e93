"""The log of hook events some people keep beside their sessions."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from unspool.demo.generator.tools import Call
from unspool.demo.lines import Fields, encode, stamp


class HookLog:
    """One session's hook events, written as they happen."""

    def __init__(self, path: Path, session: str, cwd: str, version: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb")
        self._session, self._count = session, 0
        self._context = {"transcriptPath": f"{session}.jsonl", "cwd": cwd}
        self._context["claudeCodeVersion"] = version

    def prompt(self, at: datetime, text: str) -> None:
        """Log a prompt."""
        self._write(at, "UserPromptSubmit", {"prompt": text})

    def tool(self, began: datetime, ended: datetime, call: Call) -> None:
        """Log a tool call from both ends."""
        asked = {"tool_name": call.name, "tool_input": call.input, "tool_use_id": call.id}
        named = {"toolUseId": call.id, "toolName": call.name}
        verdict = {"decision": "allow", "handlerResults": {"guard": {"allowed": True}}}
        self._write(began, "PreToolUse", asked, **named, **verdict)
        self._write(ended, "PostToolUse", asked, **named)

    def mark(self, at: datetime, event: str, **asked: Any) -> None:
        """Log an event of the session itself."""
        self._write(at, event, asked)

    def close(self) -> int:
        """Shut the log; say how many events it holds."""
        self._file.close()
        return self._count

    def _write(self, at: datetime, event: str, asked: Fields, **fields: Any) -> None:
        self._count += 1
        line = {
            "timestamp": stamp(at),
            "sessionId": self._session,
            "eventType": event,
            **fields,
            "input": {"session_id": self._session, "hook_event_name": event, **asked},
            "context": {"hookEvent": event, **self._context},
            "lineNumber": self._count,
        }
        self._file.write(encode(line) + b"\n")
