"""Sessions that are running: transcript, hooks and registry written step by step, as they would."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from unspool.demo import lines
from unspool.demo.generator.tools import HookLogWriter, Toolbox, ToolCallData
from unspool.demo.generator.words import Ids, TextSource
from unspool.demo.lines import Fields, project_slug
from unspool.demo.transcript import Transcript

_CWD = "/home/dev/live"
_VERSION = "2.1.325"
_TURN_SECONDS = 30
# What a step takes beside the others; the wait for approval is the longest of a turn.
_SHORT, _STEP, _WAIT = 1.0, 2.0, 6.0


@dataclass(frozen=True)
class LiveContext:
    """What a running session takes from outside: where, its process, and the time."""

    root: Path
    pid: int
    now: Callable[[], datetime]


class _Present(lines.Clock):
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    def tick(self) -> str:
        return lines.stamp(self._now())


class _Log(HookLogWriter):
    """Hook events that can be read as soon as they are told."""

    def _write(self, at: datetime, event: str, asked: Fields, **fields: Any) -> None:
        super()._write(at, event, asked, **fields)
        self._file.flush()


class RunningSession(Transcript):
    """A session at work: each line, hook event and change of state is written at once."""

    def __init__(self, around: LiveContext, ids: Ids, name: str, cwd: str) -> None:
        super().__init__(name, cwd, model="claude-sonnet-5-5", version=_VERSION)
        self.clock = _Present(around.now)
        self.path = self.path_in(around.root)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._around, self._ids = around, ids
        self._began = self._millis()
        self._registry = around.root / "sessions" / f"{around.pid}.json"
        log = around.root / "hooks" / project_slug(cwd) / f"{self.session}.hooks.jsonl"
        self._log = _Log(log, self.session, cwd, _VERSION)

    def _keep(self, line: Fields | bytes) -> None:
        data = line if isinstance(line, bytes) else lines.encode(line) + b"\n"
        with self.path.open("ab", buffering=0) as file:
            file.write(data)

    def _next(self, kind: str) -> str:
        return self._ids.uuid() if kind == "u" else self._ids.named(kind)

    def hook(self, event: str, call: ToolCallData | None = None, **asked: Any) -> None:
        """Tell of an event; of a request for permission Claude Code gives no call's id."""
        if call is not None:
            asked |= {"tool_name": call.name, "tool_input": call.input, "tool_use_id": call.id}
        if event == "PermissionRequest":
            asked.pop("tool_use_id", None)
        self._log.mark(self._around.now(), event, **asked)

    def stands(self, status: str, **more: Any) -> None:
        """Say in the registry how the session stands: idle, busy or waiting."""
        at, pid = self._millis(), self._around.pid
        entry: Fields = {"pid": pid, "sessionId": self.session, "cwd": self.cwd}
        entry |= {"startedAt": self._began, "version": _VERSION, "kind": "interactive"}
        entry |= {"entrypoint": "cli", "status": status, "updatedAt": at, "statusUpdatedAt": at}
        self._registry.parent.mkdir(exist_ok=True)
        new = self._registry.with_suffix(".new")
        new.write_bytes(lines.encode({**entry, **more}))
        os.replace(new, self._registry)

    def ends(self) -> None:
        """End: the last hook event, and no more entry in the registry."""
        self.hook("SessionEnd", reason="prompt_input_exit")
        self._registry.unlink(missing_ok=True)
        self._log.close()

    def _millis(self) -> int:
        return int(self._around.now().timestamp() * 1_000)


Step = tuple[float, Callable[[], object]]


class _Script:
    """What a session does: a list of deeds, each with how long it takes."""

    def __init__(
        self, running: RunningSession, words: TextSource, tools: Toolbox, context: int
    ) -> None:
        self._running, self._words, self._tools = running, words, tools
        self._context = context

    def steps(self, turns: int) -> Iterator[Step]:
        yield _SHORT, self._starts
        for _ in range(turns):
            yield from self._turn()
        yield 0.0, self._running.ends

    def _turn(self) -> Iterator[Step]:
        looks = [self._tools.call("Grep"), self._tools.call("Read")]
        edit, run = self._tools.call("Edit"), self._tools.call("Bash")
        yield _STEP, self._asked
        yield _STEP, lambda: self._calls(looks)
        for call in looks:
            yield _SHORT, partial(self._returns, call)
        yield _STEP, lambda: self._calls([edit])
        yield _SHORT, lambda: self._returns(edit)
        yield _SHORT, lambda: self._calls([run])
        yield _WAIT, lambda: self._asks(run)
        yield _STEP, lambda: self._running.stands("busy")
        yield _STEP, lambda: self._returns(run)
        yield _STEP, self._stops

    def _starts(self) -> None:
        self._running.hook("SessionStart", source="startup")
        self._running.stands("idle")

    def _asked(self) -> None:
        text = self._words.prose(160)
        self._running.stands("busy")
        self._running.hook("UserPromptSubmit", prompt=text)
        self._running.user(text, promptSource="typed", origin={"kind": "human"})

    def _calls(self, calls: Sequence[ToolCallData]) -> None:
        opening = [lines.thinking_block(self._words.prose(200))] if len(calls) > 1 else []
        blocks = [lines.tool_block(call.name, call.input, call.id) for call in calls]
        self._running.answers(
            [*opening, lines.text_block(self._words.sentence()), *blocks], usage=self._used()
        )
        for call in calls:
            self._running.hook("PreToolUse", call)

    def _asks(self, call: ToolCallData) -> None:
        self._running.hook("PermissionRequest", call)
        self._running.stands("waiting", waitingFor=f"permission to use {call.name}")

    def _returns(self, call: ToolCallData) -> None:
        self._running.hook("PostToolUse", call)
        self._running.returns(call.content, call=call.id, result=call.result)

    def _stops(self) -> None:
        text = self._words.prose(400)
        self._running.says(text, usage=self._used())
        self._running.hook("Stop", last_assistant_message=text)
        self._running.stands("idle")

    def _used(self) -> Fields:
        """The context grows with every answer."""
        read, self._context = self._context, self._context + 2_600
        return {
            **lines.NO_TOKENS,
            "input_tokens": 12,
            "output_tokens": 420,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": 2_600,
        }


def live(
    directory: Path,
    *,
    seed: int = 1,
    seconds: float = 60,
    pids: Sequence[int] = (),
    now: Callable[[], datetime],
    sleep: Callable[[float], None],
) -> list[Path]:
    """Run sessions in a root for `seconds`, one for each process; return their paths."""
    words = TextSource(Random(seed))
    plans: list[tuple[float, int, Callable[[], object]]] = []
    paths: list[Path] = []
    for n, pid in enumerate(pids or (os.getpid(),)):
        rng, name = _unused(seed, n, directory)
        cwd = f"/home/dev/{words.word()}" if n else _CWD
        running = RunningSession(LiveContext(directory, pid, now), Ids(rng), name, cwd)
        paths.append(running.path)
        plans += [(at, n, deed) for at, deed in _planned(running, words, rng, seconds)]
    done = 0.0
    # The sort is stable: what one session does at once it does in order.
    for at, _, deed in sorted(plans, key=lambda plan: plan[:2]):
        if at > done:
            sleep(at - done)
            done = at
        deed()
    return paths


def _planned(running: RunningSession, words: TextSource, rng: Random, seconds: float) -> list[Step]:
    """What a session does when; each but the first has a pace of its own, and its own beginning."""
    tools = Toolbox(rng, Ids(rng), words, running.cwd)
    script = _Script(running, words, tools, rng.randrange(20_000, 700_000))
    steps = list(script.steps(max(1, round(seconds / _TURN_SECONDS))))
    is_even = running.cwd == _CWD
    pace = [share * (1.0 if is_even else rng.uniform(0.5, 1.5)) for share, _ in steps]
    pace[0] += 0.0 if is_even else rng.uniform(0, _TURN_SECONDS / 2)
    unit = seconds / sum(pace)
    begins = [sum(pace[:at]) * unit for at in range(len(pace))]
    return [(at, deed) for at, (_, deed) in zip(begins, steps, strict=True)]


def _unused(seed: int, n: int, root: Path) -> tuple[Random, str]:
    """A random source and a session id that the root does not have yet: old sessions stay."""
    for take in count():
        rng = Random(f"{seed}/{n}/{take}")
        name = Ids(rng).uuid()
        if not any(root.glob(f"projects/*/{name}.jsonl")):
            break
    return rng, name
