"""Tool calls of a story, each written in one line: what was asked, what came back."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from textwrap import dedent
from typing import Any

from unspool.demo.lines import Fields, text_block
from unspool.demo.script.steps import HERE, Agent, ScriptedCall, Steps

_REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
    "was a file edit, the new_string was NOT written to the file). STOP what you are doing and "
    "wait for the user to tell you how to proceed."
)
_MARKS = {"x": "completed", ">": "in_progress", "-": "pending"}


def bash(
    command: str,
    output: str = "",
    *,
    about: str = "",
    exit: int = 0,
    took: float = 0.3,
    asks: float = 0,
) -> ScriptedCall:
    """Run a command; an exit code other than 0 is a failure."""
    text = _clean(output)
    asked = _command(command, about)
    if exit:
        told = f"Exit code {exit}\n{text}"
        return ScriptedCall(
            "Bash", asked, told, f"Error: {told}", failed=True, took=took, asks=asks
        )
    result = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return ScriptedCall("Bash", asked, text, result, took=took, asks=asks)


def background(command: str, task: str, *, about: str = "") -> ScriptedCall:
    """Run a command in the background; a notice tells when it is over."""
    told = f"Command running in background with ID: {task}"
    asked: Fields = _command(command, about)
    result = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": task}
    return ScriptedCall("Bash", {**asked, "run_in_background": True}, told, result)


def refused(call: ScriptedCall) -> ScriptedCall:
    """The same call, but the user says no."""
    asked = call.asks or 12
    return ScriptedCall(
        call.tool, call.input, _REJECTED, "User rejected tool use", True, 0, asks=asked,
        rejected=True,
    )  # fmt: skip


def fails(call: ScriptedCall, told: str) -> ScriptedCall:
    """The same call, but the tool refuses it."""
    text = f"<tool_use_error>{told}</tool_use_error>"
    return ScriptedCall(call.tool, call.input, text, f"Error: {told}", failed=True, took=0.05)


def read(path: str, text: str, *, line: int = 1, total: int = 0) -> ScriptedCall:
    """Read a file, or a part of it."""
    rows = _clean(text).split("\n")
    numbered = "\n".join(f"{at:>6}\t{row}" for at, row in enumerate(rows, line))
    file = {
        "filePath": f"{HERE}/{path}",
        "content": "\n".join(rows),
        "numLines": len(rows),
        "startLine": line,
        "totalLines": total or line + len(rows) - 1,
    }
    asked: Fields = {"file_path": f"{HERE}/{path}"}
    if total:
        asked |= {"offset": line, "limit": len(rows)}
    return ScriptedCall("Read", asked, numbered, {"type": "text", "file": file}, took=0.05)


def edit(path: str, old: str, new: str, *, line: int = 1, asks: float = 0) -> ScriptedCall:
    """Replace some lines of a file."""
    before, after = _clean(old), _clean(new)
    result = {
        "filePath": f"{HERE}/{path}",
        "oldString": before,
        "newString": after,
        "originalFile": None,
        "structuredPatch": [_hunk(before, after, line)],
        "userModified": False,
        "replaceAll": False,
    }
    asked = {"file_path": f"{HERE}/{path}", "old_string": before, "new_string": after}
    told = f"The file {HERE}/{path} has been updated successfully."
    return ScriptedCall("Edit", {**asked, "replace_all": False}, told, result, took=0.1, asks=asks)


def write(path: str, text: str, *, asks: float = 0) -> ScriptedCall:
    """Create a file."""
    content = _clean(text) + "\n"
    result: Fields = {
        "type": "create",
        "filePath": f"{HERE}/{path}",
        "content": content,
        "structuredPatch": [],
        "originalFile": None,
    }
    asked = {"file_path": f"{HERE}/{path}", "content": content}
    told = f"File created successfully at: {HERE}/{path}"
    return ScriptedCall("Write", asked, told, result, took=0.1, asks=asks)


def grep(pattern: str, found: str, *, path: str = "") -> ScriptedCall:
    """Search the files for a pattern; `found` are lines as grep prints them."""
    text = _clean(found)
    names = list(dict.fromkeys(row.partition(":")[0] for row in text.split("\n") if row))
    asked = {"pattern": pattern, "output_mode": "content", "-n": True}
    if path:
        asked["path"] = f"{HERE}/{path}"
    result = {"mode": "content", "numFiles": len(names), "filenames": [], "content": text}
    result["numLines"] = text.count("\n") + 1 if text else 0
    return ScriptedCall("Grep", asked, text or "No matches found", result, took=0.1)


def glob(pattern: str, *found: str) -> ScriptedCall:
    """List the files that fit a pattern."""
    names = [f"{HERE}/{name}" for name in found]
    result = {"filenames": names, "durationMs": 14, "numFiles": len(names), "truncated": False}
    return ScriptedCall("Glob", {"pattern": pattern}, "\n".join(names), result, took=0.1)


def todo(*items: str) -> ScriptedCall:
    """Write the list of things to do: "x done", "> in progress", "- still open"."""
    todos = [
        {"content": text, "status": _MARKS[mark], "activeForm": text}
        for mark, _, text in (item.partition(" ") for item in items)
    ]
    told = "Todos have been modified successfully."
    return ScriptedCall(
        "TodoWrite", {"todos": todos}, told, {"oldTodos": [], "newTodos": todos}, took=0.02
    )


def mcp(
    server: str, tool: str, asked: Mapping[str, Any], told: str, *, took: float = 0.8
) -> ScriptedCall:
    """Call a tool of an MCP server."""
    blocks = [text_block(_clean(told))]
    return ScriptedCall(f"mcp__{server}__{tool}", dict(asked), blocks, blocks, took=took)


def web_search(
    query: str, *found: tuple[str, str], told: str = "", took: float = 4.2
) -> ScriptedCall:
    """Search the web: titles with their addresses, and what they say."""
    pages = [{"title": title, "url": url} for title, url in found]
    listed = "\n".join(f"- {title} ({url})" for title, url in found)
    text = f'Web search results for query: "{query}"\n\n{listed}\n\n{_clean(told)}'
    result = {
        "query": query,
        "results": [{"tool_use_id": "srvtoolu_1", "content": pages}, _clean(told)],
        "durationSeconds": took,
    }
    return ScriptedCall("WebSearch", {"query": query}, text, result, took=took)


def web_fetch(url: str, asked: str, told: str, *, took: float = 2.1) -> ScriptedCall:
    """Read a page."""
    text = _clean(told)
    result = {"bytes": len(text) * 9, "code": 200, "codeText": "OK", "result": text, "url": url}
    result["durationMs"] = round(took * 1_000)
    return ScriptedCall("WebFetch", {"url": url, "prompt": asked}, text, result, took=took)


def ask(
    question: str, header: str, options: Mapping[str, str], *, answer: str, waits: float = 60
) -> ScriptedCall:
    """Ask the user; `answer` is the label they choose after a while."""
    choices = [{"label": label, "description": text} for label, text in options.items()]
    asked: Fields = {"question": question, "header": header, "options": choices}
    asked["multiSelect"] = False
    told = f'User has answered your questions: "{question}"="{answer}". You can now continue.'
    result = {"questions": [asked], "answers": {question: answer}}
    return ScriptedCall("AskUserQuestion", {"questions": [asked]}, told, result, took=0, asks=waits)


def plan(text: str, *, waits: float = 90) -> ScriptedCall:
    """Show a plan; the user approves it."""
    words = _clean(text)
    told = f"User has approved your plan. You can now start coding.\n\n## Approved Plan:\n{words}"
    result = {"plan": words, "isAgent": False}
    return ScriptedCall("ExitPlanMode", {"plan": words}, told, result, took=0, asks=waits)


def agent(kind: str, description: str, prompt: str, steps: Steps, **options: Any) -> ScriptedCall:
    """Start an agent, with the options of `Agent`; a member of a team has a name."""
    sent = Agent(kind, description, prompt, steps, **options)
    asked: Fields = {"description": description, "prompt": prompt, "subagent_type": kind}
    if sent.background:
        asked["run_in_background"] = True
    if sent.name:
        asked |= {"name": sent.name, "team_name": sent.team}
    return ScriptedCall("Agent", asked, took=1, agent=sent)


def _clean(text: str) -> str:
    return dedent(text).strip("\n")


def _command(command: str, about: str) -> Fields:
    asked = {"command": _clean(command)}
    return {**asked, "description": about} if about else asked


def _hunk(before: str, after: str, line: int) -> Fields:
    old, new = before.split("\n"), after.split("\n")
    rows: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            rows += [f" {row}" for row in old[a:b]]
        else:
            rows += [f"-{row}" for row in old[a:b]] + [f"+{row}" for row in new[c:d]]
    start = {"oldStart": line, "oldLines": len(old), "newStart": line, "newLines": len(new)}
    return {**start, "lines": rows}
