import json
from pathlib import Path

from msgspec.msgpack import decode

from tests.engine.indexing.roots import NOW, age, root_of, taken
from unspool.engine.indexing.logs import HookLogFold, JournalFold, SpoolFold
from unspool.engine.indexing.rows import RowBatch
from unspool.model.message import LinkFacts
from unspool.source.hook import frame
from unspool.source.tail import split_lines

EVENT = {
    "hook_event_name": "PreToolUse",
    "session_id": "s1",
    "tool_name": "Bash",
    "tool_use_id": "t1",
    "tool_input": {"command": "ls"},
}


def fed(fold: HookLogFold | JournalFold | SpoolFold, *lines: bytes) -> RowBatch:
    rows = RowBatch()
    fold.feed(split_lines(b"".join(line + b"\n" for line in lines)), rows)
    return rows


def logged(**fields: object) -> bytes:
    entry = {"eventType": "PreToolUse", "timestamp": "2026-01-01T00:00:00.000Z", **fields}
    return json.dumps(entry).encode()


def test_an_event_is_named_by_its_place() -> None:
    rows = fed(HookLogFold(5, 2), b"{}", json.dumps(EVENT).encode())

    assert [hook.event_id for hook in rows.hooks] == ["5.2.3"]


def test_an_event_says_which_call_it_is_about() -> None:
    (hook,) = fed(HookLogFold(5, 0), json.dumps(EVENT).encode()).hooks

    assert (hook.event_type, hook.tool_use_id, hook.tool_name) == ("pre_tool_use", "t1", "Bash")


def test_an_event_points_to_its_line() -> None:
    rows = fed(HookLogFold(5, 0), logged(), logged())

    assert [hook.line_id for hook in rows.hooks] == [line.line_id for line in rows.lines]
    assert [line.line_number for line in rows.lines] == [1, 2]


def test_a_line_that_is_no_event_is_kept_as_bad() -> None:
    rows = fed(HookLogFold(5, 0), b"", b"torn", b"[1]")

    assert [(bad.offset, bad.line_number) for bad in rows.bad] == [(1, 2), (6, 3)]


def test_a_line_too_long_to_read_is_counted() -> None:
    fold, rows = HookLogFold(5, 0), RowBatch()
    fold.feed_bad(0, 99, "too long", rows)

    assert (fold.lines, rows.bad[0].reason) == (1, "too long")


def test_a_log_says_nothing_about_agents() -> None:
    assert HookLogFold(5, 0).facts(None) == b""


def test_a_log_tells_of_its_session_when_there_is_news() -> None:
    fold = HookLogFold(5, 0, ("-repo", "s1"))
    fed(fold, logged(), logged(timestamp="2026-01-01T00:00:09.000Z"))
    (row,) = fold.sessions()

    assert (row.project_id, row.session_id, row.origin) == ("-repo", "s1", "hook")
    assert (row.last_activity or 0) - (row.start_time or 0) == 9_000
    assert fold.sessions() == []


def framed(payload: bytes) -> bytes:
    return frame(payload, NOW, len(payload)).rstrip(b"\n")


def spooled(**fields: object) -> bytes:
    path = f"/home/dev/.claude/projects/-repo/{fields.get('session_id', 's1')}.jsonl"
    payload = {**EVENT, "transcript_path": path, "cwd": "/repo", **fields}
    return framed(json.dumps(payload).encode())


def test_an_event_of_a_spool_has_a_session_of_its_own() -> None:
    rows = fed(SpoolFold(5, 0), spooled(session_id="s1"), spooled(session_id="s2"))

    assert [(hook.project_id, hook.session_id) for hook in rows.hooks] == [
        ("/home/dev/.claude/projects/-repo", "s1"),
        ("/home/dev/.claude/projects/-repo", "s2"),
    ]
    assert [line.timestamp for line in rows.lines] == [NOW, NOW]


def test_a_spool_tells_of_every_session_in_it() -> None:
    fold = SpoolFold(5, 0)
    prompt = spooled(session_id="s2", hook_event_name="UserPromptSubmit", prompt="fix the lamp")
    fed(fold, spooled(), prompt, spooled(hook_event_name="SessionEnd"))

    assert [(row.session_id, row.cwd, row.goal, row.title) for row in fold.sessions()] == [
        ("s1", "/repo", "", ""),
        ("s2", "/repo", "fix the lamp", "fix the lamp"),
    ]


def test_what_is_damaged_in_a_spool_is_kept_as_bad() -> None:
    whole = spooled()
    rows = fed(SpoolFold(5, 0), b"~1 torn" + whole, framed(b"[1]"))

    assert [(bad.offset, bad.reason) for bad in rows.bad] == [
        (0, "damaged"),
        (len(whole) + 8, "not a hook event"),
    ]
    assert [hook.event_id for hook in rows.hooks] == ["5.0.7"]


def test_an_event_of_a_spool_without_a_session_is_kept() -> None:
    fold = SpoolFold(5, 0)
    (hook,) = fed(fold, spooled(session_id="")).hooks

    assert (hook.session_id, fold.sessions()) == ("", [])


def test_a_journal_names_the_agents_of_a_run() -> None:
    fold = JournalFold()
    fed(fold, b'{"type":"started","agentId":"a1","label":"look"}', b"torn")

    assert decode(fold.facts(None), type=LinkFacts).labels == {"a1": "look"}


def test_a_journals_lines_are_kept_each_once() -> None:
    line = b'{"type":"started","agentId":"a1"}'
    rows = fed(JournalFold(), line, b"", b"torn", line)

    assert [row.line_number for row in rows.lines] == [1, 4]
    assert [bad.line_number for bad in rows.bad] == [3]


def test_a_hook_log_in_its_place_is_read_as_one(tmp_path: Path) -> None:
    log = tmp_path / "hooks" / "p" / "s1.hooks.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(logged() + b"\n")
    age(log)
    ((_, batch),) = taken(root_of(tmp_path), now=NOW)

    assert (batch.source.session_id, len(batch.hooks)) == ("s1", 1)
