"""Steps of a story -> deeds of the main conversation or of an agent, with the time they take."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from unspool.demo.lines import ABSENT, Fields, text_block, thinking_block, tool_block
from unspool.demo.script import steps
from unspool.demo.script.files import Stage, StoryRegistry, StoryTranscript
from unspool.demo.script.limits import weekly_reset
from unspool.demo.script.session import SessionRun
from unspool.demo.script.steps import Agent, ScriptedCall, Story
from unspool.demo.script.tokens import TokenMeter, output_tokens

_FIRST_TOKEN = 3.2  # seconds
_TOKENS_A_SECOND = 30  # as far as a reader sees, retries and queues included
_SPAWNED = "Spawned successfully. The agent is now running and will receive instructions."


class StorySpeaker:
    """Writes one transcript: of the main conversation, or of an agent."""

    def __init__(
        self, run: SessionRun, writer: StoryTranscript, *, at: float, depth: int = 0
    ) -> None:
        self.run, self.writer, self.at, self.depth = run, writer, at, depth
        self.words = ""  # the last answer
        self.calls = 0
        self._meter = TokenMeter(is_agent=depth > 0)
        self._thought, self._said = "", ""
        self._turn_at = at
        self._prompt_id: Any = ABSENT
        self._is_first = True
        self._tellers: dict[type, Callable[[Any], None]] = {
            steps.Prompt: self._prompt,
            steps.Think: self._think,
            steps.Say: self._say,
            steps.ScriptedCall: lambda call: self._use((call,)),
            steps.Calls: lambda calls: self._use(calls.calls),
            steps.FinalAnswer: self._answer,
            steps.Pause: self._pause,
            steps.Compact: self._compact,
            steps.Failure: self._fail,
            steps.Limit: self._limit,
            steps.TaskNotice: self._notice,
            steps.TeamMessage: self._message,
            steps.Now: self._now,
        }

    def tell(self, told: steps.Steps) -> None:
        """Plan the deeds of some steps."""
        for step in told:
            self._tellers[type(step)](step)

    def heard(self, text: str, **fields: Any) -> None:
        """Write a line of the user's side."""
        self._meter.add(text)
        self.writer.user(text, promptId=self._prompt_id, **fields)

    def _prompt(self, step: steps.Prompt) -> None:
        self.at += step.after
        self._turn_at = self.at
        self.run.add(self.at, partial(self._write_prompt, step))

    def _write_prompt(self, step: steps.Prompt) -> None:
        self._prompt_id = self.run.names.uuid()
        self.run.prompted(step.text)
        self.run.stands("busy")
        self.run.hook("UserPromptSubmit", prompt=step.text)
        human = {"promptSource": "typed", "origin": {"kind": "human"}}
        self.heard(step.text, permissionMode=step.mode, **human)
        if self._is_first:
            self._attach()
        self.writer.entry("ai-title", aiTitle=self.run.story.title)

    def _attach(self) -> None:
        """Write what the client adds to the first prompt."""
        self._is_first, story = False, self.run.story
        if story.skills:
            names = [line.partition(":")[0] for line in story.skills]
            listed = "\n".join(f"- {line}" for line in story.skills)
            more: Fields = {"skillCount": len(names), "isInitial": True, "names": names}
            self._meter.add(listed)
            self.writer.attachment("skill_listing", content=listed, **more)
        if story.memory:
            path = f"{steps.HERE}/CLAUDE.md"
            content = {"path": path, "type": "Project", "content": story.memory}
            self._meter.add(story.memory)
            shown = {"path": path, "displayPath": "CLAUDE.md"}
            self.writer.attachment("nested_memory", content=content, **shown)

    def _think(self, step: steps.Think) -> None:
        self._thought = step.text

    def _say(self, step: steps.Say) -> None:
        self._said = step.text

    def _answer(self, step: steps.FinalAnswer) -> None:
        self._said = self.words = step.text
        self._respond(())
        if self.depth == 0:
            self.run.add(self.at, partial(self._rest, step.text, self.at - self._turn_at))

    def _rest(self, text: str, seconds: float) -> None:
        self.run.note_turn(self.writer, seconds)
        self.run.hook("Stop", stop_hook_active=False, last_assistant_message=text)
        self.run.stands("idle")

    def _respond(self, made: tuple[tuple[ScriptedCall, str], ...]) -> None:
        """Plan one response: the thought, the words and the calls that were collected."""
        thought, said = self._thought, self._said
        blocks = [thinking_block(thought)] if thought else []
        blocks += [text_block(said)] if said else []
        blocks += [tool_block(call.tool, call.input, id) for call, id in made]
        written = said + "".join(str(call.input) for call, _ in made)
        tool = made[-1][0].tool if made else ""
        output = output_tokens(self.writer.model, written, thought, tool=tool)
        self.at += _FIRST_TOKEN + output / _TOKENS_A_SECOND
        self._thought = self._said = ""
        respond = partial(self.run.respond, self.writer, self._meter, blocks, output)
        self.run.add(self.at, respond)

    def _use(self, calls: tuple[ScriptedCall, ...]) -> None:
        self.calls += len(calls)
        made = tuple((call, self.run.names.next("toolu_")) for call in calls)
        self._respond(made)
        if self.depth == 0:
            self.run.calls += made
        began = self.at
        ends = [self._call(call, id, began) for call, id in made]
        self.at = max(ends)

    def _call(self, call: ScriptedCall, id: str, at: float) -> float:
        """Plan a call and its result; return when that comes."""
        if self.depth == 0:
            self.run.add(at, partial(self.run.hook, "PreToolUse", call, id))
        if call.asks:
            self.run.add(at + 0.1, partial(self._request, call))
            at += call.asks
            self.run.add(at, partial(self.run.stands, "busy"))
        if call.agent is not None:
            return self._send(call, call.agent, id, at)
        end = at + call.took + 0.1
        self.run.add(end, partial(self._return, call, id, call.content, call.result))
        return end

    def _request(self, call: ScriptedCall) -> None:
        self.run.hook("PermissionRequest", call)
        is_question = call.tool == "AskUserQuestion"
        waits = "answer to a question" if is_question else f"permission to use {call.tool}"
        self.run.stands("waiting", waitingFor=waits)

    def _return(self, call: ScriptedCall, id: str, content: Any, result: Any) -> None:
        self._meter.add_result(str(content))
        if self.depth == 0:
            event = "PostToolUseFailure" if call.failed else "PostToolUse"
            more: Fields = {"duration_ms": round(call.took * 1_000)}
            if call.failed:
                more["error"] = str(content)[:200]
            self.run.hook(event, call, id, **more)
        fields = {"promptId": self._prompt_id, "failed": call.failed}
        self.writer.returns(content, call=id, result=result, **fields)
        if self.run.story.formats and call.tool in ("Edit", "Write"):
            self._format(id, call.tool)

    def _format(self, id: str, tool: str) -> None:
        ran = {"hookEvent": "PostToolUse", "hookName": f"PostToolUse:{tool}", "toolUseID": id}
        ran |= {"command": "make format-changed", "stdout": "1 file left unchanged", "stderr": ""}
        self.writer.attachment("hook_success", exitCode=0, durationMs=180, content="", **ran)

    # --- Agents ---

    def _send(self, call: ScriptedCall, sent: Agent, id: str, at: float) -> float:
        agent = sent.name or self.run.names.hex(17)
        mate = self._agent(sent, agent, id, at)
        self.run.ends[sent.name or sent.description] = mate.at
        if sent.name:
            who = f"{sent.name}@{sent.team}"
            spawned: Fields = {"status": "teammate_spawned", "agent_id": who, "name": sent.name}
            spawned |= {"team_name": sent.team, "color": sent.colour}
            self.run.add(at + 0.5, partial(self._return, call, id, _SPAWNED, spawned))
            return at + 0.5
        if sent.background:
            launched: Fields = {"isAsync": True, "status": "async_launched", "agentId": agent}
            launched |= {"description": sent.description, "prompt": sent.prompt}
            told = [text_block(f"Async agent launched successfully.\nagentId: {agent}")]
            self.run.add(at + 0.5, partial(self._return, call, id, told, launched))
            self.run.tasks[sent.description] = (agent, id)
            return at + 0.5
        self.run.add(mate.at + 0.2, partial(self._report, call, id, mate, sent))
        return mate.at + 0.2

    def _agent(self, sent: Agent, agent: str, id: str, at: float) -> StorySpeaker:
        writer = self.run.transcript(agent, sent.model)
        meta: Fields = {"agentType": sent.kind, "description": sent.description, "toolUseId": id}
        meta |= {"spawnDepth": 0 if sent.name else self.depth + 1}
        meta |= {"requestShape": "background" if sent.background else "foreground"}
        if self.writer.agent:
            meta["parentAgentId"] = self.writer.agent
        if sent.name:
            meta |= {"name": sent.name, "teamName": sent.team, "color": sent.colour}
            meta["taskKind"] = "in_process_teammate"
        writer.meta(**meta)
        mate = StorySpeaker(self.run, writer, at=at + 0.6, depth=self.depth + 1)
        opening = sent.prompt
        if sent.name:
            opening = (
                f'<teammate-message teammate_id="team-lead" summary="{sent.description}">\n'
                f"{sent.prompt}\n</teammate-message>"
            )
        self.run.add(mate.at, partial(mate.heard, opening))
        mate.tell(sent.steps)
        return mate

    def _report(self, call: ScriptedCall, id: str, mate: StorySpeaker, sent: Agent) -> None:
        content = [text_block(mate.words)]
        result: Fields = {
            "status": "completed",
            "prompt": sent.prompt,
            "agentId": mate.writer.agent,
            "agentType": sent.kind,
            "content": content,
            "totalDurationMs": round((mate.at - mate._turn_at) * 1_000),
            "totalTokens": mate._meter.context,
            "totalToolUseCount": mate.calls,
        }
        self._return(call, id, content, result)

    # --- What else happens ---

    def _notice(self, step: steps.TaskNotice) -> None:
        self.at = max(self.at, self.run.ends.get(step.task, 0.0)) + 0.5
        self.run.add(self.at, partial(self._write_notice, step))

    def _write_notice(self, step: steps.TaskNotice) -> None:
        task, call = self.run.tasks.get(step.task, (step.task, ""))
        named = f"<tool-use-id>{call}</tool-use-id>\n" if call else ""
        result = f"<result>{step.result}</result>\n" if step.result else ""
        text = (
            f"<task-notification>\n<task-id>{task}</task-id>\n{named}"
            f"<status>completed</status>\n<summary>{step.summary}</summary>\n{result}"
            "</task-notification>"
        )
        self.writer.entry("queue-operation", operation="enqueue", content=text)
        self.writer.entry("queue-operation", operation="dequeue")
        self.run.stands("busy")
        self.heard(text, origin={"kind": "task-notification"}, promptSource="system")

    def _message(self, step: steps.TeamMessage) -> None:
        self.at = max(self.at, self.run.ends.get(step.sender, 0.0)) + 0.5
        text = (
            f'<teammate-message teammate_id="{step.sender}" color="{step.colour}" '
            f'summary="{step.summary}">\n{step.text}\n</teammate-message>'
        )
        self.run.add(self.at, partial(self.heard, text))

    def _pause(self, step: steps.Pause) -> None:
        self.at += step.seconds

    def _now(self, step: steps.Now) -> None:
        self.run.now_at = self.at - step.before

    def _compact(self, step: steps.Compact) -> None:
        self.at += 24
        self.run.add(self.at, partial(self._write_compact, step))

    def _write_compact(self, step: steps.Compact) -> None:
        before, after = self._meter.compact(step.summary)
        self.writer.compacts(step.trigger, pre=before, post=after, summary=step.summary)

    def _fail(self, step: steps.Failure) -> None:
        for attempt in range(1, step.tries + 1):
            self.at += 2**attempt
            wait = {"retryInMs": 1_000 * 2**attempt, "retryAttempt": attempt, "maxRetries": 10}
            error = {"level": "error", "error": {"status": step.status}, **wait}
            self.run.add(self.at, partial(self.writer.system, "api_error", **error))
        self.at += 3
        self.run.add(self.at, partial(self._stop, step.text, step.error, step.status))

    def _limit(self, step: steps.Limit) -> None:
        self.at += 2
        self.run.add(self.at, partial(self._reach_limit, step.model))

    def _reach_limit(self, model: str) -> None:
        reset = weekly_reset(self.run.begin + timedelta(minutes=self.run.story.ago))
        when = f"{reset:%b} {reset.day}, {reset.hour % 12 or 12}{'am' if reset.hour < 12 else 'pm'}"
        self._stop(f"You've hit your {model} limit · resets {when} (UTC)", "rate_limit", 429)

    def _stop(self, text: str, error: str, status: int) -> None:
        self.writer.synthetic(text, error=error, apiErrorStatus=status)
        self.writer.entry("ai-title", aiTitle=self.run.story.title)
        self.run.hook("StopFailure", error=error, last_assistant_message=text)


def plan_run(
    stage: Stage,
    story: Story,
    *,
    take: int = 0,
    registry: StoryRegistry | None = None,
    rest: float | None = 20,
) -> SessionRun:
    """Plan all deeds of a story; with a registry it is a running one.

    The session ends `rest` seconds after the last answer; with None it stays open.
    """
    run = SessionRun(stage, story, take=take, registry=registry)
    main = StorySpeaker(run, run.transcript(), at=0.0)
    run.add(0.0, partial(_start, run))
    main.tell(story.steps)
    is_stopped = isinstance(story.steps[-1], steps.Failure | steps.Limit)
    if rest is not None and not is_stopped:
        run.add(main.at + rest, run.finish)
    return run


def _start(run: SessionRun) -> None:
    run.hook("SessionStart", source="startup")
    run.stands("idle")
