"""Whole lines and the ways in which real transcripts were found damaged."""

import random
from functools import cache

from unspool.demo import Transcript, text_block, tool_block


@cache
def lines() -> list[bytes]:
    """Lines of many kinds, with quotes, escapes, nesting and far Unicode in them."""
    made = Transcript().user('say "hi" to {"type":"user","uuid":"fake"} \\ and \U0001f600\u2028')
    made.thinks("ünïcode").says('```json\n{"parentUuid":null,"type":"user"}\n```')
    made.answers([text_block("both"), tool_block("Bash", {"command": "echo '{}' | cat"}, "t1")])
    made.returns([{"type": "text", "text": "{"}, {"type": "text", "text": '}{"'}], call="t1")
    made.calls("Read", file_path="/repo/a.py").returns("x" * 3000, result={"type": "text"})
    made.system("turn_duration", durationMs=5).attachment("file", content={"type": "text"})
    made.progress("agent_progress", message={"type": "user", "uuid": "n1", "message": {}})
    made.entry("summary", summary="Title", leafUuid="u1").entry("brand-new", timestamp="2026")
    return made.bytes().rstrip(b"\n").split(b"\n")


def damaged(chance: random.Random) -> tuple[bytes, list[bytes]]:
    """One damaged line, and the whole records that are still in it."""
    known = lines()
    whole = chance.choices(known, k=chance.choice([1, 1, 1, 2]))
    torn = chance.choice(known)
    cut = torn[: chance.randrange(1, len(torn))]
    zeros = b"\0" * chance.randrange(1, 4096)
    before = chance.choice([b"", cut, zeros, cut + zeros])
    if not before:
        whole.append(chance.choice(known))
    return before + b"".join(whole), whole
