"""A timeline that grew step by step is the one that is read anew, and the one SQL has."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.derive.timeline_oracle import timeline
from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, root_of
from tests.engine.roots import dated
from tests.examples import examples
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive.reading.clock import iso
from unspool.derive.timeline import event_id
from unspool.engine.archive.reader import text_of
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.timeline.timeline import Timeline, session_hooks
from unspool.model.live import LineEvent, MergedEvent
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore

USAGE = {"input_tokens": 3, "output_tokens": 5}
ROWS = """
    SELECT event_id, event_type, source, subagent_id, event_uuid, tool_name, duration_ms,
        tokens_input, tokens_output, tokens_cache_creation, tokens_cache_read
    FROM events WHERE (project_id, session_id) = ('-repo', 's1')
"""


class Story:
    """One session that is written to, indexed, and read by one that follows it."""

    def __init__(self, place: Path) -> None:
        self.place, self.now, self.steps = place, NOW, 0
        self.root = root_of(place / "claude")
        self.store = SqliteStore(place / "home", session_hooks=session_hooks)
        self.indexer = Indexer(self.store, [self.root], TABLE, spool=str(place / "spool"))
        self.main, self.agent = self._begun("a-"), Transcript("s1", agent="q1", uuid_prefix="q-")
        self.grown = Timeline(self.store, "-repo", "s1")

    def _begun(self, prefix: str) -> Transcript:
        return Transcript("s1", uuid_prefix=prefix, start=iso(self.now) or "").user("Begin")

    def step(self, name: str) -> None:
        """Write something, index it, and compare."""
        self.steps += 1
        self.now += 7_000
        act: Callable[[], None] = getattr(self, name)
        act()
        if name not in ("breaks_off", "forks", "tells", "logs", "logs_anew"):
            self._save(self.main.bytes())
        self.indexer.sweep(self.now + 60_000)
        self.grown.refresh()
        events = self.grown.events()
        assert events == at_once(self.store)
        assert sorted(map(_row, events)) == sorted(self.store.sql(ROWS)[1])
        found = [self.grown.find(event.place) for event in events]
        assert found == list(range(len(events)))

    def _save(self, data: bytes) -> None:
        path = self.main.path_in(Path(self.root.path))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        dated(path, self.now)

    def _hook(self, event: str, **data: Any) -> None:
        told = {"hook_event_name": event, "session_id": "s1", **data}
        append(self.place / "spool", [json.dumps(told).encode()], self.now)

    def asks(self) -> None:
        text = f"Do {self.steps % 3}"
        self._hook("UserPromptSubmit", prompt=text)
        self.main.user(text, timestamp=iso(self.now + 500))

    def says(self) -> None:
        self.main.says("So", usage=USAGE, id=f"m{self.steps}")

    def calls(self) -> None:
        id = f"t{self.steps}"
        self._hook("PreToolUse", tool_name="Bash", tool_use_id=id, tool_input={})
        self.main.calls("Bash", {"command": "ls"}, id=id).returns("a")
        self._hook("PostToolUse", tool_name="Bash", tool_use_id=id, tool_input={})

    def grows(self) -> None:
        """A snapshot, and in the next step the same with one call more."""
        made = [tool_block("Bash", {"command": "ls"}, f"g{n}") for n in range(self.steps % 3 + 1)]
        usage = {"input_tokens": 1, "output_tokens": len(made)}
        self.main.answers([made], usage=usage, id="growing", stop=None)

    def repeats(self) -> None:
        self.main.raw(json.dumps(self.main.dicts()[-(self.steps % 2)]).encode())

    def answers(self) -> None:
        """One response in several lines, of which the last knows how long it is."""
        blocks = [[text_block("So")], [tool_block("Bash", {"command": "ls"}, f"a{self.steps}")]]
        usage = {"input_tokens": 2, "output_tokens": self.steps}
        self.main.answers(blocks, usage=usage, id=f"answer{self.steps // 2}")

    def tells_late(self) -> None:
        """Two loggers, and one of them is behind."""
        self._hook("PreToolUse", tool_name="Bash", tool_use_id=f"t{self.steps - 1}", tool_input={})
        self.now -= 20_000
        self._hook("Notification", message="Earlier")
        self.now += 20_000

    def tells(self) -> None:
        self._hook("Notification", message="Look")
        self._hook("Notification", message="Look")

    def logs(self, mode: str = "a") -> None:
        path = Path(self.root.path, "hooks", "-repo", "s1.hooks.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"hook_event_name": "Notification", "message": "Look"}
        line = {"eventType": "Notification", "timestamp": iso(self.now - 6_800), "input": told}
        with path.open(mode) as file:
            file.write(json.dumps(line) + "\n")

    def logs_anew(self) -> None:
        self.logs("w")

    def helps(self) -> None:
        self._hook("SubagentStart", agent_id="q1")
        self._hook("PreToolUse", tool_name="Read", tool_use_id=f"h{self.steps}")
        self._hook("SubagentStop")
        self.agent.user("Look").says("Seen", usage=USAGE, id=f"m{self.steps - 1}")
        dated(self.agent.save(Path(self.root.path)), self.now)

    def forks(self) -> None:
        """An older session that turns out to have said it first."""
        first = Transcript("s0", uuid_prefix="f-", start="2025-12-31T00:00:00.000Z").user("Begin")
        first.says("So", usage=USAGE, id=f"m{self.steps - 1}")
        dated(first.save(Path(self.root.path)), self.now)

    def breaks_off(self) -> None:
        self._save(self.main.says("Half", usage=USAGE, id="half").bytes().removesuffix(b"\n"))

    def begins_anew(self) -> None:
        self.main = self._begun(f"b{self.steps}-")


def at_once(store: SqliteStore, session_id: str = "s1") -> list[MergedEvent]:
    """The timeline of a session, made of all its rows by the code that knows no growth."""
    source = store.events_of("-repo", session_id)
    with source.reading() as rows:
        lines = [line for one in rows.sources() for line in rows.lines(one, 0)]
        tools = sorted(tool for one in rows.sources() for tool in rows.tools(one))
        used = rows.tokens_by_line()
    whole = [
        replace(
            line,
            calls=tuple((t.tool_use_id, t.name) for t in tools if t.call == line.line_id),
            results=tuple(t.tool_use_id for t in tools if t.result == line.line_id),
        )
        for line in lines
    ]
    return timeline(whole, source.hooks(), used, lambda line: text_of(_raw(store, line)))


def _raw(store: SqliteStore, line: LineEvent) -> bytes:
    place = line.place
    return store.raw(place.source_id, place.generation, place.offset, line.length) or b""


def _row(event: MergedEvent) -> tuple[object, ...]:
    line, hook = event.line, event.hooks[0] if event.hooks else None
    kinds = [kind for kind, told in (("transcript", line), ("hook", hook)) if told]
    return (
        event_id(event.place),
        line.event_type if line else hook.event_type if hook else "",
        ",".join(kinds),
        event.agent_id,
        line.uuid if line else hook.uuid if hook else "",
        event.tool_name,
        event.duration_ms,
        *event.tokens,
    )


STEPS = [name for name, it in vars(Story).items() if callable(it) and name[0] != "_"]
STEPS.remove("step")


@settings(max_examples=examples(25), deadline=None)
@given(steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=8))
@example(steps=STEPS)
@example(steps=["says", "grows", "grows", "grows", "repeats", "forks"])
@example(steps=["says", "says", "forks"])
@example(steps=["tells", "says", "logs", "tells", "logs_anew"])
@example(steps=["breaks_off", "says", "breaks_off", "begins_anew"])
def test_a_timeline_that_grew_is_the_one_read_anew(steps: list[str]) -> None:
    with TemporaryDirectory() as place:
        story = Story(Path(place))
        with closing(story.store):
            for name in steps:
                story.step(name)
