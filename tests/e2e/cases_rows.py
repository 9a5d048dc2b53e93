"""How a session stands, what it waits for, and what its row says."""

import json

from tests.e2e.cases import (
    AGED,
    AGENT_LINES,
    CALL,
    CLOSED,
    HOUR,
    MARKS,
    MINUTE,
    OLD,
    OLD_ROW,
    PROJECT,
    SPOOLED,
    SQL_HOOKS,
    Files,
    case,
    stamp,
)
from unspool.demo import Transcript, tool_block

S1 = (PROJECT, "s1")
ASKED = 3  # seconds after the start, when the call below asks to be approved


def asking(command: str = "make deploy") -> Transcript:
    """A session whose last line is a call without a result."""
    return Transcript("s1").user("Deploy").calls("Bash", {"command": command}, id="t1")


@case(
    seconds=11 * MINUTE,
    right={
        "state": "waiting_for_approval",
        "evidence": "hook",
        "since": stamp(ASKED),
        "pending": "t1",
        "pending_summary": "make deploy",
    },
    fails={
        **OLD_ROW,
        "state since": "folds 14: the list takes metadata for an answer",
        "duration end": "folds 19: the list ends with the last activity",
        CALL: "folds 16: the page names no call after five minutes",
        "evidence": SQL_HOOKS,
        "lines": "folds 20: SQL counts lines of the hook log",
    },
)
def a_question_eleven_minutes_ago_with_metadata_after_it(files: Files) -> None:
    """folds 14, 16: it waits until something of the conversation follows."""
    made = asking().wait(3)
    made.entry("last-prompt", lastPrompt="Deploy").progress("bash_progress", output="")
    files.save(made)
    files.log("PermissionRequest", ASKED, tool_name="Bash", tool_input={"command": "make deploy"})


@case(
    seconds=6 * MINUTE,
    right={"state": "waiting_for_approval", "pending": "t1"},
    fails={
        CALL: "folds 16: the page names no call after five minutes",
        "evidence": SQL_HOOKS,
        "lines": "folds 20: SQL counts lines of the hook log",
    },
)
def a_question_six_minutes_ago(files: Files) -> None:
    """folds 16: what it waits for is named for as long as it waits."""
    files.save(asking())
    files.log("PermissionRequest", ASKED, tool_name="Bash", tool_input={"command": "make deploy"})


@case(right={"state": "waiting_for_approval", "pending": "t1", "pending_summary": "make deploy",
             "main_calls": {S1: {"t1": "running"}}})  # fmt: skip
def a_call_a_minute_ago(files: Files) -> None:
    files.save(asking())


@case(
    seconds=HOUR,
    right={"state": "idle", "main_calls": {S1: {"t1": "no_result"}}, "pending": None},
    fails={**OLD_ROW, "state": AGED, "calls main_calls": "folds 15: SQL says running for ever"},
)
def a_call_an_hour_ago(files: Files) -> None:
    """folds 15, issue 8: nothing runs for ever."""
    files.save(asking())


@case(seconds=HOUR, right={"state": "idle", "since": stamp(1)}, fails=OLD)
def a_session_that_was_at_work_an_hour_ago(files: Files) -> None:
    """issue 8: the status in SQL is that of `show` at the time of asking."""
    files.save(Transcript("s1").user("Go").says("Well", stop=None))


@case(
    seconds=30,
    right={"state": "working", "pending": None, "main_calls": {S1: {"t1": "no_result"}}},
    fails={
        "pending pending_summary": "folds 16: the page keeps a call that a prompt has dropped",
        "calls main_calls": "folds 15: SQL says running while the session works",
    },
)
def a_call_and_then_a_new_prompt(files: Files) -> None:
    """folds 16: a prompt answers what was asked before it."""
    files.save(asking("ls").user("Do something else"))


@case(seconds=30, right={"pending": None})
def a_call_and_then_an_interruption(files: Files) -> None:
    """folds 16: so does an interruption."""
    files.save(asking("ls").interrupted(for_tool=True))


@case(
    seconds=12 * MINUTE,
    right={"state": "working", "pending": "t1"},
    fails={
        **OLD_ROW,
        **AGENT_LINES,
        "state": "folds 15: the list and SQL do not look at agents",
        CALL: "folds 16: the page takes it for idle",
    },
)
def agents_at_work_for_a_session_that_waits_for_them(files: Files) -> None:
    """folds 15: a call that an agent works on has been approved."""
    main = (
        Transcript("s1")
        .user("Go")
        .calls("Task", {"description": "Look", "prompt": "Look"}, id="t1")
    )
    agent = Transcript("s1", agent="a1", start=stamp(5), uuid_prefix="a").user("Look")
    agent.wait(11 * MINUTE).calls("Bash", {"command": "ls"}, id="t2")
    files.save(main, agent)


@case(
    right={"main_calls": {S1: {"t1": "rejected"}}},
    fails={"calls main_calls": "folds 18: an error for the index"},
)
def a_call_that_a_rule_denied(files: Files) -> None:
    """folds 18: a denied call is rejected, whoever denied it."""
    made = asking()
    made.returns("Permission denied", failed=True, toolDenialKind="permission-rule")
    files.save(made.says("Then not"))


@case(
    fails={
        "calls main_calls": "further: SQL has a call of which only the result can be read",
        "lines": "folds 20: SQL counts the lines that it keeps",
    }
)
def a_result_whose_call_cannot_be_read(files: Files) -> None:
    made = Transcript("s1").user("Do it").raw(b'{"type":"assistant","message":{"id":"m1",')
    files.save(made.returns("ok", call="t1").says("Done"))


@case(right={"end": stamp(1), "duration": 1_000, "last_activity": stamp(60)}, seconds=2 * MINUTE)
def metadata_after_the_last_message(files: Files) -> None:
    """folds 19: a session ends with its last message; activity is another field."""
    made = Transcript("s1").user("Do it").says("Done").wait(58)
    files.save(made.progress("hook_progress", output="x"))


@case(
    seconds=HOUR,
    right={"end": stamp(1), "duration": 1_000, "last_activity": stamp(60)},
    fails={**OLD, "duration end since": "folds 19: the list ends with the last activity"},
)
def metadata_after_the_last_message_an_hour_later(files: Files) -> None:
    """folds 19, where the list no longer reads the file."""
    made = Transcript("s1").user("Do it").says("Done").wait(58)
    files.save(made.progress("hook_progress", output="x"))


@case(
    right={"lines": 5, "bad_lines": 1},
    fails={"lines": "folds 20: SQL counts the lines that it keeps"},
)
def a_blank_line_and_a_bad_one(files: Files) -> None:
    """folds 20: they are lines of the file."""
    files.save(Transcript("s1").user("Do it").raw(b"").raw(b'{"type":').says("Done").says("Really"))


@case(
    seconds=HOUR,
    right={"lines": 2},
    fails={
        **OLD,
        "lines": "folds 20: list and SQL count lines of the hook log",
        "evidence": SQL_HOOKS,
    },
)
def a_hook_log_beside_a_session(files: Files) -> None:
    """folds 20: lines are those of the main file."""
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.log("Stop", 2)


@case(
    right={"counted_messages": 2, "agent_count": 0, "agents": {S1: {}}, "tokens": 30},
    fails={"counted_messages": "folds 21: the board counts them", **AGENT_LINES},
)
def an_agent_that_only_warmed_up(files: Files) -> None:
    """folds 21: its money counts, its messages do not."""
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
    fails={
        **OLD,
        **AGENT_LINES,
        "files_modified": "folds 22: the index does not keep them",
        "stated_usd": "folds 22: list and board do not say it",
    },
)
def a_session_of_an_hour_ago(files: Files) -> None:
    """folds 20, 22, house B2: its row says what its page says."""
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


@case(
    right={"compactions": 1, "agent_count": 1, "files_modified": {S1: ["/repo/a.py"]}},
    fails={**AGENT_LINES, "stated_usd": "folds 22: the board does not say it"},
)
def the_same_session_a_minute_later(files: Files) -> None:
    a_session_of_an_hour_ago(files)


HOOKED = {
    "listed": True, "opens": True, "origin": "hook", "title": "Build it", "goal": "Build it",
    "cwd": "/repo", "start": stamp(1), "end": stamp(9), "state": "waiting_for_input",
    "evidence": "hook", "usd": 0,
}  # fmt: skip


@case(
    right=HOOKED,
    fails={
        **CLOSED,
        "cwd goal title": "folds 24: the index passes by what a log says",
        "state": SQL_HOOKS,
        "listed": "folds 25: the board knows no project for it",
        "lines": "folds 20: SQL counts lines of the hook log",
    },
)
def a_session_known_from_a_hook_log_only(files: Files) -> None:
    """folds 24, issue 4: it is listed and opens, with what is known of it."""
    files.log("UserPromptSubmit", 2, prompt=" Build it ")
    files.log("SessionStart", 1)
    files.log("Stop", 9)


@case(right=HOOKED, fails={**CLOSED, **SPOOLED, "state": SQL_HOOKS})
def a_session_known_from_the_spool_only(files: Files) -> None:
    """folds 24, 25, issue 4: the same, where its hooks were spooled."""
    files.hook("UserPromptSubmit", 2, prompt=" Build it ")
    files.hook("SessionStart", 1)
    files.hook("Stop", 9)


@case(seconds=HOUR, right={**HOOKED, "state": "idle"}, fails={**CLOSED, **SPOOLED})
def a_session_known_from_the_spool_only_an_hour_later(files: Files) -> None:
    """folds 24, 25, issue 4: and it stays when it is old."""
    a_session_known_from_the_spool_only(files)


@case(
    right={"listed": True, "origin": "hook", "title": "Build it"},
    fails={"listed": "folds 25: the index knows no project for it", "state": SQL_HOOKS},
)
def a_hook_that_names_no_transcript(files: Files) -> None:
    """folds 25: its working directory names the project."""
    files.hook("UserPromptSubmit", 2, prompt="Build it", transcript_path=None)


@case(
    right={"listed": True, "origin": "hook", "opens": True, "title": "Build it"},
    fails={
        "listed origin title": "folds 26: once its hooks are indexed, no list has it",
        "state since evidence": "house B4: the library reads no spool; issue 8: SQL no hooks",
    },
)
def a_transcript_with_nothing_to_read_and_hooks(files: Files) -> None:
    """folds 26: the origin is the best that can be shown."""
    files.save(Transcript("s1").progress("hook_progress", output="x"))
    files.hook("UserPromptSubmit", 2, prompt="Build it")


@case(
    right={"state": "working", "evidence": "registry", "since": stamp(50)},
    fails={"evidence state": "issue 8: SQL does not ask the registry"},
)
def a_registered_session(files: Files) -> None:
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.register("s1", "busy", 50)


@case(
    right={"listed": True, "opens": True, "origin": "registry", "state": "working"},
    fails={
        **CLOSED,
        "title": "further: the list page calls an untitled session by its id",
        "counted_duration": "folds 24: only the board says how long",
    },
)
def a_session_known_from_the_registry_only(files: Files) -> None:
    files.register("s1", "busy", 50, startedAt=1_767_225_640_000)


@case(
    right={"state": "ended", "evidence": "hook"},
    seconds=HOUR,
    fails={
        **OLD_ROW,
        "recent_output": OLD["recent_output"],
        "state evidence since": "house B4: the library reads no spool; issue 8: SQL no hooks",
    },
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
    fails={"title hidden pinned listed": MARKS},
)
def a_session_that_is_pinned_hidden_and_renamed(files: Files) -> None:
    """issue 3, house B3: everyone sees the same marks."""
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.mark("s1", title="Mine", pinned=True, hidden=True)


@case(
    seconds=HOUR,
    right={"title": "Mine", "pinned": True, "hidden": False, "listed": True},
    fails={**OLD, "title pinned": MARKS},
)
def a_session_that_is_pinned_and_renamed_an_hour_later(files: Files) -> None:
    """issue 3, house B3."""
    files.save(Transcript("s1").user("Do it").says("Done"))
    files.mark("s1", title="Mine", pinned=True)


@case(right={"tokens": 9, "main_calls": {S1: {"t1": "ok", "t2": "ok"}}})
def a_line_that_grows_what_the_line_before_it_said(files: Files) -> None:
    """folds 30: a snapshot repeats the first call and adds a second."""
    made = Transcript("s1").user("Do it")
    first, second = (tool_block("Bash", {"command": "ls"}, id) for id in ("t1", "t2"))
    usage = {"input_tokens": 0, "output_tokens": 5}
    made.answers([[first]], usage=usage, id="m1", stop=None)
    made.answers([[first, second]], usage={**usage, "output_tokens": 9}, id="m1")
    files.save(made.returns("a", call="t1").returns("b", call="t2"))


@case(right={"counted_messages": 2, "tokens": 15})
def lines_that_are_written_again(files: Files) -> None:
    """folds 29: a line with a known uuid says nothing new."""
    made = Transcript("s1").user("Do it").says("Done")
    for line in list(made.dicts()):
        made.raw(json.dumps(line).encode())
    files.save(made)
