"""What is asked after an append costs what was appended and what is shown, not the session.

The cost is the number of lines of `derive` that are executed: a loop over a session shows.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from msgspec.json import encode

from tests.derive.context.contexts import Disk
from tests.derive.hooked import hook
from tests.derive.test_document import Echo
from tests.derive.wholes import PRICES
from unspool.decode.lines import decode
from unspool.demo import Transcript
from unspool.derive.document import Assembler, Cut, Window
from unspool.derive.transcript import TranscriptFold
from unspool.derive.whole import AgentPart, Ownership, SessionJoin, Whole
from unspool.model.document import SessionInfo
from unspool.model.hooks import HookEvent

SHORT, LONG = 1_000, 20_000
# A search by halves takes a few steps more in a longer list.
SLACK = 1_000
INFO = SessionInfo(id="s1")
DISK = Disk({"user": 40}, {"/repo/a": {"/repo/CLAUDE.md": 44}}, {"a.md": 80})


class Growing:
    """A session of some length: prompts, calls with hooks, a compaction, a rewind, two agents."""

    def __init__(self, lines: int, *, is_one_answer: bool = False) -> None:
        self.is_one_answer = is_one_answer
        self.made, self.hooks = Transcript(), list[HookEvent]()
        self.main = TranscriptFold("s1")
        self.agents = {id: Transcript(agent=id, uuid_prefix=id).user("look") for id in ("a", "b")}
        self.folds = {id: TranscriptFold("s1", id, kind="subagent") for id in self.agents}
        self.count = 0
        self.join = SessionJoin(PRICES)
        self.made.user("see @a.md").calls("Task", {"prompt": "look"}, id="task").returns("ok")
        self.made.user("left behind").user("taken", parentUuid="u3")
        self.turn()
        self.made.compacts()
        for _ in range(lines // 10):
            self.turn()
        self.agent_line()
        self.ask()

    def prompt(self) -> None:
        self.made.user("and now")
        self.event("UserPromptSubmit")

    def answer(self) -> None:
        self.made.says("so it is")

    def call(self) -> None:
        """Every other call is known to hooks by its id."""
        self.count += 1
        self.made.calls("Read", {"file_path": f"/repo/{self.count % 7}"}, id=f"t{self.count}")
        if self.count % 2:
            self.event("PreToolUse", tool_use_id=f"t{self.count}")
        self.event("PermissionRequest")

    def result(self) -> None:
        self.made.returns("ok", call=f"t{self.count}")
        if self.count % 2 or self.is_one_answer:
            self.event("PostToolUse", tool_use_id=f"t{self.count}")

    def event(self, name: str, **fields: Any) -> None:
        since = self.made.clock.next - Transcript().clock.next
        self.hooks.append(hook(name, since.total_seconds(), tool_name="Read", **fields))

    def agent_line(self) -> None:
        for made in self.agents.values():
            made.says("seen")

    def turn(self) -> None:
        if not self.is_one_answer:
            self.prompt()
        for _ in range(4):
            self.call()
            self.result()
        self.answer()

    def read(self) -> None:
        """Take in what was written."""
        _feed(self.main, self.made)
        for id, made in self.agents.items():
            _feed(self.folds[id], made)

    def ask(self) -> None:
        """All that a page of the session asks for."""
        self.read()
        parts = [AgentPart(fold) for fold in self.folds.values()]
        whole = Whole(self.main, parts, self.join, Ownership(is_exact=True))
        for owner in whole.folds:
            assembler = Assembler(whole, owner, is_busy=True, sizes=DISK)
            spans = whole.folds[owner].chunks.spans
            first, last = max(0, len(spans) - 10), spans[-1].messages[-1].line
            if self.is_one_answer:
                cuts = [Cut(len(spans) - 1, last - 40)]
                made = assembler.parts(INFO, cuts, Echo(), self.hooks)
                assert assembler.steps_of(spans[-1])
            else:
                made = assembler.document(INFO, Window(first, 10), Echo(), self.hooks)
            assert made.chunks
            assert made.context.turns
            assert made.turns


def _feed(fold: TranscriptFold, made: Transcript) -> None:
    lines = map(encode, made.dicts()[fold.lines :])
    fold.feed_all((n, len(line), decode(line)) for n, line in enumerate(lines))


@contextmanager
def counted() -> Iterator[list[int]]:
    """Counts the lines of `derive` that are executed meanwhile."""
    count, before = [0], sys.gettrace()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if "unspool/derive" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        count[0] += event == "line"
        return trace

    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


APPENDS: dict[str, Callable[[Growing], None]] = {
    "answer": Growing.answer,
    "prompt": Growing.prompt,
    "call": Growing.call,
    "result": Growing.result,
    "agent": Growing.agent_line,
    "hook": lambda growing: growing.event("PostToolUse", tool_use_id=f"t{growing.count}"),
    "turn": Growing.turn,
    "nothing": lambda growing: None,
}


def costs(lines: int, *, is_one_answer: bool = False) -> dict[str, int]:
    """What each of some appends costs in a session of a length."""
    growing, found = Growing(lines, is_one_answer=is_one_answer), {}
    for name, append in APPENDS.items():
        if name == "prompt" and is_one_answer:
            continue
        append(growing)
        growing.read()
        with counted() as count:
            growing.ask()
        found[name] = count[0]
    return found


@pytest.mark.parametrize("is_one_answer", [False, True])
def test_an_append_costs_the_same_in_a_long_session(is_one_answer: bool) -> None:
    short, long = (costs(lines, is_one_answer=is_one_answer) for lines in (SHORT, LONG))

    assert {name: count for name, count in long.items() if count > short[name] + SLACK} == {}


def test_a_loop_over_the_session_would_be_counted() -> None:
    growing = Growing(SHORT)
    with counted() as count:
        growing.join = SessionJoin(PRICES)
        growing.ask()

    assert count[0] > 10 * SHORT
