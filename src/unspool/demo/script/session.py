"""One session of a story: deeds in the order of time, each writes what Claude Code would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from unspool.demo.generator.truth import TokenUsage
from unspool.demo.lines import Fields
from unspool.demo.script.files import Names, Stage, StoryHookLog, StoryRegistry, StoryTranscript
from unspool.demo.script.steps import ScriptedCall, Story
from unspool.demo.script.tokens import TokenMeter, usage_fields

Deed = tuple[float, Callable[[], object]]  # seconds after the beginning
_PICO = 10**12
_SHORT = 200


class SessionRun:
    """One session of a story: its files, its costs, and what has not been written yet."""

    def __init__(
        self, stage: Stage, story: Story, *, take: int = 0, registry: StoryRegistry | None = None
    ) -> None:
        self.stage, self.story, self.registry = stage, story, registry
        self.names = Names(f"{stage.seed}/{story.name}/{take}")
        self.session = self.names.uuid()
        self.deeds: list[Deed] = []
        self.now_at = 0.0  # how far a running story is told when the demo begins
        self.begin = datetime.min.replace(tzinfo=UTC)
        self.ends: dict[str, float] = {}  # when agents are done, by description or name
        self.tasks: dict[str, tuple[str, str]] = {}  # background agents: id and call
        self.calls: list[tuple[ScriptedCall, str]] = []  # of the main conversation, with their ids
        self.pico: Counter[str] = Counter()
        self._used: dict[str, list[TokenUsage]] = {}
        self._transcripts: list[StoryTranscript] = []
        self._hooks: StoryHookLog | None = None
        self._last_prompt = ""

    @property
    def is_written(self) -> bool:
        """Whether the root has this session."""
        return any(self.stage.root.glob(f"projects/*/{self.session}.jsonl"))

    def transcript(self, agent: str | None = None, model: str = "") -> StoryTranscript:
        """Open the session's own file, or an agent's."""
        story = self.story
        more = {"slug": story.slug} if story.slug else {}
        made = StoryTranscript(
            self.stage, self.names, self.session, story.cwd,
            agent=agent, model=model or story.model, branch=story.branch, **more,
        )  # fmt: skip
        self._transcripts.append(made)
        return made

    def add(self, at: float, deed: Callable[[], object]) -> None:
        """Plan a deed."""
        self.deeds.append((at, deed))

    def play(self, at: float, deed: Callable[[], object]) -> None:
        """Do a deed at its time."""
        moment = self.begin + timedelta(seconds=at)
        for one in self._transcripts:
            one.clock.next, one.day = moment, self.begin.date()
        deed()

    def tell(self) -> None:
        """Do all deeds at once: a story of the past."""
        for at, deed in self.ordered():
            self.play(at, deed)
        for one in self._transcripts:
            one.close()
        self.close()

    def close(self) -> None:
        """Write no more."""
        if self._hooks is not None:
            self._hooks.close()

    def ordered(self) -> list[Deed]:
        """Deeds by time; those of one moment in the order they were planned."""
        return sorted(self.deeds, key=lambda deed: deed[0])

    def flush(self) -> None:
        """Write what was told."""
        for one in self._transcripts:
            one.flush()

    def respond(
        self, writer: StoryTranscript, meter: TokenMeter, blocks: list[Fields], output: int
    ) -> None:
        """Write an API response, and count it."""
        at = writer.clock.next
        usage = meter.respond(at, output, str(blocks))
        pico = self.stage.prices.cost(writer.model, at.date().isoformat(), usage)
        self.pico[writer.model] += pico or 0
        self._used.setdefault(writer.model, []).append(usage)
        writer.answers(blocks, usage=usage_fields(usage), **_attribution(blocks))

    def hook(
        self, event: str, call: ScriptedCall | None = None, id: str = "", **asked: Any
    ) -> None:
        """Tell of a hook event; a request for permission names no call."""
        if call is not None:
            asked |= {"tool_name": call.tool, "tool_input": call.input}
            if event != "PermissionRequest":
                asked["tool_use_id"] = id
        if self._hooks is None:
            self._hooks = StoryHookLog(self.stage, self.session, self.story.cwd, self.begin.date())
        self._hooks.mark(self._transcripts[0].clock.next, event, **asked)

    def stands(self, status: str, **more: str) -> None:
        """Say in the registry how the session stands, if it is running."""
        if self.registry is not None:
            at = self._transcripts[0].clock.next
            self.registry.write(self.session, self.story.cwd, self.begin, at, status=status, **more)

    def prompted(self, text: str) -> None:
        """Note the latest prompt."""
        short = text.replace("\n", " ")
        self._last_prompt = short[:_SHORT] + "…" * (len(short) > _SHORT)

    def note_turn(self, writer: StoryTranscript, seconds: float) -> None:
        """Write what Claude Code notes at the end of a turn."""
        writer.system("turn_duration", durationMs=round(seconds * 1_000), isMeta=False)
        writer.entry("last-prompt", lastPrompt=self._last_prompt, leafUuid=writer.leaf)
        writer.entry("ai-title", aiTitle=self.story.title)
        spent = {model: pico / _PICO for model, pico in self.pico.items()}
        used = {model: _model_usage(all, spent[model]) for model, all in self._used.items()}
        total = sum(spent.values())
        writer.entry("cost-state", totalCostUSD=total, modelUsage=used, hasUnknownModelCost=False)

    def finish(self) -> None:
        """End the session: its process is gone."""
        self.hook("SessionEnd", reason="prompt_input_exit")
        if self.registry is not None:
            self.registry.remove()

    @property
    def usd(self) -> float:
        """What the session has cost."""
        return sum(self.pico.values()) / _PICO


def _attribution(blocks: list[Fields]) -> Fields:
    names = [block["name"] for block in blocks if block["type"] == "tool_use"]
    servers = [name.split("__")[1] for name in names if name.startswith("mcp__")]
    return {"attributionMcpServer": servers[0]} if servers else {}


def _model_usage(used: list[TokenUsage], usd: float) -> Fields:
    return {
        "inputTokens": sum(one.input for one in used),
        "outputTokens": sum(one.output for one in used),
        "cacheReadInputTokens": sum(one.read for one in used),
        "cacheCreationInputTokens": sum(one.written for one in used),
        "webSearchRequests": 0,
        "costUSD": usd,
    }
