from pathlib import Path
from typing import Any

from msgspec import UNSET

from tests.engine.live import Live
from tests.engine.roots import listed, root_sessions, saved
from unspool.demo import Transcript
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.engine.transcripts.from_hooks import HookTranscript
from unspool.model.document import SessionDocument


def reader(live: Live) -> RootSessions:
    made = root_sessions(live.root)
    made.listen(str(live.spool))
    return made


def document(live: Live) -> SessionDocument:
    return reader(live).open("s1").document()


def said(found: SessionDocument) -> list[Any]:
    """What each chunk says: a prompt, or the names and texts of an answer's steps."""
    return [
        chunk.text if chunk.steps is UNSET else [(step.name, step.text) for step in chunk.steps]
        for chunk in found.chunks
    ]


def test_prompts_and_answers_are_read_as_such(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, prompt="Build it")
    live.hook("Stop", 2, last_assistant_message="Built").hook("UserPromptSubmit", 3, prompt="More")

    assert said(document(live)) == ["Build it", [("", "Built")], "More"]
    assert [turn.prompt for turn in document(live).turns] == ["Build it", "More"]


def test_any_other_event_is_a_step_that_says_what_it_can(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("SessionStart", 1, source="resume")
    live.hook("PreToolUse", 2, tool_name="Bash", tool_input={"command": "make"})
    live.hook("Notification", 3, message="Waits for you").hook("Stop", 4).hook("Later", 5, reason=7)
    (steps,) = said(document(live))

    assert steps == [
        ("SessionStart", "resume"),
        ("PreToolUse", "Bash make"),
        ("Notification", "Waits for you"),
        ("Stop", "Stop"),
        ("Later", "Later"),
    ]


def test_nothing_is_counted(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, prompt="Build it")
    live.hook("Stop", 4, last_assistant_message="Built")
    found = document(live)
    total, lines = found.metrics.total, found.diagnostics

    assert (total.total_tokens, total.message_count, total.duration_ms) == (0, None, 3_000)
    assert (lines.lines, lines.entries, found.tool_executions) == (0, 0, ())
    assert (found.context.turns, found.context.phases) == ((), ())


def test_it_has_no_bytes(tmp_path: Path) -> None:
    (path,) = saved(tmp_path, Transcript("s1").user("hello"))

    assert HookTranscript(listed(path), []).read(0, 9) == b""


def grown(live: Live, session: SessionReader) -> list[Any]:
    session.refresh()
    return said(session.document())


def test_it_goes_on_with_the_next_event_and_ends_with_the_transcript(tmp_path: Path) -> None:
    live = Live(tmp_path).hook("UserPromptSubmit", 1, prompt="Build it")
    session = reader(live).open("s1")
    before = grown(live, session)
    live.hook("Stop", 2, last_assistant_message="Built")
    between = grown(live, session)
    saved(tmp_path, Transcript("s1").user("Build it, please").says("Yes"))
    after = grown(live, session)

    assert (before, between) == (["Build it"], ["Build it", [("", "Built")]])
    assert after == ["Build it, please", [("", "Yes")]]
    assert session.document().diagnostics.missing == ""
