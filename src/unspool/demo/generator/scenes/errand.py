"""An agent's errand: the call that sends it, its file, its work and what it reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unspool.demo.generator.actor import Actor
from unspool.demo.generator.money import Usage
from unspool.demo.generator.play import Play
from unspool.demo.generator.tools import Call
from unspool.demo.lines import ABSENT, Fields, text_block, without_absent

_KINDS = ("general-purpose", "Explore", "Plan", "code-reviewer")
_ECHOES = 6


@dataclass(frozen=True)
class Errand:
    """One agent: who sent it, by which call, and what for."""

    parent: Actor
    call: Call
    agent: str
    kind: str
    description: str
    prompt: str

    @property
    def sender(self) -> str | None:
        """The agent that sent this one; None is the main loop."""
        return self.parent.reel.agent

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


def errand(play: Play, parent: Actor, **extra: Any) -> Errand:
    """Think up an errand for a new agent and the call that sends it."""
    kind, title = play.rng.choice(_KINDS), play.words.title()
    prompt = play.words.prose(play.rng.randint(120, 600))
    asked = {"description": title, "prompt": prompt, "subagent_type": kind, **extra}
    call = play.tools.make(play.era.task_tool, asked, "", None)
    agent = play.stage.ids.hex(8 if play.era.has("legacy") else 17)
    return Errand(parent, call, agent, kind, title, prompt)


def enter(play: Play, sent: Errand, folder: str = "", **sidecar: Any) -> Actor:
    """Open an agent's file, and its sidecar where the age has one."""
    if not folder and not play.era.has("legacy"):
        folder = f"{play.session}/subagents"
    start = sent.parent.reel.clock.next
    agent = play.actor(sent.agent, start, sent.parent.model, depth=sent.depth, folder=folder)
    if play.era.has("sidecars"):
        meta = {
            "agentType": sent.kind,
            "description": sent.description,
            "toolUseId": sent.call.id,
            "spawnDepth": sent.depth,
            "parentAgentId": sent.sender or ABSENT,
            "requestShape": "foreground",
            **sidecar,
        }
        path = f"{play.project}/{folder}/agent-{sent.agent}.meta.json"
        play.stage.put(path, without_absent(meta))
    play.truth.agents.append(sent.truth())
    return agent


def perform(
    play: Play, agent: Actor, sent: Errand, inside: Callable[[Actor], None] | None = None
) -> str:
    """Let an agent do its errand and give its last words."""
    agent.prompt(sent.prompt)
    play.work(agent, play.rng.randint(1, 3))
    if inside:
        inside(agent)
    words = play.words.prose(400)
    agent.say(words)
    play.leave(agent)
    return words


def completed(play: Play, sent: Errand, agent: Actor, words: str) -> Fields:
    """Give the result a finished agent leaves in its parent: the last request's usage only."""
    return {
        "status": "completed",
        "prompt": sent.prompt,
        "agentId": sent.agent,
        "content": said(words),
        "totalDurationMs": play.rng.randint(4_000, 90_000),
        "totalTokens": agent.last.prompt + agent.last.output,
        "totalToolUseCount": len(agent.states),
        "usage": _plain(agent.last),
    }


def notification(sent: Errand, words: str) -> str:
    """Write the note that tells of a finished task."""
    return (
        f"<task-notification>\n<task-id>{sent.agent}</task-id>\n"
        f"<tool-use-id>{sent.call.id}</tool-use-id>\n<status>completed</status>\n"
        f'<summary>Agent "{sent.description}" completed</summary>\n'
        f"<result>{words}</result>\n</task-notification>"
    )


def said(words: str) -> list[Fields]:
    """Give words as the blocks of a result."""
    return [text_block(words)]


def echo(sent: Errand, agent: Actor) -> None:
    """Repeat an agent's first lines in its parent's file, as early 2026 did."""
    for line in (agent.reel.tape or [])[:_ECHOES]:
        kept = {
            key: line[key]
            for key in ("type", "message", "uuid", "timestamp", "requestId")
            if key in line
        }
        sent.parent.reel.progress(
            "agent_progress",
            call=sent.call.id,
            message=kept,
            normalizedMessages=[],
            prompt=sent.prompt,
            agentId=sent.agent,
        )


def catch_up(parent: Actor, agent: Actor) -> None:
    """Let the parent wait until the agent is done."""
    parent.reel.clock.next = max(parent.reel.clock.next, agent.reel.clock.next)


def _plain(usage: Usage) -> Fields:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.read,
        "cache_creation_input_tokens": usage.written,
    }
