"""One session being made: its files, its turns and what it truly holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.actor import Actor
from unspool.demo.generator.eras import Era, Model, models_on
from unspool.demo.generator.hooklog import HookLog
from unspool.demo.generator.stage import Stage
from unspool.demo.generator.tools import Call, Toolbox
from unspool.demo.generator.truth import SessionTruth
from unspool.demo.lines import ABSENT
from unspool.demo.slugs import slug_of

_FULL = 150_000


@dataclass(frozen=True)
class Setting:
    """Where and when a session plays."""

    cwd: str
    era: Era
    day: date
    size: int = 1_200


class Play:
    """One session on its way to disk."""

    def __init__(self, stage: Stage, setting: Setting, **options: Any) -> None:
        self.stage, self.setting, self.era = stage, setting, setting.era
        self.words, self.rng = stage.words, stage.rng
        self.session: str = stage.ids.uuid()
        self.project = f"projects/{slug_of(setting.cwd)}"
        self.tools = Toolbox(stage.rng, stage.ids, stage.words, setting.cwd)
        self.finales: list[Callable[[], None]] = []
        self.title = stage.words.title()
        self.last_prompt = ""
        self.nickname: str = options.pop("slug", None) or stage.words.nickname()
        self.model: Model = options.pop("model", None) or self._favourite()
        facts = {"projectId": slug_of(setting.cwd), "cwd": setting.cwd, "era": self.era.name}
        self.truth = SessionTruth(self.session, facts)
        self._options = options
        hour = time(stage.rng.randint(7, 20), stage.rng.randrange(60), tzinfo=UTC)
        self.main = self.actor(None, datetime.combine(setting.day, hour), self.model)
        self.hooks: HookLog | None = None

    def actor(
        self, agent: str | None, start: datetime, model: Model, *, depth: int = 0, folder: str = ""
    ) -> Actor:
        """Bring on the main loop (no agent id) or an agent, each with a file of its own."""
        name = f"agent-{agent}.jsonl" if agent else f"{self.session}.jsonl"
        reel = self.stage.reel(
            self.stage.directory / self.project / folder / name,
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
        return Actor(self.stage, self.era, self.truth, reel, model, depth)

    def leave(self, actor: Actor) -> None:
        """Shut the file of an actor who is done."""
        self.stage.finish(actor.reel)
        self.truth.tools |= actor.states
        if actor.reel.agent:
            self.truth.tool_agents |= dict.fromkeys(actor.states, actor.reel.agent)

    def prompt(self, text: str = "", **fields: Any) -> None:
        """Let the user type a prompt."""
        text = text or self.words.prose(self.rng.randint(40, 400))
        self.main.reel.wait(self.rng.randint(5, 240))
        at = self.main.reel.clock.next
        self.last_prompt = text[:200].replace("\n", " ") + "…" * (len(text) > 200)
        self.main.prompt(text, **fields)
        self.stage.remember(text, int(at.timestamp() * 1000), self.setting.cwd, self.session)
        if self.hooks:
            self.hooks.prompt(at, text)

    def call(self, name: str = "") -> Call:
        """Make a tool call of this session's usual size."""
        return self.tools.call(name, self.setting.size)

    def work(self, actor: Actor, rounds: int) -> None:
        """Let an actor think, call tools and read their results some times over."""
        for _ in range(rounds):
            calls = [self.call() for _ in range(self.rng.choice((1, 1, 1, 1, 2, 3)))]
            talk = self.words.sentence() if self.rng.random() < 0.4 else ""
            thought = self.words.prose(300) if self.rng.random() < 0.3 else ""
            actor.ask(*calls, say=talk, think=thought)
            for call in self.rng.sample(calls, len(calls)):
                started = actor.reel.clock.next
                actor.result(call, "error" if self.rng.random() < 0.05 else "ok")
                if self.hooks and actor is self.main:
                    self.hooks.tool(started, actor.reel.clock.next, call)
            self._aside(actor, calls[-1])
            if actor.context > _FULL:
                actor.compact()

    def turn(self, rounds: int = 2) -> None:
        """Play one whole turn: a prompt, some work, an answer."""
        began = self.main.reel.clock.next
        self.prompt()
        self.work(self.main, rounds)
        self.main.say(self.words.prose(self.rng.randint(80, 900)))
        self.rest(began)

    def rest(self, began: datetime) -> None:
        """Write what Claude Code notes down when a turn is over."""
        reel, elapsed = self.main.reel, self.main.reel.clock.next - began
        if self.era.has("turn-duration"):
            milliseconds = elapsed // timedelta(milliseconds=1)
            reel.system("turn_duration", durationMs=milliseconds, isMeta=False)
        if self.era.has("snapshots"):
            snapshot: lines.Fields = {"messageId": reel.leaf, "trackedFileBackups": {}}
            snapshot["timestamp"] = lines.stamp(reel.clock.next)
            reel.entry("file-history-snapshot", messageId=reel.leaf, snapshot=snapshot)
        if self.era.has("titles"):
            reel.attachment("total_tokens_reminder", used=self.main.context, total=200_000)
            reel.entry("last-prompt", lastPrompt=self.last_prompt, leafUuid=reel.leaf)
            reel.entry("mode", mode="normal").entry("permission-mode", permissionMode="default")
            reel.entry("ai-title", aiTitle=self.title)
        if self.era.has("cost-state"):
            self._cost_state()

    def close(self) -> None:
        """End the session: last words, files shut, truth told."""
        if self.era.has("summaries"):
            self.main.reel.entry("summary", summary=self.title, leafUuid=self.main.reel.leaf)
        for finale in self.finales:
            finale()
        self.leave(self.main)
        if self.hooks:
            self.hooks.mark(self.main.reel.clock.next, "SessionEnd", reason="other")
            self.truth.facts["hookEvents"] = self.hooks.close()
        self.truth.facts |= {"title": self.title, "lines": self.main.reel.line_count}
        self.stage.ledger.close_session(self.truth)

    def _aside(self, actor: Actor, call: Call) -> None:
        if self.era.has("progress") and self.rng.random() < 0.5:
            name = f"PostToolUse:{call.name}"
            asked = {"hookEvent": "PostToolUse", "hookName": name, "command": "make format"}
            actor.reel.progress("hook_progress", call=call.id, **asked)
        elif self.era.has("attachments") and self.rng.random() < 0.3:
            ran = {"hookEvent": "PostToolUse", "hookName": f"PostToolUse:{call.name}"}
            ran |= {"toolUseID": call.id, "stdout": "", "stderr": "", "command": "make format"}
            actor.reel.attachment("hook_success", exitCode=0, durationMs=40, **ran)

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
        self.main.reel.entry(
            "cost-state",
            totalCostUSD=total.pico / 1e12,
            totalAPIDuration=total.messages * 2_400,
            modelUsage={self.model.written: used},
            hasUnknownModelCost=total.unpriced > 0,
        )

    def _favourite(self) -> Model:
        models = models_on(self.setting.day)
        return self.rng.choices(models, [model.share for model in models])[0]
