"""Agents started by tool calls: in the foreground, in the background, nested and legacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from unspool.demo.generator.session import SessionBuilder
from unspool.demo.generator.speaker import Speaker
from unspool.demo.generator.tools import ToolCallData
from unspool.demo.generator.truth import TokenUsage
from unspool.demo.lines import ABSENT, Fields, encode, text_block, without_absent

_KINDS = ("general-purpose", "Explore", "Plan", "code-reviewer")
_ECHOES = 6


@dataclass(frozen=True)
class AgentTask:
    """One agent: who sent it, by which call, and what for."""

    parent: Speaker
    call: ToolCallData
    agent: str
    kind: str
    description: str
    prompt: str

    @property
    def sender(self) -> str | None:
        """The agent that sent this one; None is the main loop."""
        return self.parent.writer.agent

    @property
    def depth(self) -> int:
        """How far below the main loop the agent works."""
        return self.parent.depth + 1

    def truth(self) -> Fields:
        """Say where the agent belongs."""
        return {
            "agentId": self.agent,
            "parentAgentId": self.sender,
            "toolUseId": self.call.id,
            "depth": self.depth,
            "type": self.kind,
            "description": self.description,
        }


def agent_task(builder: SessionBuilder, parent: Speaker, **extra: Any) -> AgentTask:
    """A task for a new agent, and the call that starts it."""
    kind, title = builder.rng.choice(_KINDS), builder.words.title()
    prompt = builder.words.prose(builder.rng.randint(120, 600))
    asked = {"description": title, "prompt": prompt, "subagent_type": kind, **extra}
    call = builder.tools.make(builder.era.task_tool, asked, "", None)
    agent = builder.root.ids.hex(8 if builder.era.has("legacy") else 17)
    return AgentTask(parent, call, agent, kind, title, prompt)


def start_agent(
    builder: SessionBuilder, sent: AgentTask, folder: str = "", **sidecar: Any
) -> Speaker:
    """Open an agent's file, and its sidecar if the era has one."""
    if not folder and not builder.era.has("legacy"):
        folder = f"{builder.session}/subagents"
    start = sent.parent.writer.clock.next
    agent = builder.speaker(sent.agent, start, sent.parent.model, depth=sent.depth, folder=folder)
    if builder.era.has("sidecars"):
        meta = {
            "agentType": sent.kind,
            "description": sent.description,
            "toolUseId": sent.call.id,
            "spawnDepth": sent.depth,
            "parentAgentId": sent.sender or ABSENT,
            "requestShape": "foreground",
            **sidecar,
        }
        path = f"{builder.project}/{folder}/agent-{sent.agent}.meta.json"
        builder.root.put(path, without_absent(meta))
    builder.truth.agents.append(sent.truth())
    return agent


def run_agent(
    builder: SessionBuilder,
    agent: Speaker,
    sent: AgentTask,
    inside: Callable[[Speaker], None] | None = None,
) -> str:
    """Run an agent to its end; return its last answer."""
    agent.prompt(sent.prompt)
    builder.work(agent, builder.rng.randint(1, 3))
    if inside:
        inside(agent)
    words = builder.words.prose(400)
    agent.say(words)
    builder.leave(agent)
    return words


def agent_result(builder: SessionBuilder, sent: AgentTask, agent: Speaker, words: str) -> Fields:
    """Give the result a finished agent leaves in its parent: the last request's usage only."""
    return {
        "status": "completed",
        "prompt": sent.prompt,
        "agentId": sent.agent,
        "content": text_blocks(words),
        "totalDurationMs": builder.rng.randint(4_000, 90_000),
        "totalTokens": agent.last.prompt + agent.last.output,
        "totalToolUseCount": len(agent.states),
        "usage": _plain_usage(agent.last),
    }


def notification(sent: AgentTask, words: str) -> str:
    """Write the note that tells of a finished task."""
    return (
        f"<task-notification>\n<task-id>{sent.agent}</task-id>\n"
        f"<tool-use-id>{sent.call.id}</tool-use-id>\n<status>completed</status>\n"
        f'<summary>Agent "{sent.description}" completed</summary>\n'
        f"<result>{words}</result>\n</task-notification>"
    )


def text_blocks(words: str) -> list[Fields]:
    """Give words as the blocks of a result."""
    return [text_block(words)]


def echo_lines(sent: AgentTask, agent: Speaker) -> None:
    """Repeat an agent's first lines in its parent's file, as early 2026 did."""
    for line in (agent.writer.history or [])[:_ECHOES]:
        kept = {
            key: line[key]
            for key in ("type", "message", "uuid", "timestamp", "requestId")
            if key in line
        }
        sent.parent.writer.progress(
            "agent_progress",
            call=sent.call.id,
            message=kept,
            normalizedMessages=[],
            prompt=sent.prompt,
            agentId=sent.agent,
        )


def wait_for(parent: Speaker, agent: Speaker) -> None:
    """Let the parent wait until the agent is done."""
    parent.writer.clock.next = max(parent.writer.clock.next, agent.writer.clock.next)


def _plain_usage(usage: TokenUsage) -> Fields:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.read,
        "cache_creation_input_tokens": usage.written,
    }


def single(builder: SessionBuilder) -> None:
    """Send one agent, wait for it and tell what it found."""
    builder.prompt()
    _foreground(builder, builder.main)
    builder.main.say(builder.words.sentence())


def background(builder: SessionBuilder) -> None:
    """Send an agent, go on, and be told twice that it is done."""
    main, sent = builder.main, agent_task(builder, builder.main, run_in_background=True)
    builder.prompt()
    main.ask(sent.call)
    launched = {
        "isAsync": True,
        "status": "async_launched",
        "agentId": sent.agent,
        "description": sent.description,
        "prompt": sent.prompt,
        "outputFile": f"tasks/{sent.agent}.output",
    }
    content = text_blocks("Async agent launched successfully.")
    main.result(replace(sent.call, content=content, result=launched))
    agent = start_agent(builder, sent, requestShape="background")
    words = run_agent(builder, agent, sent)
    builder.work(main, 1)
    wait_for(main, agent)
    notice = notification(sent, words)
    for _ in range(2):
        main.writer.entry("queue-operation", operation="enqueue", content=notice)
        main.writer.entry("queue-operation", operation="dequeue")
        main.user(notice, origin={"kind": "task-notification"}, promptSource="system")
        main.say(builder.words.sentence())


def queued(builder: SessionBuilder) -> None:
    """Send an agent the way early 2026 did: its start is in the queue, as JSON."""
    main, sent = builder.main, agent_task(builder, builder.main, run_in_background=True)
    builder.prompt()
    main.ask(sent.call)
    task = {"task_id": sent.agent, "tool_use_id": sent.call.id}
    task |= {"description": sent.description, "task_type": "local_agent"}
    main.writer.entry("queue-operation", operation="enqueue", content=encode(task).decode())
    agent = start_agent(builder, sent)
    run_agent(builder, agent, sent)
    wait_for(main, agent)
    main.result(replace(sent.call, content="Agent running in the background."))
    main.say(builder.words.sentence())


def inline(builder: SessionBuilder) -> None:
    """Send an agent the way 2025 began: its lines stand in the main file."""
    main, sent = builder.main, agent_task(builder, builder.main)
    builder.prompt()
    main.ask(sent.call)
    own, asked = main.shares, set(main.states)
    main.writer.set(isSidechain=True)
    main.shares = [builder.truth.total, builder.truth.subagents]
    main.user(sent.prompt, parentUuid=None)
    agent = f"inline-{main.writer.leaf}"
    builder.work(main, 1)
    main.say(builder.words.sentence())
    main.writer.set(isSidechain=False)
    main.shares = own
    builder.truth.agents.append({**sent.truth(), "agentId": agent})
    calls = [call for call in main.states if call not in asked]  # in order: same seed, same bytes
    builder.truth.tool_agents |= dict.fromkeys(calls, agent)
    main.result(replace(sent.call, content=text_blocks(builder.words.sentence())))
    main.say(builder.words.sentence())


def nested(builder: SessionBuilder) -> None:
    """Send an agent that sends one that sends one."""

    def deepest(parent: Speaker) -> None:
        _foreground(builder, parent)

    def middle(parent: Speaker) -> None:
        _foreground(builder, parent, deepest)

    builder.prompt()
    _foreground(builder, builder.main, middle)
    builder.main.say(builder.words.sentence())


def _foreground(
    builder: SessionBuilder, parent: Speaker, inside: Callable[[Speaker], None] | None = None
) -> None:
    sent = agent_task(builder, parent)
    sent.parent.ask(sent.call)
    agent = start_agent(builder, sent)
    if builder.era.has("progress"):
        agent.writer.history = []
    words = run_agent(builder, agent, sent, inside)
    echo_lines(sent, agent)
    wait_for(sent.parent, agent)
    result = agent_result(builder, sent, agent, words)
    sent.parent.result(replace(sent.call, content=text_blocks(words), result=result))
