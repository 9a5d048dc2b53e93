"""Agents that are not plain errands: teams, workflows, copies of the parent, and the unseen."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from unspool.demo.generator.play import Play
from unspool.demo.generator.scenes.errand import Errand, enter, errand, perform
from unspool.demo.lines import ABSENT, encode

_MATES = (("researcher", "blue"), ("builder", "green"))


def team(play: Play) -> None:
    """Set up a team: two mates that report as name@team and write back."""
    main, name = play.main, f"team-{play.stage.ids.hex(6)}"
    members = []
    play.prompt()
    for mate, colour in _MATES:
        sent = errand(play, main, team_name=name, name=mate)
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
        agent = enter(
            play, sent, name=mate, teamName=name, taskKind="in_process_teammate", spawnDepth=0
        )
        words = perform(play, agent, replace(sent, prompt=opening))
        main.user(
            f'<teammate-message color="{colour}" teammate_id="{mate}" summary="done">\n'
            f"{words}\n</teammate-message>"
        )
        main.say(play.words.sentence())
        members.append({"agentId": who, "name": mate, "agentType": sent.kind, "color": colour})
    play.stage.put(f"teams/{name}/config.json", {"name": name, "members": members})


def workflow(play: Play) -> None:
    """Run a workflow: agents with a journal and no call of their own."""
    main, ids = play.main, play.stage.ids
    run = f"wf_{ids.hex(8)}-{ids.hex(3)}"
    folder = f"{play.session}/subagents/workflows/{run}"
    started = {
        "status": "async_launched",
        "taskId": ids.hex(9),
        "taskType": "local_workflow",
        "workflowName": "sweep",
        "runId": run,
        "transcriptDir": folder,
    }
    launch = play.tools.make("Workflow", {"name": "sweep"}, "Workflow launched.", started)
    play.prompt()
    main.use(launch)
    journal = [{"type": "launched"}]
    for phase in ("survey", "report"):
        sent = replace(errand(play, main), kind="workflow-subagent")
        agent = enter(play, sent, folder, toolUseId=ABSENT, workflowPhase=phase)
        play.truth.agents[-1] |= {"toolUseId": launch.id, "workflow": run}
        words = perform(play, agent, sent)
        key = f"v2:{sha256(sent.prompt.encode()).hexdigest()}"
        step = {"key": key, "agentId": sent.agent}
        journal.append({"type": "started", **step, "label": sent.description, "phase": phase})
        journal.append({"type": "result", **step, "result": words})
    text = "".join(encode(line).decode() + "\n" for line in journal)
    play.stage.put(f"{play.project}/{folder}/journal.jsonl", text)
    done = {"runId": run, "status": "completed", "agentCount": 2, "workflowName": "sweep"}
    play.stage.put(f"{play.project}/{play.session}/workflows/{run}.json", done)
    main.say(play.words.sentence())


def forked_agent(play: Play) -> None:
    """Send an agent whose file begins with a copy of the parent's conversation."""
    main, sent = play.main, errand(play, play.main)
    play.prompt()
    copied = list(main.reel.tape or [])
    main.ask(sent.call)
    agent = enter(play, sent, isFork=True)
    for line in copied:
        if "uuid" in line:
            agent.reel.copy({**line, "isSidechain": True, "agentId": sent.agent})
    words = perform(play, agent, sent)
    main.reel.clock.next = agent.reel.clock.next
    main.result(replace(sent.call, content=words, result={"agentId": sent.agent}))
    main.say(play.words.sentence())


def warmup(play: Play) -> None:
    """Leave the file of an agent that was only warmed up."""
    _unseen(play, play.stage.ids.hex(17), "Warmup")


def compactor(play: Play) -> None:
    """Leave the file of the agent that wrote a compaction's summary."""
    _unseen(play, f"acompact-{play.stage.ids.hex(6)}", play.words.sentence())


def empty_agent(play: Play) -> None:
    """Leave an agent file with nothing in it."""
    sent = _hidden(play, play.stage.ids.hex(17), "")
    play.leave(enter(play, sent))
    _hide(play, sent)


def _unseen(play: Play, agent_id: str, prompt: str) -> None:
    sent = _hidden(play, agent_id, prompt)
    agent = enter(play, sent)
    agent.shares.append(play.truth.hidden)
    agent.prompt(prompt)
    agent.say(play.words.sentence())
    play.leave(agent)
    _hide(play, sent)


def _hidden(play: Play, agent_id: str, prompt: str) -> Errand:
    return replace(errand(play, play.main), agent=agent_id, prompt=prompt)


def _hide(play: Play, sent: Errand) -> None:
    play.truth.agents.pop()
    play.truth.filtered.append(sent.agent)
