"""An append costs an append, however long the session is."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.store.made import Source
from unspool.engine.timeline import timeline as module
from unspool.engine.timeline.timeline import Timeline
from unspool.engine.timeline.updates import spans_of, update_of
from unspool.store.sqlite.events import SqliteEventRows
from unspool.store.sqlite.store import SqliteStore

SHORT, LONG = 1_000, 40_000


class Growing:
    """A session of some length: prompts, answers of two lines, calls, results, and hooks."""

    def __init__(self, place: Path, events: int) -> None:
        self.store = SqliteStore(place)
        self.main = Source(1)
        self.spool = Source(9, "", project="", kind="spool")
        self.count = 0
        while self.count < events:
            self.turn()
        self.store.commit([self.main.batch(), self.spool.batch()])
        self.timeline = Timeline(self.store, "-repo", "s1")
        self.timeline.refresh()
        self.seq = self.store.head()

    def turn(self) -> None:
        self.count += 5
        n = self.count
        self.main.line()
        self.main.line(event_type="thinking", message_id=f"{n}").spends(f"m:{n}", 5)
        self.calls(n)
        self.main.line(event_type="post_tool_use").answers(f"t{n}")
        self.tells(n, "post_tool_use")
        self.main.line(event_type="assistant_text", message_id=f"a{n}").spends(f"m:a{n}", 7)

    def calls(self, n: int) -> None:
        """The second line of a response, which adds to the tokens of the first."""
        self.main.line(event_type="pre_tool_use", message_id=f"{n}").spends(f"m:{n}", 9)
        self.main.calls(id=f"t{n}")
        self.tells(n, "pre_tool_use")

    def tells(self, n: int, event: str) -> None:
        self.spool.at = self.main.at
        names = {"session_id": "s1", "project_id": "-repo"}
        place = f"9.0.{self.spool.row.offset}"
        self.spool.line(event_type="").hooks(event, place, tool_use_id=f"t{n}", **names)

    def takes_in(self) -> int:
        """Take in what was written since, as the live channel does; how many events that is."""
        self.store.commit([self.main.batch(), self.spool.batch()])
        self.timeline.refresh()
        changes = self.store.changes(after=self.seq)
        self.seq = changes[-1].seq
        found = update_of(self.timeline, spans_of(changes))
        assert not found.is_too_long
        return len(found.added) + len(found.updated)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Rows read from the store, steps of the database, and events made."""
    counts: Counter[str] = Counter()
    every, begun = SqliteEventRows._every, SqliteEventRows.__init__

    def rows(self: SqliteEventRows, *asked: Any) -> list[Any]:
        found = every(self, *asked)
        counts["rows"] += len(found)
        return found

    def begin(self: SqliteEventRows, connection: apsw.Connection, *name: str) -> None:
        def profile(trace: dict[str, Any]) -> None:
            counts["steps"] += trace["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, profile)
        begun(self, connection, *name)

    def counting(name: str) -> Any:
        make = getattr(module, name)

        def made(*args: Any) -> Any:
            counts["events"] += 1
            return make(*args)

        return made

    monkeypatch.setattr(SqliteEventRows, "_every", rows)
    monkeypatch.setattr(SqliteEventRows, "__init__", begin)
    for name in ("line_record", "hook_record"):
        monkeypatch.setattr(module, name, counting(name))
    return counts


def costs(place: Path, events: int, counts: Counter[str]) -> list[dict[str, int]]:
    """What each of some appends costs in a session of a length."""
    growing = Growing(place, events)
    with closing(growing.store):
        found = []
        for step in (
            lambda: growing.main.line(event_type="assistant_text"),
            lambda: growing.calls(growing.count),
            lambda: growing.tells(growing.count, "pre_tool_use"),
            growing.turn,
        ):
            counts.clear()
            step()
            assert growing.takes_in() > 0
            found.append(dict(counts))
        return found


def test_an_append_costs_the_same_in_a_long_session(tmp_path: Path, counted: Counter[str]) -> None:
    short = costs(tmp_path / "short", SHORT, counted)
    long = costs(tmp_path / "long", LONG, counted)

    assert [(one["rows"], one["events"]) for one in short] == [
        (one["rows"], one["events"]) for one in long
    ]
    # Sums by quarters of an hour grow with the time a session lasts, which is 11 hours here.
    assert all(b["steps"] < a["steps"] + 2_000 for a, b in zip(short, long, strict=True))
