import json
from pathlib import Path

from msgspec.msgpack import decode

from tests.ingest.roots import NOW, age, root_of, taken
from unspool.ingest.logs import HookFold, JournalFold
from unspool.ingest.rows import Rows
from unspool.model.agents import Facts

EVENT = {
    "hook_event_name": "PreToolUse",
    "session_id": "s1",
    "tool_name": "Bash",
    "tool_use_id": "t1",
    "tool_input": {"command": "ls"},
}


def fed(fold: HookFold | JournalFold, *lines: bytes) -> Rows:
    rows, offset = Rows(), 0
    for line in lines:
        fold.feed_line(offset, line, rows)
        offset += len(line) + 1
    return rows


def logged(**fields: object) -> bytes:
    entry = {"eventType": "PreToolUse", "timestamp": "2026-01-01T00:00:00.000Z", **fields}
    return json.dumps(entry).encode()


def test_an_event_is_named_by_its_place() -> None:
    rows = fed(HookFold(5, 2), b"{}", json.dumps(EVENT).encode())

    assert [hook.event_id for hook in rows.hooks] == ["5.2.3"]


def test_an_event_says_which_call_it_is_about() -> None:
    (hook,) = fed(HookFold(5, 0), json.dumps(EVENT).encode()).hooks

    assert (hook.event_type, hook.tool_use_id, hook.tool_name) == ("pre_tool_use", "t1", "Bash")


def test_an_event_points_to_its_line() -> None:
    rows = fed(HookFold(5, 0), logged(), logged())

    assert [hook.line_id for hook in rows.hooks] == [line.line_id for line in rows.lines]
    assert [line.line_number for line in rows.lines] == [1, 2]


def test_a_line_that_is_no_event_is_kept_as_bad() -> None:
    rows = fed(HookFold(5, 0), b"", b"torn", b"[1]")

    assert [(bad.offset, bad.line_number) for bad in rows.bad] == [(1, 2), (6, 3)]


def test_a_line_too_long_to_read_is_counted() -> None:
    fold, rows = HookFold(5, 0), Rows()
    fold.feed_bad(0, 99, "too long", rows)

    assert (fold.lines, rows.bad[0].reason) == (1, "too long")


def test_a_log_says_nothing_about_a_session_or_agents() -> None:
    fold = HookFold(5, 0)

    assert (fold.session(), fold.facts(None)) == (None, b"")


def test_a_journal_names_the_agents_of_a_run() -> None:
    fold = JournalFold(5, 0)
    fed(fold, b'{"type":"started","agentId":"a1","label":"look"}', b"torn")

    assert decode(fold.facts(None), type=Facts).labels == {"a1": "look"}


def test_a_journals_lines_are_kept_each_once() -> None:
    line = b'{"type":"started","agentId":"a1"}'
    rows = fed(JournalFold(5, 0), line, b"", b"torn", line)

    assert [row.line_number for row in rows.lines] == [1, 4]
    assert [bad.line_number for bad in rows.bad] == [3]


def test_a_hook_log_in_its_place_is_read_as_one(tmp_path: Path) -> None:
    log = tmp_path / "hooks" / "p" / "s1.hooks.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(logged() + b"\n")
    age(log)
    ((_, batch),) = taken(root_of(tmp_path), now=NOW)

    assert (batch.source.session_id, len(batch.hooks)) == ("s1", 1)
