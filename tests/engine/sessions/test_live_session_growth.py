"""A session that is read on as its files grow says what one that is read from scratch says."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.roots import NOW, append, dated, root_sessions
from tests.examples import examples
from unspool.demo import Transcript, text_block, tool_block
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.model.document import SessionDocument


def main() -> list[bytes]:
    made = Transcript().user("go").calls("Task", {"prompt": "look", "description": "d"}, id="t1")
    made.answers([[text_block("a")], [text_block("a"), tool_block("Bash", {"command": "q"}, "t2")]])
    made.returns("out", call="t2").returns("done", call="t1", result={"agentId": "a1"})
    made.says("shared", id="shared", request="shared").compacts().user("on").says("more")
    made.user("aside", parentUuid=None, isSidechain=True).says("x", isSidechain=True)
    made.entry("ai-title", aiTitle="A title").user("back", parentUuid="u1").says("last")
    lines = made.bytes().splitlines(keepends=True)
    # One more line of an old response.
    return [
        *lines,
        lines[2].replace(b'"uuid": "', b'"uuid": "z').replace(b'"uuid":"', b'"uuid":"z'),
    ]


def agent() -> list[bytes]:
    made = Transcript(agent="a1", uuid_prefix="a-").user("look").calls("Bash", command="ls")
    made.returns("x").says("shared", id="shared", request="shared").says("seen", id="own")
    return made.bytes().splitlines(keepends=True)


FILES = {
    "-repo/s1.jsonl": main(),
    "-repo/s1/subagents/agent-a1.jsonl": agent(),
    "-repo/s1/subagents/workflows/wf_1/journal.jsonl": [
        json.dumps({"type": "started", "agentId": "a1", "label": "survey"}).encode() + b"\n",
        json.dumps({"type": "result", "agentId": "a1"}).encode() + b"\n",
    ],
    "-repo/s1/subagents/agent-a1.meta.json": [b'{"agentType": "Explore", "toolUseId": "t1"}'],
}
HOOKS: list[dict[str, Any]] = [
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t2"},
    {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "q"}},
]


def log(root: Path, number: int) -> None:
    """Write the next event of the log beside the session."""
    path = root / "hooks" / "-repo" / "s1.hooks.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"session_id": "s1", **HOOKS[number]}
    line = {"eventType": told["hook_event_name"], "sessionId": "s1", "input": told}
    stamp = {"timestamp": f"2026-01-01T00:00:0{number}.000Z"}
    with path.open("ab") as file:
        file.write(json.dumps({**line, **stamp}).encode() + b"\n")
    dated(path, NOW + number)


def documents(path: Path, reader: RootSessions) -> list[SessionDocument]:
    session = reader.open(path)
    agents = [session.agent(one.id) for one in session.agents]
    return [session.document(), *(one.document() for one in agents)]


STEPS = st.lists(st.sampled_from([*FILES, "hooks"]), min_size=1, max_size=30)


@settings(max_examples=examples(20))
@given(STEPS, st.lists(st.integers(1, 4), min_size=30, max_size=30))
def test_read_on_is_read_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], counts: list[int]
) -> None:
    root = tmp_path_factory.mktemp("grows")
    left = {name: list(lines) for name, lines in FILES.items()}
    hooks = list(range(len(HOOKS)))
    path = root / "projects" / "-repo" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    append(path, b"".join(left["-repo/s1.jsonl"][:1]))
    del left["-repo/s1.jsonl"][:1]
    kept = root_sessions(root)
    for number, (step, count) in enumerate(zip(steps, counts, strict=False)):
        if step == "hooks":
            if hooks:
                log(root, hooks.pop(0))
        else:
            file = root / "projects" / step
            file.parent.mkdir(parents=True, exist_ok=True)
            append(file, b"".join(left[step][:count]), at=NOW + number)
            del left[step][:count]

        assert documents(path, kept) == documents(path, root_sessions(root))
