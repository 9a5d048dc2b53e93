"""What the row of a session says, also of one that is old, marked, or known from hooks only."""

import json
from typing import Any

from tests.e2e.cases import HOUR, MINUTE, PROJECT, Files, case, stamp
from unspool.demo import Transcript, text_block, tool_block

S1 = (PROJECT, "s1")


@case(right={"end": stamp(1), "duration": 1_000, "last_activity": stamp(60)}, seconds=2 * MINUTE)
def metadata_after_the_last_message(files: Files) -> None:
    """A session ends with its last message; activity is another field."""
    made = Transcript("s1").user("Do it").says("Done").wait(58)
    files.save(made.progress("hook_progress", output="x"))


@case(
    seconds=HOUR,
    right={"end": stamp(1), "duration": 1_000, "last_activity": stamp(60)},
)
def metadata_after_the_last_message_an_hour_later(files: Files) -> None:
    """Where the list no longer reads the file."""
    made = Transcript("s1").user("Do it").says("Done").wait(58)
    files.save(made.progress("hook_progress", output="x"))


@case(right={"lines": 5, "bad_lines": 1})
def a_blank_line_and_a_bad_one(files: Files) -> None:
    """They are lines of the file."""
    files.save(Transcript("s1").user("Do it").raw(b"").raw(b'{"type":').says("Done").says("Really"))


@case(seconds=HOUR, right={"lines": 2})
def a_hook_log_beside_a_session(files: Files) -> None:
    """Lines are those of the main file."""
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.log("Stop", 2)


@case(right={"counted_messages": 2, "agent_count": 0, "agents": {S1: {}}, "tokens": 30})
def an_agent_that_only_warmed_up(files: Files) -> None:
    """Its money counts, its messages do not."""
    main = Transcript("s1").user("Do it").says("Done")
    agent = Transcript("s1", agent="a1", start=stamp(5), uuid_prefix="a").user("Warmup")
    files.save(main, agent.says("Ready", id="m9"))


@case(
    seconds=HOUR,
    right={
        "models": {S1: ["claude-sonnet-4-6"]},
        "message_count": 2,
        "entrypoint": "cli",
        "recent_output": "All done",
        "files_modified": {S1: ["/repo/a.py"]},
        "compactions": 1,
        "agent_count": 1,
        "counted_messages": 10,
        "counted_duration": 7_000,
        "lines": 9,
        "stated_usd": 250_000_000_000,
    },
)
def a_session_of_an_hour_ago(files: Files) -> None:
    """Its row says what its page says."""
    made = Transcript("s1").user("Do it")
    made.calls("Write", {"file_path": "/repo/a.py", "content": "x"}).returns("ok")
    made.calls("Task", {"description": "Look", "prompt": "Look"}, id="t2").returns(
        "Seen"
    ).compacts()
    made.says("All done")
    made.raw(b'{"type":"cost-state","sessionId":"s1","totalCostUSD":0.25}')
    agent = (
        Transcript("s1", agent="a1", start=stamp(4.2), uuid_prefix="a").user("Look").says("Seen")
    )
    files.save(made, agent)


@case(right={"compactions": 1, "agent_count": 1, "files_modified": {S1: ["/repo/a.py"]}})
def the_same_session_a_minute_later(files: Files) -> None:
    a_session_of_an_hour_ago(files)


HOOKED = {
    "listed": True, "opens": True, "origin": "hook", "title": "Build it", "goal": "Build it",
    "cwd": "/repo", "start": stamp(1), "end": stamp(9), "state": "waiting_for_input",
    "evidence": "hook",
}  # fmt: skip


@case(
    right=HOOKED,
)
def a_session_known_from_a_hook_log_only(files: Files) -> None:
    """It is listed and opens, with what is known of it."""
    files.log("UserPromptSubmit", 2, prompt=" Build it ")
    files.log("SessionStart", 1)
    files.log("Stop", 9)


@case(right=HOOKED)
def a_session_known_from_the_spool_only(files: Files) -> None:
    """The same, where its hooks were spooled."""
    files.hook("UserPromptSubmit", 2, prompt=" Build it ")
    files.hook("SessionStart", 1)
    files.hook("Stop", 9)


@case(seconds=HOUR, right={**HOOKED, "state": "idle"})
def a_session_known_from_the_spool_only_an_hour_later(files: Files) -> None:
    """And it stays when it is old."""
    a_session_known_from_the_spool_only(files)


@case(
    right={"listed": True, "opens": True, "origin": "hook", "title": "Build it"},
)
def a_hook_that_names_no_transcript(files: Files) -> None:
    """Its working directory names the project."""
    files.hook("UserPromptSubmit", 2, prompt="Build it", transcript_path=None)


@case(
    right={"listed": True, "origin": "hook", "opens": True, "title": "Build it"},
)
def a_transcript_with_nothing_to_read_and_hooks(files: Files) -> None:
    """The origin is the best that can be shown."""
    files.save(Transcript("s1").progress("hook_progress", output="x"))
    files.hook("UserPromptSubmit", 2, prompt="Build it")


@case(
    right={"state": "working", "evidence": "registry", "since": stamp(50)},
)
def a_registered_session(files: Files) -> None:
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.register("s1", "busy", 50)


@case(
    right={"listed": True, "opens": True, "origin": "registry", "state": "working"},
)
def a_session_known_from_the_registry_only(files: Files) -> None:
    files.register("s1", "busy", 50, startedAt=1_767_225_640_000)


@case(
    right={"state": "ended", "evidence": "hook"},
    seconds=HOUR,
)
def a_session_that_a_hook_ended(files: Files) -> None:
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.hook("SessionEnd", 5, reason="exit")


@case(right={"title": "A title of its own", "goal": "Do it"})
def a_title_given_by_the_model(files: Files) -> None:
    made = Transcript("s1").user("Do it").says("Done")
    files.save(made.entry("ai-title", aiTitle="A title of its own"))


@case(
    right={"title": "Mine", "pinned": True, "hidden": True, "listed": False, "opens": True},
)
def a_session_that_is_pinned_hidden_and_renamed(files: Files) -> None:
    """Everyone sees the same marks."""
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.mark("s1", title="Mine", pinned=True, hidden=True)


@case(
    seconds=HOUR,
    right={"title": "Mine", "pinned": True, "hidden": False, "listed": True},
)
def a_session_that_is_pinned_and_renamed_an_hour_later(files: Files) -> None:
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.mark("s1", title="Mine", pinned=True)


@case(right={"tokens": 9, "main_calls": {S1: {"t1": "ok", "t2": "ok"}}})
def a_line_that_grows_what_the_line_before_it_said(files: Files) -> None:
    """A snapshot repeats the first call and adds a second."""
    made = Transcript("s1").user("Do it")
    first, second = (tool_block("Bash", {"command": "ls"}, id) for id in ("t1", "t2"))
    usage = {"input_tokens": 0, "output_tokens": 5}
    made.answers([[first]], usage=usage, id="m1", stop=None)
    made.answers([[first, second]], usage={**usage, "output_tokens": 9}, id="m1")
    files.save(made.returns("a", call="t1").returns("b", call="t2"))


@case(right={"title": "Hunt the leak", "goal": "Hunt the leak"})
def a_session_of_a_team_member(files: Files) -> None:
    """It is called by what its lead asks for, not "Untitled"."""
    ask = (
        '<teammate-message teammate_id="team-lead" summary="Hunt the leak">Look.</teammate-message>'
    )
    files.save(Transcript("s1").user(ask).says("Found it"))


@case(seconds=HOUR, right={"title": "/review the lamp", "goal": "/review the lamp"})
def a_command_that_was_given_a_task(files: Files) -> None:
    """It is the title, whatever follows."""
    typed = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    made = Transcript("s1").user(f"{typed}\n<command-args>the lamp</command-args>")
    files.save(made.says("Done").user("Now the table").says("Done"))


@case(right={"title": "Why is it slow?", "goal": "Why is it slow?"})
def a_prompt_beside_what_an_editor_shows(files: Files) -> None:
    """What the editor shows is not what the user typed."""
    opened = text_block("<ide_opened_file>The user opened /repo/a.py.</ide_opened_file>")
    files.save(Transcript("s1").user([opened, text_block("Why is it slow?")]).says("It sleeps"))


@case(right={"title": "CI failed for #7", "goal": "CI failed for #7", "state": "waiting_for_input"})
def a_session_that_a_program_started(files: Files) -> None:
    """It is called by what the program sent."""
    sent = "<ci-monitor-event>\nCI failed for #7\n</ci-monitor-event>"
    files.save(Transcript("s1").user(sent).says("Mended"))


@case(right={"title": "Why is it slow?", "goal": "Why is it slow?"})
def a_prompt_that_only_hooks_tell_of_beside_what_an_editor_shows(files: Files) -> None:
    """The same, where there is no transcript yet."""
    files.hook("UserPromptSubmit", 2, prompt="<ide_selection>x</ide_selection>Why is it slow?")


@case(right={"counted_messages": 2, "tokens": 15})
def lines_that_are_written_again(files: Files) -> None:
    """A line with a known uuid says nothing new."""
    made = Transcript("s1").user("Do it").says("Done")
    for line in list(made.dicts()):
        made.raw(json.dumps(line).encode())
    files.save(made)


@case(right={"state": "working", "evidence": "hook", "since": stamp(9.1)})
def a_question_that_two_loggers_tell_of(files: Files) -> None:
    """One of them is slow: its copy of the question comes after the answer, and asks nothing."""
    files.save(Transcript("s1").user("Do it").calls("Bash", {"command": "make"}, id="t1"))
    told: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    files.log("PermissionRequest", 9, **told)
    files.log("PostToolUse", 9.1, tool_use_id="t1", **told)
    files.hook("PermissionRequest", 9.3, **told)


def told_of_by_every_field(files: Files) -> None:
    """A session of which all is known that a row has."""
    made = Transcript("s1", slug="calm-lamp").user("Do it")
    todo = {"content": "Make it", "status": "in_progress", "activeForm": "Making it"}
    made.calls("TodoWrite", todos=[todo]).returns("ok")
    made.entry("pr-link", prNumber=7, prUrl="https://example.org/7", prRepository="a/b")
    cache = {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 200}
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 500}
    made.says("Well", usage={**usage, "cache_creation": cache})
    made.calls("Bash", {"command": "make"}, id="t9")
    files.save(made)


TOLD = {
    "session.slug": "calm-lamp",
    "session.todos": {
        S1: [{"content": "Make it", "status": "in_progress", "activeForm": "Making it"}]
    },
    "session.pullRequests": {
        S1: [{"number": 7, "url": "https://example.org/7", "repository": "a/b"}]
    },
    "total.ephemeral5mTokens": 300,
    "total.ephemeral1hTokens": 200,
    "row.hasSubagents": False,
    "row.displayable": True,
}
CALL = {"toolUseId": "t9", "name": "Bash", "summary": "make", "since": stamp(5)}


@case(right={**TOLD, "session.pendingTool": {S1: CALL}})
def a_session_with_all_that_a_row_tells(files: Files) -> None:
    told_of_by_every_field(files)


@case(seconds=HOUR, right={**TOLD, "session.pendingTool": None})
def a_session_with_all_that_a_row_tells_an_hour_later(files: Files) -> None:
    told_of_by_every_field(files)
