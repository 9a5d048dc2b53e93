"""Agents sent out by tool calls: in the foreground, the background, nested and old-style."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unspool.demo.generator.actor import Actor
from unspool.demo.generator.play import Play
from unspool.demo.generator.scenes.errand import (
    catch_up,
    completed,
    echo,
    enter,
    errand,
    notification,
    perform,
    said,
)
from unspool.demo.lines import encode


def single(play: Play) -> None:
    """Send one agent, wait for it and tell what it found."""
    play.prompt()
    _foreground(play, play.main)
    play.main.say(play.words.sentence())


def background(play: Play) -> None:
    """Send an agent, go on, and be told twice that it is done."""
    main, sent = play.main, errand(play, play.main, run_in_background=True)
    play.prompt()
    main.ask(sent.call)
    launched = {
        "isAsync": True,
        "status": "async_launched",
        "agentId": sent.agent,
        "description": sent.description,
        "prompt": sent.prompt,
        "outputFile": f"tasks/{sent.agent}.output",
    }
    content = said("Async agent launched successfully.")
    main.result(replace(sent.call, content=content, result=launched))
    agent = enter(play, sent, requestShape="background")
    words = perform(play, agent, sent)
    play.work(main, 1)
    catch_up(main, agent)
    notice = notification(sent, words)
    for _ in range(2):
        main.reel.entry("queue-operation", operation="enqueue", content=notice)
        main.reel.entry("queue-operation", operation="dequeue")
        main.user(notice, origin={"kind": "task-notification"}, promptSource="system")
        main.say(play.words.sentence())


def queued(play: Play) -> None:
    """Send an agent the way early 2026 did: its start is in the queue, as JSON."""
    main, sent = play.main, errand(play, play.main, run_in_background=True)
    play.prompt()
    main.ask(sent.call)
    task = {"task_id": sent.agent, "tool_use_id": sent.call.id}
    task |= {"description": sent.description, "task_type": "local_agent"}
    main.reel.entry("queue-operation", operation="enqueue", content=encode(task).decode())
    agent = enter(play, sent)
    perform(play, agent, sent)
    catch_up(main, agent)
    main.result(replace(sent.call, content="Agent running in the background."))
    main.say(play.words.sentence())


def inline(play: Play) -> None:
    """Send an agent the way 2025 began: its lines stand in the main file."""
    main, sent = play.main, errand(play, play.main)
    play.prompt()
    main.ask(sent.call)
    own, asked = main.shares, set(main.states)
    main.reel.set(isSidechain=True)
    main.shares = [play.truth.total, play.truth.subagents]
    main.user(sent.prompt, parentUuid=None)
    agent = f"inline-{main.reel.leaf}"
    play.work(main, 1)
    main.say(play.words.sentence())
    main.reel.set(isSidechain=False)
    main.shares = own
    play.truth.agents.append({**sent.truth(), "agentId": agent})
    play.truth.tool_agents |= dict.fromkeys(main.states.keys() - asked, agent)
    main.result(replace(sent.call, content=said(play.words.sentence())))
    main.say(play.words.sentence())


def nested(play: Play) -> None:
    """Send an agent that sends one that sends one."""

    def deepest(parent: Actor) -> None:
        _foreground(play, parent)

    def middle(parent: Actor) -> None:
        _foreground(play, parent, deepest)

    play.prompt()
    _foreground(play, play.main, middle)
    play.main.say(play.words.sentence())


def _foreground(play: Play, parent: Actor, inside: Callable[[Actor], None] | None = None) -> None:
    sent = errand(play, parent)
    sent.parent.ask(sent.call)
    agent = enter(play, sent)
    if play.era.has("progress"):
        agent.reel.tape = []
    words = perform(play, agent, sent, inside)
    echo(sent, agent)
    catch_up(sent.parent, agent)
    result = completed(play, sent, agent, words)
    sent.parent.result(replace(sent.call, content=said(words), result=result))
