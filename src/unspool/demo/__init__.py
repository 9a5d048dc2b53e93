"""Made transcripts: a builder of one file and a generator of whole roots."""

from unspool.demo.generator import Truth, generate, live
from unspool.demo.lines import text_block, thinking_block, tool_block
from unspool.demo.transcript import Transcript

__all__ = [
    "Transcript",
    "Truth",
    "generate",
    "live",
    "text_block",
    "thinking_block",
    "tool_block",
]
