"""A session that is running: lines appended to a root one by one, as they would come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random

from unspool.demo import lines
from unspool.demo.generator.ids import Ids
from unspool.demo.generator.tools import Call, Toolbox
from unspool.demo.generator.words import Words
from unspool.demo.lines import Fields
from unspool.demo.transcript import Transcript

_CWD = "/home/dev/live"
_TURN_SECONDS = 30
_TURN_LINES = 12


class _Present(lines.Clock):
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    def tick(self) -> str:
        return lines.stamp(self._now())


class Running(Transcript):
    """A transcript that appends each line at once and then waits for the next."""

    def __init__(
        self, root: Path, ids: Ids, *, now: Callable[[], datetime], pause: Callable[[], None]
    ) -> None:
        super().__init__(ids.uuid(), _CWD, model="claude-sonnet-5-5", version="2.1.325")
        self.clock = _Present(now)
        self.path = self.path_in(root)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._ids, self._pause = ids, pause

    def _keep(self, line: Fields | bytes) -> None:
        data = line if isinstance(line, bytes) else lines.encode(line) + b"\n"
        with self.path.open("ab", buffering=0) as file:
            file.write(data)
        self._pause()

    def _next(self, kind: str) -> str:
        return self._ids.uuid() if kind == "u" else self._ids.named(kind)


def live(
    directory: Path,
    *,
    seed: int = 1,
    seconds: float = 60,
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
) -> Path:
    """Play a session into a root over so many seconds; give the path it was written to."""
    rng = Random(seed)
    ids, words = Ids(rng), Words(rng)
    tools = Toolbox(rng, ids, words, _CWD)
    turns = max(1, round(seconds / _TURN_SECONDS))
    gap = seconds / (turns * _TURN_LINES)
    running = Running(directory, ids, now=now, pause=lambda: sleep(gap))
    for _ in range(turns):
        _turn(running, words, tools)
    return running.path


def _turn(running: Running, words: Words, tools: Toolbox) -> None:
    running.user(words.prose(160), promptSource="typed", origin={"kind": "human"})
    looks = [tools.call("Grep"), tools.call("Read")]
    opening = [lines.thinking_block(words.prose(200)), lines.text_block(words.sentence())]
    running.answers([*opening, *map(_block, looks)])
    for call in looks:
        running.returns(call.content, call=call.id, result=call.result)
    for name in ("Edit", "Bash"):
        call = tools.call(name)
        running.answers([_block(call)])
        running.returns(call.content, call=call.id, result=call.result)
    running.says(words.prose(400))


def _block(call: Call) -> Fields:
    return lines.tool_block(call.name, call.input, call.id)
