"""A session with every kind of step that a page can show, for whoever looks at pages."""

import json
from base64 import b64encode
from pathlib import Path
from struct import pack
from typing import Any
from zlib import compress, crc32

from unspool.demo import Transcript

PROJECT, SESSION = "-home-dev-shop", "everything"
AGENT, INNER = "a1b2c3d4", "e5f6a7b8"
SECRET = "ghp_" + "q7Zk2Vn9Xw4Rt6Yb1Lm8Pc3Hd5Jf0Gs2Tz9K"
_CWD = "/home/dev/shop"
_START = "2026-01-01T09:00:00.000Z"
_PATCH = [
    {
        "oldStart": 3,
        "oldLines": 2,
        "newStart": 3,
        "newLines": 3,
        "lines": [
            " def total(rows):",
            "-    return sum(rows)",
            "+    # VAT",
            "+    return sum(rows) * 1.2",
        ],
    }
]
_MARKDOWN = """The limiter keys on the *tenant* now.

- `limiter.py` keeps an ordered map
- see [the notes](https://example.com/notes)

```python
def key(request):
    return request.tenant
```
"""


def everything(root: Path) -> tuple[str, str]:
    """Write it below a root, with its agents, its plan and what was forked from it."""
    made = _talk()
    _looks(made)
    _changes(made)
    _asks(made)
    _agents(made, root)
    _troubles(made)
    _rewinds(made)
    _ends(made)
    made.save(root)
    _beside(root)
    return PROJECT, SESSION


def png(width: int = 8, height: int = 6) -> str:
    """A small picture in base64."""
    rows = b"".join(b"\0" + bytes((40 * y % 256, 90, 160)) * width for y in range(height))
    header = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", compress(rows)), (b"IEND", b""))
    chunks = (pack(">I", len(d)) + n + d + pack(">I", crc32(n + d)) for n, d in parts)
    return b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()


def _image() -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png()}}


def _made(**more: Any) -> Transcript:
    return Transcript(session=SESSION, cwd=_CWD, start=_START, branch="feat/limits", **more)


def _talk() -> Transcript:
    made = _made(uuid_prefix="m", slug="brave-otter")
    made.entry("ai-title", aiTitle="Make the rate limiter per tenant")
    made.user(
        [{"type": "text", "text": "Make the **limiter** per tenant. See @notes.md"}, _image()]
    )
    made.thinks("One tenant drains the bucket of all. Key on the tenant, and evict the oldest.")
    made.says(f"I look around first. The token in the notes is {SECRET}.")
    made.user("<command-name>/cost</command-name>\n<command-args></command-args>")
    made.user("<local-command-stdout>Total cost: $0.31</local-command-stdout>")
    made.user("<bash-input>git status</bash-input>")
    made.user("<bash-stdout>On branch feat/limits</bash-stdout><bash-stderr></bash-stderr>")
    return made.user("Go on then.")


def _looks(made: Transcript) -> None:
    for name in ("limiter", "tenant", "store"):
        path = f"{_CWD}/{name}.py"
        made.calls("Read", file_path=path).returns(
            f"     1\tclass {name.title()}:\n     2\t    ..."
        )
    made.calls("Grep", pattern="limiter\\.check", path=_CWD).returns("a.py:3:check\nb.py:9:check")
    made.calls("Glob", pattern="**/*.py").returns("a.py\nb.py")
    made.calls("LS", path=_CWD).returns("- a.py\n- b.py")
    made.calls("Read", file_path=f"{_CWD}/shot.png").returns([_image()])
    made.calls("WebFetch", url="https://example.com/notes", prompt="What is a bucket?")
    made.returns(
        "A bucket holds tokens.", result={"code": 200, "bytes": 900, "result": "A bucket."}
    )
    hits = [{"title": "Token bucket", "url": "https://example.com/bucket"}]
    made.calls("WebSearch", query="token bucket").returns(
        "One result", result={"results": [{"content": hits}]}
    )
    made.calls("mcp__tracker__get_issue", {"number": 12, "deep": {"a": [1, 2]}}).returns(
        "Issue 12: be fair"
    )
    made.calls("Skill", skill="review", args="limiter.py").returns("Launching skill: review")
    made.calls("ToolSearch", query="limiter").returns("nothing")


def _changes(made: Transcript) -> None:
    edit = {"file_path": f"{_CWD}/total.py", "old_string": "a", "new_string": "b"}
    made.calls("Edit", edit).returns("edited", result={"structuredPatch": _PATCH})
    edits = [{"old_string": "one\ntwo", "new_string": "one\nthree"}]
    made.calls("MultiEdit", file_path=f"{_CWD}/m.py", edits=edits).returns("edited")
    made.calls("Write", file_path=f"{_CWD}/new.py", content="x = 1\n" * 60).returns("written")
    made.calls("NotebookEdit", notebook_path=f"{_CWD}/n.ipynb", new_source="1 + 1").returns("done")
    made.wait(4).calls("Bash", command="pytest -q", description="Run the tests")
    made.wait(4.2).returns("\x1b[32m3 passed\x1b[0m \x1b[1min 0.2s\x1b[0m")
    made.calls("Bash", command="cat <<E\nmany\nlines\nE").returns("line of output\n" * 300)
    made.says(_MARKDOWN)


def _asks(made: Transcript) -> None:
    todos = [
        {"content": "Key on the tenant", "status": "completed", "activeForm": "Keying"},
        {"content": "Evict the oldest", "status": "in_progress", "activeForm": "Evicting"},
        {"content": "Write it down", "status": "pending", "activeForm": "Writing"},
    ]
    made.calls("TodoWrite", todos=todos).returns("Todos have been modified")
    made.calls("TaskCreate", subject="Release", description="Tag it").returns("Task 1 created")
    options = [
        {"label": "Redis", "description": "shared"},
        {"label": "Memory", "description": "fast"},
    ]
    asked = {"question": "Where to keep it?", "header": "Store", "options": options}
    made.calls("AskUserQuestion", questions=[asked])
    made.returns('"Where to keep it?"="Redis"', result={"answers": {"Where to keep it?": "Redis"}})
    made.calls("ExitPlanMode", plan="# Limit by tenant\n\n1. Key\n2. Evict").returns("Approved")
    made.says("A plan, then.")


def _agents(made: Transcript, root: Path) -> None:
    made.user("Who calls it? Ask an agent.")
    made.calls(
        "Task",
        description="Find callers",
        prompt="Find all",
        subagent_type="Explore",
        id="toolu_find",
    )
    agent = _made(agent=AGENT, uuid_prefix="g").meta(
        agentType="Explore", description="Find callers", toolUseId="toolu_find"
    )
    agent.at(made.dicts()[-1]["timestamp"]).user("Find all").thinks("Grep first.")
    agent.calls("Grep", pattern="check").returns("a.py:3:check")
    agent.calls(
        "Task", description="Trace tenant", prompt="Trace", subagent_type="Trace", id="toolu_trace"
    )
    inner = _made(agent=INNER, uuid_prefix="i").meta(
        agentType="Trace", description="Trace tenant", toolUseId="toolu_trace", parentAgentId=AGENT
    )
    inner.at(agent.dicts()[-1]["timestamp"]).user("Trace").calls("Read", file_path="t.py")
    inner.returns("1\ttenant").says("From the header.").save(root)
    agent.wait(5).returns("From the header.", result={"agentId": INNER}).says("In a.py.").save(root)
    made.wait(20).returns("In a.py.", result={"agentId": AGENT, "status": "completed"})
    made.says("Only `a.py` calls it.")
    who = 'teammate_id="reviewer" color="blue" summary="Looks fine"'
    made.user(f"<teammate-message {who}>Looks **fine** to me</teammate-message>")
    done = "<task-id>b7</task-id><status>completed</status><summary>Build done</summary>"
    made.user(
        f"<task-notification>{done}</task-notification>", origin={"kind": "task-notification"}
    ).says("Good.")


def _troubles(made: Transcript) -> None:
    made.user("Run it all.").calls("Bash", command="make test", id="toolu_bad")
    made.returns("Exit code 2\nE   assert 1 == 2", failed=True)
    hook = {"hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse", "toolUseID": "toolu_bad"}
    made.attachment("hook_success", exitCode=0, stdout="linted", durationMs=120, **hook)
    made.attachment(
        "hook_blocking_error", blockingError={"blockingError": "no TODO allowed"}, **hook
    )
    made.system(
        "api_error", level="error", error={"message": "Overloaded"}, retryAttempt=2, maxRetries=10
    )
    made.synthetic("API Error: 529 Overloaded", error="overloaded_error")
    made.calls("Bash", command="rm -rf /").returns(
        "The user doesn't want to proceed with this tool use. The tool use was rejected "
        "(eg. if it was a file edit, the new_string was NOT written to the file).",
        failed=True,
        result="User rejected tool use",
    )
    made.interrupted(for_tool=True)
    made.compacts(pre=168_000, post=31_000, summary="We made the limiter per tenant.")
    made.user("Where were we?").thinks("").says("At the release.")
    made.entry("future-kind", content="unknown to us").raw(b"{broken")


def _rewinds(made: Transcript) -> None:
    fork = made.leaf
    made.user("Write the changelog.").says("Written.")
    made.user("No: the readme first.", parentUuid=fork).says("The readme, then.")


def _ends(made: Transcript) -> None:
    made.entry(
        "pr-link", prNumber=12, prUrl="https://github.com/dev/shop/pull/12", prRepository="dev/shop"
    )
    made.entry("cost-state", totalCostUSD=1.25)
    made.user("Build the release.").says("I build it.").calls(
        "Bash", command="make release", id="toolu_now"
    )


def _beside(root: Path) -> None:
    """A session that was forked from it, and what hooks told of its calls."""
    other = Transcript(
        session="forked", cwd=_CWD, start="2026-01-02T09:00:00.000Z", uuid_prefix="f"
    )
    other.user("Try it in memory.", forkedFrom={"sessionId": SESSION, "messageUuid": "mu2"})
    other.says("In memory.").save(root)
    log = root / "hooks" / PROJECT / f"{SESSION}.hooks.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    told: list[dict[str, Any]] = [
        {"hook_event_name": "PreToolUse", "tool_use_id": "toolu_bad", "tool_name": "Bash"},
        {
            "hook_event_name": "PermissionRequest",
            "tool_name": "Bash",
            "tool_input": {"command": "make test"},
        },
    ]
    lines = (json.dumps({"session_id": SESSION, "timestamp": _START, **one}) for one in told)
    log.write_text("\n".join(lines) + "\n")
