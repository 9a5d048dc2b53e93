"""One session being generated: its files, its turns and what it contains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.eras import Era, Model, models_on
from unspool.demo.generator.root import RootBuilder
from unspool.demo.generator.speaker import Speaker
from unspool.demo.generator.tools import HookLogWriter, Toolbox, ToolCallData
from unspool.demo.generator.truth import SessionTruth
from unspool.demo.lines import ABSENT, project_slug

_FULL = 150_000


@dataclass(frozen=True)
class SessionPlan:
    """Where and when a session takes place."""

    cwd: str
    era: Era
    day: date
    size: int = 1_200


class SessionBuilder:
    """One session on its way to disk."""

    def __init__(self, root: RootBuilder, setting: SessionPlan, **options: Any) -> None:
        self.root, self.setting, self.era = root, setting, setting.era
        self.words, self.rng = root.words, root.rng
        self.session: str = root.ids.uuid()
        self.project = f"projects/{project_slug(setting.cwd)}"
        self.tools = Toolbox(root.rng, root.ids, root.words, setting.cwd)
        self.at_close: list[Callable[[], None]] = []
        self.title = root.words.title()
        self.last_prompt = ""
        self.nickname: str = options.pop("slug", None) or root.words.nickname()
        self.model: Model = options.pop("model", None) or self._favourite()
        facts = {"projectId": project_slug(setting.cwd), "cwd": setting.cwd, "era": self.era.name}
        self.truth = SessionTruth(self.session, facts)
        self._options = options
        hour = time(root.rng.randint(7, 20), root.rng.randrange(60), tzinfo=UTC)
        self.main = self.speaker(None, datetime.combine(setting.day, hour), self.model)
        self.hooks: HookLogWriter | None = None

    def speaker(
        self, agent: str | None, start: datetime, model: Model, *, depth: int = 0, folder: str = ""
    ) -> Speaker:
        """Start the main loop (no agent id) or an agent, each with its own file."""
        name = f"agent-{agent}.jsonl" if agent else f"{self.session}.jsonl"
        writer = self.root.writer(
            self.root.directory / self.project / folder / name,
            session=self.session,
            cwd=self.setting.cwd,
            agent=agent,
            start=lines.stamp(start),
            **{
                "version": self.era.version_on(self.setting.day),
                "slug": self.nickname if self.era.has("nickname") else ABSENT,
                "entrypoint": "cli" if self.era.has("entrypoint") else ABSENT,
                **self._options,
            },
        )
        return Speaker(self.root, self.era, self.truth, writer, model, depth)

    def leave(self, speaker: Speaker) -> None:
        """Close the file of a speaker that is done."""
        self.root.finish(speaker.writer)
        self.truth.tools |= speaker.states
        if speaker.writer.agent:
            self.truth.tool_agents |= dict.fromkeys(speaker.states, speaker.writer.agent)

    def prompt(self, text: str = "", **fields: Any) -> None:
        """Let the user type a prompt."""
        text = text or self.words.prose(self.rng.randint(40, 400))
        self.main.writer.wait(self.rng.randint(5, 240))
        at = self.main.writer.clock.next
        self.last_prompt = text[:200].replace("\n", " ") + "…" * (len(text) > 200)
        self.main.prompt(text, **fields)
        self.root.remember(text, int(at.timestamp() * 1000), self.setting.cwd, self.session)
        if self.hooks:
            self.hooks.prompt(at, text)

    def call(self, name: str = "") -> ToolCallData:
        """Make a tool call of this session's usual size."""
        return self.tools.call(name, self.setting.size)

    def work(self, speaker: Speaker, rounds: int) -> None:
        """Let a speaker think, call tools and read their results for some rounds."""
        for _ in range(rounds):
            calls = [self.call() for _ in range(self.rng.choice((1, 1, 1, 1, 2, 3)))]
            talk = self.words.sentence() if self.rng.random() < 0.4 else ""
            thought = self.words.prose(300) if self.rng.random() < 0.3 else ""
            speaker.ask(*calls, say=talk, think=thought)
            for call in self.rng.sample(calls, len(calls)):
                started = speaker.writer.clock.next
                speaker.result(call, "error" if self.rng.random() < 0.05 else "ok")
                if self.hooks and speaker is self.main:
                    self.hooks.tool(started, speaker.writer.clock.next, call)
            self._aside(speaker, calls[-1])
            if speaker.context > _FULL:
                speaker.compact()

    def turn(self, rounds: int = 2) -> None:
        """Add one turn: a prompt, some work, an answer."""
        began = self.main.writer.clock.next
        self.prompt()
        self.work(self.main, rounds)
        self.main.say(self.words.prose(self.rng.randint(80, 900)))
        self.rest(began)

    def rest(self, began: datetime) -> None:
        """Write what Claude Code notes down when a turn is over."""
        writer, elapsed = self.main.writer, self.main.writer.clock.next - began
        if self.era.has("turn-duration"):
            milliseconds = elapsed // timedelta(milliseconds=1)
            writer.system("turn_duration", durationMs=milliseconds, isMeta=False)
        if self.era.has("snapshots"):
            snapshot: lines.Fields = {"messageId": writer.leaf, "trackedFileBackups": {}}
            snapshot["timestamp"] = lines.stamp(writer.clock.next)
            writer.entry("file-history-snapshot", messageId=writer.leaf, snapshot=snapshot)
        if self.era.has("titles"):
            writer.attachment("total_tokens_reminder", used=self.main.context, total=200_000)
            writer.entry("last-prompt", lastPrompt=self.last_prompt, leafUuid=writer.leaf)
            writer.entry("mode", mode="normal").entry("permission-mode", permissionMode="default")
            writer.entry("ai-title", aiTitle=self.title)
        if self.era.has("cost-state"):
            self._cost_state()

    def close(self) -> None:
        """End the session: last words, files shut, truth told."""
        if self.era.has("summaries"):
            self.main.writer.entry("summary", summary=self.title, leafUuid=self.main.writer.leaf)
        for finale in self.at_close:
            finale()
        self.leave(self.main)
        if self.hooks:
            self.hooks.mark(self.main.writer.clock.next, "SessionEnd", reason="other")
            self.truth.facts["hookEvents"] = self.hooks.close()
        self.truth.facts |= {"title": self.title, "lines": self.main.writer.line_count}
        self.root.ledger.close_session(self.truth)

    def _aside(self, speaker: Speaker, call: ToolCallData) -> None:
        if self.era.has("progress") and self.rng.random() < 0.5:
            name = f"PostToolUse:{call.name}"
            asked = {"hookEvent": "PostToolUse", "hookName": name, "command": "make format"}
            speaker.writer.progress("hook_progress", call=call.id, **asked)
        elif self.era.has("attachments") and self.rng.random() < 0.3:
            ran = {"hookEvent": "PostToolUse", "hookName": f"PostToolUse:{call.name}"}
            ran |= {"toolUseID": call.id, "stdout": "", "stderr": "", "command": "make format"}
            speaker.writer.attachment("hook_success", exitCode=0, durationMs=40, **ran)

    def _cost_state(self) -> None:
        total = self.truth.total
        used = {
            "inputTokens": total.input,
            "outputTokens": total.output,
            "cacheReadInputTokens": total.read,
            "cacheCreationInputTokens": total.write_5m + total.write_1h,
            "webSearchRequests": total.searches,
            "costUSD": total.pico / 1e12,
        }
        self.truth.facts["costStateUsd"] = total.pico / 1e12
        self.main.writer.entry(
            "cost-state",
            totalCostUSD=total.pico / 1e12,
            totalAPIDuration=total.messages * 2_400,
            modelUsage={self.model.written: used},
            hasUnknownModelCost=total.unpriced > 0,
        )

    def _favourite(self) -> Model:
        models = models_on(self.setting.day)
        return self.rng.choices(models, [model.share for model in models])[0]
