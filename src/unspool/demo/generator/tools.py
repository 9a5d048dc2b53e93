"""Tool calls with inputs and results in the shapes of each tool; and a log of hook events."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from unspool.demo.generator.words import Ids, TextSource
from unspool.demo.lines import Fields, encode, stamp

_SHARES = {
    "Bash": 34,
    "Read": 26,
    "Edit": 15,
    "Grep": 8,
    "Glob": 4,
    "Write": 4,
    "TodoWrite": 3,
    "WebFetch": 2,
    "mcp__atlas__lookup": 2,
    "NotebookEdit": 1,
}


@dataclass(frozen=True)
class ToolCallData:
    """One tool call and its answer."""

    id: str
    name: str
    input: Any
    content: Any
    result: Any


class Toolbox:
    """Makes tool calls for one working directory."""

    def __init__(self, rng: Random, ids: Ids, words: TextSource, cwd: str) -> None:
        self._rng, self._ids, self._words, self._cwd = rng, ids, words, cwd
        self._makers = {
            "Bash": self._bash,
            "Read": self._read,
            "Edit": self._edit,
            "Grep": self._grep,
            "Glob": self._glob,
            "Write": self._write,
            "TodoWrite": self._todo,
            "WebFetch": self._fetch,
            "mcp__atlas__lookup": self._lookup,
            "NotebookEdit": self._notebook,
        }
        self._names, self._weights = list(_SHARES), list(_SHARES.values())

    def call(self, name: str = "", size: int = 1_500) -> ToolCallData:
        """Make a call of a tool, or of one drawn by its share; size is the answer's, roughly."""
        name = name or self._rng.choices(self._names, self._weights)[0]
        asked, content, result = self._makers[name](self._rng.randint(size // 8, size))
        return self.make(name, asked, content, result)

    def make(self, name: str, asked: Any, content: Any, result: Any) -> ToolCallData:
        """Make a call from its parts."""
        return ToolCallData(self._ids.named("toolu_"), name, asked, content, result)

    def path(self) -> str:
        """Give the absolute path of a file in this directory."""
        return f"{self._cwd}/{self._words.path()}"

    def _bash(self, size: int) -> tuple[Any, Any, Any]:
        output = self._words.log(size)
        command = f"make {self._words.word()} && pytest -q {self._words.path()}"
        asked = {"command": command, "description": self._words.title()}
        answer = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return asked, output, answer

    def _read(self, size: int) -> tuple[Any, Any, Any]:
        path, text = self.path(), self._words.code(size * 2)
        rows = text.split("\n")
        numbered = "\n".join(f"{at:>6}\t{row}" for at, row in enumerate(rows, 1))
        file = {
            "filePath": path,
            "content": text,
            "numLines": len(rows),
            "startLine": 1,
            "totalLines": len(rows),
        }
        return {"file_path": path}, numbered, {"type": "text", "file": file}

    def _edit(self, size: int) -> tuple[Any, Any, Any]:
        path, old, new = self.path(), self._words.code(size // 4), self._words.code(size // 3)
        rows = [f"-{row}" for row in old.split("\n")] + [f"+{row}" for row in new.split("\n")]
        result = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": self._words.code(size),
            "structuredPatch": [
                {
                    "oldStart": 10,
                    "oldLines": old.count("\n") + 1,
                    "newStart": 10,
                    "newLines": new.count("\n") + 1,
                    "lines": rows,
                }
            ],
            "userModified": False,
            "replaceAll": False,
        }
        asked = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
        return asked, f"The file {path} has been updated.", result

    def _write(self, size: int) -> tuple[Any, Any, Any]:
        path, text = self.path(), self._words.code(size)
        result: Fields = {
            "type": "create",
            "filePath": path,
            "content": text,
            "structuredPatch": [],
            "originalFile": None,
        }
        return {"file_path": path, "content": text}, f"File created at: {path}", result

    def _grep(self, size: int) -> tuple[Any, Any, Any]:
        found = [f"{self._cwd}/{path}" for path in self._words.paths(max(1, size // 60))]
        result = {"mode": "files_with_matches", "numFiles": len(found), "filenames": found}
        content = "\n".join([f"Found {len(found)} files", *found])
        return {"pattern": self._words.word(), "output_mode": "files_with_matches"}, content, result

    def _glob(self, size: int) -> tuple[Any, Any, Any]:
        found = [f"{self._cwd}/{path}" for path in self._words.paths(max(1, size // 80))]
        result = {
            "filenames": found,
            "durationMs": self._rng.randint(3, 90),
            "numFiles": len(found),
            "truncated": False,
        }
        return {"pattern": f"**/*{self._words.word()}*"}, "\n".join(found), result

    def _todo(self, size: int) -> tuple[Any, Any, Any]:
        states = ("completed", "in_progress", "pending")
        todos = [
            {"content": self._words.title(), "status": state, "activeForm": self._words.title()}
            for state in states
        ]
        return {"todos": todos}, "Todos have been modified.", {"oldTodos": [], "newTodos": todos}

    def _fetch(self, size: int) -> tuple[Any, Any, Any]:
        url = f"https://example.org/{self._words.word()}"
        text = self._words.prose(size)
        result = {"bytes": size, "code": 200, "codeText": "OK", "result": text, "url": url}
        return {"url": url, "prompt": self._words.sentence()}, text, {**result, "durationMs": 812}

    def _lookup(self, size: int) -> tuple[Any, Any, Any]:
        blocks = [{"type": "text", "text": self._words.prose(size)}]
        return {"query": self._words.word()}, blocks, blocks

    def _notebook(self, size: int) -> tuple[Any, Any, Any]:
        path, source = f"{self._cwd}/{self._words.word()}.ipynb", self._words.code(size // 4)
        asked = {"notebook_path": path, "new_source": source, "edit_mode": "replace"}
        result = {**asked, "cell_type": "code", "language": "python", "cell_id": "c1"}
        return asked, f"Updated cell c1 with {source}", result


def picture(rng: Random, side: int) -> str:
    """Draw a PNG of noise and give it in base64."""
    rows = b"".join(b"\0" + rng.randbytes(side * 3) for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return base64.b64encode(png).decode()


class HookLogWriter:
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

    def tool(self, began: datetime, ended: datetime, call: ToolCallData) -> None:
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
