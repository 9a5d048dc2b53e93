"""The questions in docs/sql.md, asked as they stand there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import hook_log, root
from tests.cli.runs import here
from tests.conftest import REPOSITORY
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]
QUESTIONS = re.findall(r"```sql\n(.*?)```", (REPOSITORY / "docs" / "sql.md").read_text(), re.DOTALL)
SESSION = "4b58bed8-133c-49b5-bba5-1de5c23a2aa0"
CALL = "toolu_01Sn7sJJy8hPGVLQNihopjYo"


def event(kind: str, decision: str, call: str = CALL) -> str:
    guard = {"dangerous-command-guard": {"allowed": False, "reason": "It deletes things."}}
    told = {"sessionId": SESSION, "eventType": kind, "toolUseId": call, "toolName": "Bash"}
    when = {"timestamp": "2026-01-17T18:30:00.000Z", "decision": decision}
    return json.dumps({**told, **when, "handlerResults": guard})


@pytest.fixture
def place(tmp_path: Path, capsys: Capsys) -> Path:
    made = Transcript(session=SESSION, cwd="/home/dev/kettle", slug="calm-blue-kettle")
    made.user("Boil the kettle").calls("Bash", {"command": "rm -rf /"}, id=CALL).returns("Blocked")
    made.calls("Edit", {"file_path": "/home/dev/kettle/a.py"}).returns("ok").says("Done")
    hook_log(root(tmp_path, made), event("PreToolUse", "block"), session=SESSION)
    here(capsys, "index", "build", "--root", tmp_path)
    return tmp_path


def answers(capsys: Capsys, place: Path, holds: str) -> list[dict[str, Any]]:
    (question,) = (text for text in QUESTIONS if holds in text)
    said = here(capsys, "sql", question, "--json", "--root", place)
    found: list[dict[str, Any]] = json.loads(said.out)["items"]
    return found


def test_what_hooks_said_about_a_call_is_joined_to_its_line(place: Path, capsys: Capsys) -> None:
    (row,) = answers(capsys, place, "FROM hook_join")

    assert (row["event_type"], row["tool_name"], row["decision"]) == (
        "pre_tool_use",
        "Bash",
        "block",
    )
    assert "rm -rf /" in row["preview"]


def test_blocked_calls_come_with_their_reason(place: Path, capsys: Capsys) -> None:
    assert answers(capsys, place, "decision = 'block'") == [
        {
            "at": "2026-01-17 18:30:00",
            "tool_name": "Bash",
            "decision": "block",
            "reason": "It deletes things.",
        }
    ]


def test_sessions_are_counted_with_their_hooks(place: Path, capsys: Capsys) -> None:
    (row,) = answers(capsys, place, "AS transcript_lines")

    assert (row["session_id"], row["slug"]) == (SESSION, "calm-blue-kettle")
    assert (row["transcript_lines"] >= 6, row["hook_events"]) == (True, 1)


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_every_question_has_an_answer(place: Path, capsys: Capsys, number: int) -> None:
    said = here(capsys, "sql", QUESTIONS[number], "--json", "--root", place)

    assert (said.code, said.err) == (0, "")
    assert json.loads(said.out)["items"] or "FROM agents" in QUESTIONS[number]


# As the document about the event index has them; the first with its join corrected: the id of a
# call is no line's uuid.
INDEX_QUERIES = {
    "decisions": """
        SELECT h.eventType, h.toolName, h.decision, l.content_text
        FROM hook_events h
        JOIN tool_calls t ON h.session_id = t.session_id AND h.tool_use_id = t.tool_use_id
        JOIN lines l ON h.session_id = l.session_id AND t.call_line = l.id
        WHERE h.tool_use_id = 'toolu_01Sn7sJJy8hPGVLQNihopjYo';""",
    "blocked": """
        SELECT h.timestamp, h.toolName, h.decision,
          json_extract(h.handler_results, '$.dangerous-command-guard.reason') as block_reason
        FROM hook_events h
        WHERE h.decision = 'block';""",
    "counts": """
        SELECT s.session_id, s.slug, COUNT(DISTINCT l.id) as transcript_lines,
          COUNT(DISTINCT h.id) as hook_events
        FROM sessions s
        LEFT JOIN lines l ON s.session_id = l.session_id
        LEFT JOIN hook_events h ON s.session_id = h.session_id
        GROUP BY s.session_id;""",
    "uncorrected": """
        SELECT h.eventType, h.toolName, h.decision, l.content_text
        FROM hook_events h
        JOIN lines l ON h.session_id = l.session_id AND h.tool_use_id = l.uuid
        WHERE h.tool_use_id = 'toolu_01Sn7sJJy8hPGVLQNihopjYo';""",
}


def index_rows(capsys: Capsys, place: Path, query: str) -> list[dict[str, Any]]:
    said = here(capsys, "sql", query, "--json", "--root", place)
    assert (said.code, said.err) == (0, "")
    found: list[dict[str, Any]] = json.loads(said.out)["items"]
    return found


def test_every_query_of_the_event_index_runs(place: Path, capsys: Capsys) -> None:
    found = {name: index_rows(capsys, place, query) for name, query in INDEX_QUERIES.items()}

    (decision,), (blocked,), (counts,) = (
        found[name] for name in ("decisions", "blocked", "counts")
    )
    assert (decision["eventType"], decision["toolName"], decision["decision"]) == (
        "pre_tool_use",
        "Bash",
        "block",
    )
    assert "rm -rf /" in decision["content_text"]
    assert blocked["block_reason"] == "It deletes things."
    assert (counts["slug"], counts["transcript_lines"] >= 6) == ("calm-blue-kettle", True)
    assert counts["hook_events"] == 1
    assert found["uncorrected"] == []


@pytest.mark.parametrize("view", ["events", "hook_join", "hook_events"])
def test_a_view_has_the_names_of_the_event_index(place: Path, capsys: Capsys, view: str) -> None:
    same = "eventType IS event_type AND toolName IS tool_name AND id IS event_id"
    (row,) = index_rows(
        capsys,
        place,
        f"SELECT count(*) AS rows, sum({same}) AS same FROM {view}",  # noqa: S608
    )

    assert row["rows"] == row["same"] > 0
