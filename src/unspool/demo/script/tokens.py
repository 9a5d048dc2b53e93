"""Words of a story -> tokens: a context that grows, and a cache that is lost after a while.

The figures are medians over published transcripts: a first request of 33,000 tokens of which
others have cached 18,000, agents that begin with a third of that, responses of 320 tokens of
which 100 can be read, the rest being thought. What fills a context is what its lines show.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zlib import crc32

from unspool.demo.generator.truth import TokenUsage
from unspool.demo.script.steps import FABLE, HAIKU, OPUS, SONNET

_HOUR, _MINUTES = timedelta(hours=1), timedelta(minutes=5)
_CHARS = 3.4  # a token of code and prose
_ENVELOPE = 45  # names and ids around a block
_REMINDER = 110  # what the client adds to prompts and results, and no line shows

# System prompt and tools, which other sessions have cached; the rest of a first request.
_MAIN, _AGENT = (18_300, 12_600), (7_400, 3_600)

# How much each model thinks before it answers, in tokens; most of it is not stored.
_THOUGHT = {FABLE: 190, OPUS: 230, SONNET: 160, HAIKU: 70}

# Some calls need less thought than others.
_EASY = {"TodoWrite": 0.2, "Read": 0.4, "Grep": 0.5, "Glob": 0.4, "WebFetch": 0.5}


def output_tokens(model: str, text: str, thought: str, *, tool: str = "") -> int:
    """The tokens of a response: what it says, and what it thought before."""
    usual = round(_THOUGHT[model] * _EASY.get(tool, 1.0))
    hidden = usual // 3 + crc32(text.encode()) % usual
    if thought:
        hidden += 2 * _THOUGHT[model]  # the text of a thought is a summary
    return round((len(text) + len(thought)) / _CHARS) + hidden + _ENVELOPE


class TokenMeter:
    """Counts the tokens of one conversation, response by response."""

    def __init__(self, *, is_agent: bool) -> None:
        self.context = 0
        self._cached, self._first = _AGENT if is_agent else _MAIN
        self._new = self._first
        self._is_agent = is_agent
        self._last: datetime | None = None

    def add(self, text: str) -> None:
        """A prompt or a message came into the context."""
        self._new += round(len(text) / _CHARS) + _REMINDER

    def add_result(self, text: str) -> None:
        """A tool has answered."""
        self._new += round(len(text) / _CHARS) + _ENVELOPE + _REMINDER

    def respond(self, at: datetime, output: int, text: str) -> TokenUsage:
        """The usage of a response; what it says stays in the context, what was thought does not."""
        read, new = self.context or self._cached, self._new
        if self._last and at - self._last > (_MINUTES if self._is_agent else _HOUR):
            read, new = 0, self.context + new
        self.context = read + new
        self._last, self._new = at, round(len(text) / _CHARS) + _ENVELOPE
        used = TokenUsage(input=3 + len(text) % 9, output=output, read=read)
        return replace(used, write_5m=new) if self._is_agent else replace(used, write_1h=new)

    def compact(self, summary: str) -> tuple[int, int]:
        """Forget all but a summary; the tokens before and after."""
        before = self.context + self._new
        self.context, self._new = 0, self._first + round(len(summary) / _CHARS)
        return before, self._cached + self._new


def usage_fields(usage: TokenUsage) -> dict[str, object]:
    """Usage as the lines of a transcript give it."""
    return {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "output_tokens": usage.output,
        "service_tier": "standard",
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.write_5m,
            "ephemeral_1h_input_tokens": usage.write_1h,
        },
        "inference_geo": "not_available",
        "speed": "standard",
    }
