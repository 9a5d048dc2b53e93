"""A root in which every text that can be somebody's holds a secret of its own.

A secret is named after its place, so what leaks says where it lay. `login` and `key` are of kinds
that are known by what follows them, and they come again and again: wherever such a text is cut,
one of them is cut as well. `block` is many lines that are known by the first one alone.
"""

import json
import random
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from string import ascii_letters, digits, hexdigits
from typing import Any, Final

from tests.redact.secrets import Planted, Watch, planted
from unspool.cli import config
from unspool.demo import Transcript
from unspool.demo.lines import project_slug, stamp

PROJECT, SESSION, AGENT = "-home-dev-planted", "planted-session", "a1b2c3d4"
HEX_ID: Final = "0badcafe"  # of another session; it looks like an id to those who search for one
CWD: Final = "/home/dev/planted"
_SLUG: Final = "calm-blue-kite"  # what a plan is called
_PREFIX: Final = "gh" + "p_"
PLACES: Final = """prompt answer thinking command output stderr path patch branch title summary tool
mcp-server agent-name agent-description agent-prompt agent-answer skill slash-command
slash-arguments model version queued todo plan api-error notice bad-line unknown-type unknown-field
unknown-value hook-message hook-prompt hook-tool hook-reason hook-error document spilled address
question choice pull-request compaction pending cwd tag last-prompt reminder failed-call stop-reason
edited other-title trigger waits-for working-agent hook-tool-name plan-file""".split()


def _random(place: str, count: int) -> str:
    return "".join(random.Random(place).choices(ascii_letters + digits, k=count - 2)) + "7x"


def _unprefixed(secret: str) -> str:
    """What nobody must read of it: its first letters say only of what kind it is."""
    return secret.removeprefix(_PREFIX).removeprefix("sk" + "-")


SECRETS: Final = {place: _PREFIX + _random(place, 36) for place in PLACES}
# The id of a project has dashes for all signs, so a prefix with another sign is lost in it.
SECRETS["cwd"] = "sk" + "-" + _random("cwd", 48)
OTHER_CWD: Final = f"/home/dev/{SECRETS['cwd']}"
OTHER_PROJECT: Final = project_slug(OTHER_CWD)
_PASSWORD: Final = _random("login", 40)
_LOGIN: Final = f"postgres://app:{_PASSWORD}@db.example.org/x"
_HEX: Final = "".join(random.Random("key").choices(hexdigits[:16], k=32))
_KEY: Final = f"{_HEX}-us7"
_BLOCK: Final = next(one for one in planted() if one.name == "RSA key block")
_PLANTED: Final = [
    *(Planted(place, "", _unprefixed(secret)) for place, secret in SECRETS.items()),
    Planted("login", "", _PASSWORD),
    Planted("key", "", _HEX),
    _BLOCK,
]
_WATCH: Final = Watch(_PLANTED)


def leaks(text: str) -> list[str]:
    """The places whose secrets can be read in a text, or in a page."""
    return _WATCH.out(text + unescape(text))


def dense(length: int) -> str:
    """A text in which nearly every position is inside of a secret."""
    both = f"{_LOGIN} {_KEY}"
    return " ".join([both] * (length // len(both) + 1))


def plant(root: Path) -> None:
    """Write it, as of half an hour ago."""
    start = datetime.fromtimestamp(config.now() / 1_000, UTC) - timedelta(minutes=30)
    made = _session(root, stamp(start))
    made.save(root)
    _agent(stamp(start)).save(root)
    _hooks(root, start)
    for number in range(12):  # titles, cut wherever one is cut
        made = Transcript(session=f"cut-{number}", cwd=CWD, start=stamp(start))
        made.user(f"planted {'word ' * number * 2}{_LOGIN} and {dense(4_000)}").says("planted")
        made.calls("Bash", command=f"{'x' * number * 7} {dense(900)}").save(root)
    _elsewhere(root, stamp(start))
    _live(root)
    plan = root / "plans" / f"{_SLUG}.md"
    plan.parent.mkdir()
    plan.write_text(f"# planted {SECRETS['plan-file']}\n\n{dense(900)}\n")


def _elsewhere(root: Path, start: str) -> None:
    """Sessions of a directory that has a secret in its name."""
    for session in ("elsewhere", "forgotten", HEX_ID):
        made = Transcript(session=session, cwd=OTHER_CWD, start=start)
        made.user(f"planted {SECRETS['other-title']}")
        made.says("planted", id=f"msg_{session}", request=f"req_{session}").save(root)
    made = Transcript(session="nameless", cwd=OTHER_CWD, start=start, model=SECRETS["model"])
    made.user("planted", cwd=made.ABSENT).says("planted", cwd=made.ABSENT).save(root)
    Transcript(session="broken", cwd=OTHER_CWD).raw(b"no line of a transcript\n").save(root)


def _live(root: Path) -> None:
    """Sessions of this moment: one works, and one waits for somebody to approve a call."""
    start = datetime.fromtimestamp(config.now() / 1_000, UTC) - timedelta(seconds=20)
    told = f"{SECRETS['waits-for']} {dense(400)}"
    for session, tool, field in (("working", "Grep", "pattern"), ("waiting", "Bash", "command")):
        made = Transcript(session=session, cwd=CWD, start=stamp(start))
        made.user("planted").says("planted", id=f"msg_{session}", request=f"req_{session}")
        made.calls(tool, {field: told}).save(root)
    agent = Transcript(session="working", cwd=CWD, agent="b1c2d3e4", start=stamp(start))
    agent.meta(agentType="general-purpose", description=SECRETS["working-agent"])
    agent.user("planted").calls("Bash", command=f"rm {SECRETS['working-agent']}").save(root)
    asks = {"tool_name": "Bash", "tool_input": {"command": f"rm {SECRETS['waits-for']}"}}
    _log(root, "waiting", start + timedelta(seconds=15), [("PermissionRequest", asks)])


def _session(root: Path, start: str) -> Transcript:
    at = SECRETS
    made = Transcript(
        session=SESSION, cwd=CWD, start=start, branch=at["branch"], version=at["version"]
    )
    made.entry("ai-title", aiTitle=f"planted {at['title']}")
    made.entry("tag", tag=at["tag"])
    made.entry("last-prompt", lastPrompt=at["last-prompt"])
    made.entry("pr-link", prNumber=7, prUrl=f"https://x/{at['pull-request']}", prRepository="a/b")
    made.entry("queue-operation", operation="enqueue", content=at["queued"])
    made.entry("summary", summary=at["summary"], leafUuid="u")
    made.user(f"planted {at['prompt']}", slug=_SLUG)
    made.user(f"planted {dense(900)}")
    made.thinks(f"planted {at['thinking']}").says(f"planted {at['answer']} {dense(900)}")
    for _ in range(2):  # the cache is written again
        made.says("planted", usage={"cache_creation_input_tokens": 50_000})
    made.calls("Bash", command=f"planted {at['command']}", description="planted")
    made.returns(
        f"planted {at['output']}", result={"stdout": "planted", "stderr": f"planted {at['stderr']}"}
    )
    made.calls("Bash", command=f"planted {dense(500)}").returns(f"planted {dense(30_000)}")
    made.calls("Bash", command="cat id").returns(f"{_BLOCK.text}\nplanted")
    made.says(f"{_BLOCK.text}\nplanted")
    made.calls("Bash", command="false").returns(f"Exit code 1\n{at['failed-call']}", failed=True)
    _tools(made)
    _notes(made)
    _spill(root, made)
    return made.user("planted").calls("Bash", command=f"rm {at['pending']} {dense(400)}")


def _tools(made: Transcript) -> None:
    at = SECRETS
    for _ in range(4):  # the outline names the first that fail
        made.calls(at["tool"], {"x": at["tool"]}).returns("planted", failed=True)
    for _ in range(4):  # again and again
        made.calls("Bash", command=f"make {at['edited']}").returns(at["failed-call"], failed=True)
    made.calls("Edit", file_path=f"{CWD}/{at['path']}.py", old_string="a", new_string=at["patch"])
    patch = [
        {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"+{at['patch']}"]}
    ]
    made.returns("done", result={"filePath": f"{CWD}/{at['path']}.py", "structuredPatch": patch})
    made.calls(f"mcp__the-{at['mcp-server']}__x", {"x": at["tool"]}).returns("planted")
    made.calls("WebFetch", url=f"https://x.example.org/{at['address']}", prompt="p").returns(
        "planted"
    )
    made.calls("Skill", skill=at["skill"]).returns("planted")
    made.calls("TodoWrite", todos=[{"content": at["todo"], "status": "pending", "activeForm": "a"}])
    made.returns("planted")
    made.calls("ExitPlanMode", plan=f"planted {at['plan']}").returns("planted")
    asked = {"question": at["question"], "header": "h", "options": [{"label": at["choice"]}]}
    made.calls("AskUserQuestion", questions=[asked])
    made.returns(
        "planted", result={"questions": [asked], "answers": {at["question"]: at["choice"]}}
    )
    made.calls(
        "Task", description=at["agent-description"], prompt=at["agent-prompt"],
        subagent_type=at["agent-name"],
    )  # fmt: skip
    result = {"agentId": AGENT, "status": "completed", "content": [{"type": "text", "text": "x"}]}
    made.returns(f"planted {at['agent-answer']}", result=result)


def _notes(made: Transcript) -> None:
    at = SECRETS
    made.user(
        f"<command-name>/{at['slash-command']}</command-name>"
        f"<command-args>{at['slash-arguments']}</command-args>"
    )
    made.says("planted", model=f"claude-{at['model']}")
    made.reminder(f"planted {at['reminder']}")
    made.system("informational", content=f"planted {at['notice']}")
    hook = {"command": f"x {at['hook-error']}", "error": at["hook-error"]}
    made.system(
        "stop_hook_summary", hookCount=1, hookInfos=[hook], hookErrors=[at["hook-error"]],
        stopReason=at["stop-reason"], preventedContinuation=True,
    )  # fmt: skip
    made.compacts(at["trigger"], summary=f"planted {at['compaction']}")
    made.synthetic(f"API Error: {at['api-error']}", error="server_error")
    document = {
        "type": "base64", "media_type": "text/plain",
        "data": b64encode(f"planted {at['document']} {dense(3_000)}".encode()).decode(),
    }  # fmt: skip
    made.user([{"type": "text", "text": "planted"}, {"type": "document", "source": document}])
    made.entry(f"kind-{at['unknown-type']}", **{at["unknown-field"]: at["unknown-value"]})
    made.raw(b'{"type": "user", "bad": "' + at["bad-line"].encode())


def _spill(root: Path, made: Transcript) -> None:
    path = root / "projects" / PROJECT / SESSION / "tool-results" / "long.txt"
    path.parent.mkdir(parents=True)
    path.write_text(f"planted {SECRETS['spilled']} {dense(50_000)}")
    said = f"<persisted-output>\nFull output saved to: {path}\n</persisted-output>"
    made.calls("Bash", command="cat long").returns(said)


def _agent(start: str) -> Transcript:
    at = SECRETS
    made = Transcript(session=SESSION, cwd=CWD, agent=AGENT, start=start)
    made.meta(agentType=at["agent-name"], description=at["agent-description"])
    made.user(f"planted {at['agent-prompt']} {dense(600)}")
    made.calls("Bash", command=f"planted {at['command']}").returns(f"planted {dense(3_000)}")
    return made.says(f"planted {at['agent-answer']}")


def _hooks(root: Path, start: datetime) -> None:
    at = SECRETS
    said: list[tuple[str, dict[str, Any]]] = [
        ("UserPromptSubmit", {"prompt": f"planted {at['hook-prompt']}"}),
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": at["hook-tool"]}}),
        ("Notification", {"message": f"{at['hook-message']} {dense(500)}"}),
        ("PermissionRequest", {"tool_name": at["hook-tool-name"], "tool_input": {"x": dense(500)}}),
        ("PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": dense(900)}}),
        ("Stop", {"reason": at["hook-reason"], "last_assistant_message": dense(500)}),
    ]
    for session in (SESSION, "hooks-only"):
        _log(root, session, start, said)


def _log(
    root: Path, session: str, start: datetime, said: Sequence[tuple[str, dict[str, Any]]]
) -> None:
    """Write what hooks say of a session, a second apart."""
    path = root / "hooks" / PROJECT / f"{session}.hooks.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as log:
        for number, (event, given) in enumerate(said):
            when = stamp(start + timedelta(seconds=number))
            line = {"sessionId": session, "eventType": event, "timestamp": when}
            log.write(json.dumps({**line, "input": {**given, "cwd": CWD}}) + "\n")
