"""The main loop or an agent writing one file, and counting what it writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.eras import Era, Model
from unspool.demo.generator.root import RootBuilder, TranscriptWriter
from unspool.demo.generator.tools import ToolCallData
from unspool.demo.generator.truth import SessionTruth, TokenUsage
from unspool.demo.lines import ABSENT, Fields

_REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
_INTERRUPTED = "[Request interrupted by user for tool use]"


class Speaker:
    """Writes one transcript file, as the main loop or an agent."""

    def __init__(
        self,
        root: RootBuilder,
        era: Era,
        truth: SessionTruth,
        writer: TranscriptWriter,
        model: Model,
        depth: int = 0,
    ) -> None:
        self.root, self.era, self.truth, self.writer = root, era, truth, writer
        self.model, self.depth, self.rng = model, depth, root.rng
        self.context = self.rng.randint(9_000, 21_000)
        self.states: dict[str, str] = {}
        self.shares = [truth.total, truth.subagents if depth else truth.main]
        self.last = TokenUsage()
        self._prompt_id: Any = ABSENT

    def prompt(self, content: Any, **fields: Any) -> None:
        """Let the user speak."""
        if self.era.has("prompt-ids"):
            self._prompt_id = self.root.ids.uuid()
        self.user(content, **fields)

    def user(self, content: Any, **fields: Any) -> None:
        """Add a user line of the present turn."""
        self.writer.user(content, **{"promptId": self._prompt_id, **fields})

    def say(self, text: str, **options: Any) -> None:
        """Answer in words."""
        self.answer([lines.text_block(text)], **options)

    def use(self, *calls: ToolCallData, say: str = "", think: str = "", **options: Any) -> None:
        """Call tools in one response and get their results in any order."""
        self.ask(*calls, say=say, think=think, **options)
        for call in self.rng.sample(calls, len(calls)):
            self.result(call)

    def ask(self, *calls: ToolCallData, say: str = "", think: str = "", **options: Any) -> None:
        """Call tools in one response, results to follow."""
        blocks = [lines.thinking_block(think)] if think else []
        blocks += [lines.text_block(say)] if say else []
        blocks += [lines.tool_block(call.name, call.input, call.id) for call in calls]
        self.answer(blocks, **options)
        self.states.update((call.id, "no_result") for call in calls)

    def result(self, call: ToolCallData, state: str = "ok", **fields: Any) -> None:
        """Add the result of a call."""
        self.states[call.id] = state
        content, result = {
            "ok": (call.content, call.result),
            "error": ("Exit code 1\nno such target", "Error: Exit code 1\nno such target"),
            "rejected": (_REJECTED, "User rejected tool use"),
            "interrupted": (_INTERRUPTED, f"Error: {_INTERRUPTED}"),
        }[state]
        self.writer.wait(self.rng.random() * 8)
        links = {"promptId": self._prompt_id, "result": result, "failed": state != "ok"}
        self.writer.returns(content, call=call.id, **{**links, **fields})

    def answer(
        self,
        blocks: Sequence[Fields | list[Fields]],
        *,
        usage: TokenUsage | None = None,
        model: Model | None = None,
        outputs: Sequence[int] | None = None,
        written: Fields | None = None,
        **fields: Any,
    ) -> None:
        """Write one API response in the format of its era, and count it once."""
        self.writer.wait(0.5 + self.rng.random() * 6)
        self.writer.clock.stay_within_day(40)
        model = model or self.model
        usage = usage or self.meter()
        streamed = outputs or self._streamed(usage.output, len(blocks))
        stop = fields.pop("stop", self._stop(blocks[-1]))
        each = fields.pop("each", [{}] * len(streamed))
        self.last = replace(usage, output=max(streamed))
        pico = self.root.ledger.message(
            model,
            self.writer.clock.next.date().isoformat(),
            self.last,
            *self.shares,
            finished=stop is not None,
        )
        self.writer.answers(
            blocks,
            outputs=streamed,
            stop=stop,
            each=[self._marks(at, pico) | dict(own) for at, own in enumerate(each)],
            usage={**_usage_fields(usage, self.era), **(written or {})},
            **{"model": model.written, **fields},
        )

    def meter(self) -> TokenUsage:
        """Draw the usage of the next response: the context read, what is new written."""
        grown = self.rng.randint(150, 3_500)
        usage = TokenUsage(
            input=self.rng.choice((2, 3, 4, 8, 10)),
            output=self.rng.randint(20, 1_400),
            read=self.context,
        )
        self.context += grown
        if not self.era.has("split"):
            return replace(usage, unsplit=grown)
        if self.era.has("one-hour") and not self.depth:
            return replace(usage, write_1h=grown)
        return replace(usage, write_5m=grown)

    def compact(self, trigger: str = "auto") -> None:
        """Compact the conversation."""
        pre, post = self.context, self.rng.randint(3_000, 12_000)
        self.context = post
        self.truth.compactions += not self.depth
        self.writer.compacts(trigger, pre=pre, post=post, summary=self.root.words.prose(900))

    def _streamed(self, output: int, count: int) -> list[int]:
        if self.depth and self.era.has("unfinished-agents"):
            return [min(output, self.rng.randint(1, 15))] * count
        if self.era.has("partial"):
            return [min(output, self.rng.randint(1, 9)) for _ in range(count - 1)] + [output]
        return [output] * count

    def _stop(self, block: Fields | list[Fields]) -> str | None:
        if self.depth and self.era.has("unfinished-agents"):
            return None
        last = block[-1] if isinstance(block, list) else block
        return "tool_use" if last["type"] == "tool_use" else "end_turn"

    def _marks(self, at: int, pico: int | None) -> Fields:
        if self.era.has("block-index"):
            return {"apiBlockIndex": at, "perTurnEffort": None}
        if self.era.has("cost-usd") and pico is not None:
            return {"costUSD": pico / 1e12, "durationMs": 2_100}
        return {}


def _usage_fields(usage: TokenUsage, era: Era) -> Fields:
    shown: Fields = {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "output_tokens": usage.output,
        "service_tier": "standard",
    }
    if era.has("split"):
        shown["cache_creation"] = {
            "ephemeral_5m_input_tokens": usage.write_5m,
            "ephemeral_1h_input_tokens": usage.write_1h,
        }
    if usage.searches:
        shown["server_tool_use"] = {"web_search_requests": usage.searches}
    if era.has("one-hour") or usage.fast or usage.us:
        shown["speed"] = "fast" if usage.fast else "standard"
        shown["inference_geo"] = "us" if usage.us else "not_available"
    return shown
