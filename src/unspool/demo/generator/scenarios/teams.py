"""Agents in teams, workflows and forks; and agents that no reader lists."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from unspool.demo.generator.scenarios.agents import AgentTask, agent_task, run_agent, start_agent
from unspool.demo.generator.session import SessionBuilder
from unspool.demo.lines import ABSENT, encode

_MATES = (("researcher", "blue"), ("builder", "green"))


def team(builder: SessionBuilder) -> None:
    """Set up a team: two mates that report as name@team and write back."""
    main, name = builder.main, f"team-{builder.root.ids.hex(6)}"
    members = []
    builder.prompt()
    for mate, colour in _MATES:
        sent = agent_task(builder, main, team_name=name, name=mate)
        who = f"{mate}@{name}"
        main.ask(sent.call)
        spawned = {
            "status": "teammate_spawned",
            "agent_id": who,
            "name": mate,
            "team_name": name,
            "color": colour,
        }
        main.result(replace(sent.call, content="Spawned successfully.", result=spawned))
        opening = (
            f'<teammate-message teammate_id="team-lead" summary="{sent.description}">\n'
            f"{sent.prompt}\n</teammate-message>"
        )
        agent = start_agent(
            builder, sent, name=mate, teamName=name, taskKind="in_process_teammate", spawnDepth=0
        )
        words = run_agent(builder, agent, replace(sent, prompt=opening))
        main.user(
            f'<teammate-message color="{colour}" teammate_id="{mate}" summary="done">\n'
            f"{words}\n</teammate-message>"
        )
        main.say(builder.words.sentence())
        members.append({"agentId": who, "name": mate, "agentType": sent.kind, "color": colour})
    builder.root.put(f"teams/{name}/config.json", {"name": name, "members": members})


def workflow(builder: SessionBuilder) -> None:
    """Run a workflow: agents with a journal and no call of their own."""
    main, ids = builder.main, builder.root.ids
    run = f"wf_{ids.hex(8)}-{ids.hex(3)}"
    folder = f"{builder.session}/subagents/workflows/{run}"
    started = {
        "status": "async_launched",
        "taskId": ids.hex(9),
        "taskType": "local_workflow",
        "workflowName": "sweep",
        "runId": run,
        "transcriptDir": folder,
    }
    launch = builder.tools.make("Workflow", {"name": "sweep"}, "Workflow launched.", started)
    builder.prompt()
    main.use(launch)
    journal = [{"type": "launched"}]
    for phase in ("survey", "report"):
        sent = replace(agent_task(builder, main), kind="workflow-subagent")
        agent = start_agent(builder, sent, folder, toolUseId=ABSENT, workflowPhase=phase)
        builder.truth.agents[-1] |= {"toolUseId": launch.id, "workflow": run}
        words = run_agent(builder, agent, sent)
        key = f"v2:{sha256(sent.prompt.encode()).hexdigest()}"
        step = {"key": key, "agentId": sent.agent}
        journal.append({"type": "started", **step, "label": sent.description, "phase": phase})
        journal.append({"type": "result", **step, "result": words})
    text = "".join(encode(line).decode() + "\n" for line in journal)
    builder.root.put(f"{builder.project}/{folder}/journal.jsonl", text)
    done = {"runId": run, "status": "completed", "agentCount": 2, "workflowName": "sweep"}
    builder.root.put(f"{builder.project}/{builder.session}/workflows/{run}.json", done)
    main.say(builder.words.sentence())


def forked_agent(builder: SessionBuilder) -> None:
    """Send an agent whose file begins with a copy of the parent's conversation."""
    main, sent = builder.main, agent_task(builder, builder.main)
    builder.prompt()
    copied = list(main.writer.history or [])
    main.ask(sent.call)
    agent = start_agent(builder, sent, isFork=True)
    for line in copied:
        if "uuid" in line:
            agent.writer.copy({**line, "isSidechain": True, "agentId": sent.agent})
    words = run_agent(builder, agent, sent)
    main.writer.clock.next = agent.writer.clock.next
    main.result(replace(sent.call, content=words, result={"agentId": sent.agent}))
    main.say(builder.words.sentence())


def warmup(builder: SessionBuilder) -> None:
    """Leave the file of an agent that was only warmed up."""
    _unseen(builder, builder.root.ids.hex(17), "Warmup")


def compactor(builder: SessionBuilder) -> None:
    """Leave the file of the agent that wrote a compaction's summary."""
    _unseen(builder, f"acompact-{builder.root.ids.hex(6)}", builder.words.sentence())


def empty_agent(builder: SessionBuilder) -> None:
    """Leave an agent file with nothing in it."""
    sent = _hidden(builder, builder.root.ids.hex(17), "")
    builder.leave(start_agent(builder, sent))
    _hide(builder, sent)


def _unseen(builder: SessionBuilder, agent_id: str, prompt: str) -> None:
    sent = _hidden(builder, agent_id, prompt)
    agent = start_agent(builder, sent)
    agent.shares.append(builder.truth.hidden)
    agent.prompt(prompt)
    agent.say(builder.words.sentence())
    builder.leave(agent)
    _hide(builder, sent)


def _hidden(builder: SessionBuilder, agent_id: str, prompt: str) -> AgentTask:
    return replace(agent_task(builder, builder.main), agent=agent_id, prompt=prompt)


def _hide(builder: SessionBuilder, sent: AgentTask) -> None:
    builder.truth.agents.pop()
    builder.truth.filtered.append(sent.agent)
