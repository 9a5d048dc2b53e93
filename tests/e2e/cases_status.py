"""How a session stands, what it waits for, and how its calls ended."""

from tests.e2e.cases import HOUR, MINUTE, PROJECT, Files, at, case, stamp
from unspool.demo import Transcript

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
)
def a_question_eleven_minutes_ago_with_metadata_after_it(files: Files) -> None:
    """It waits until something of the conversation follows."""
    made = asking().wait(3)
    made.entry("last-prompt", lastPrompt="Deploy").progress("bash_progress", output="")
    files.save(made)
    files.log("PermissionRequest", ASKED, tool_name="Bash", tool_input={"command": "make deploy"})


@case(seconds=6 * MINUTE, right={"state": "waiting_for_approval", "pending": "t1"})
def a_question_six_minutes_ago(files: Files) -> None:
    """What it waits for is named for as long as it waits."""
    files.save(asking())
    files.log("PermissionRequest", ASKED, tool_name="Bash", tool_input={"command": "make deploy"})


@case(right={"state": "waiting_for_approval", "pending": "t1", "pending_summary": "make deploy",
             "main_calls": {S1: {"t1": "running"}}})  # fmt: skip
def a_call_a_minute_ago(files: Files) -> None:
    files.save(asking())


@case(
    seconds=HOUR,
    right={"state": "idle", "main_calls": {S1: {"t1": "no_result"}}, "pending": None},
)
def a_call_an_hour_ago(files: Files) -> None:
    """Nothing runs for ever."""
    files.save(asking())


@case(
    seconds=HOUR,
    right={
        "state": "idle",
        "ongoing": False,
        "pending": None,
        "main_calls": {S1: {"t1": "no_result"}},
    },
)
def an_old_session_whose_file_was_copied_just_now(files: Files) -> None:
    """A fresh file is not a fresh line: nothing runs, nobody is at work."""
    agent = Transcript("s1", agent="a1", start=stamp(2), uuid_prefix="a").user("Look")
    files.save(asking(), agent.calls("Bash", {"command": "ls"}, id="t9"), seconds=HOUR - 1)


STOPPED = "Exit code 137\n[Request interrupted by user for tool use]"


@case(right={"state": "waiting_for_input", "main_calls": {S1: {"t1": "interrupted"}}})
def a_command_that_was_stopped(files: Files) -> None:
    """Its result begins with an exit code, and still it was interrupted."""
    made = asking().returns(STOPPED, failed=True, result=f"Error: {STOPPED}")
    files.save(made.interrupted(for_tool=True))


@case(right={"main_calls": {S1: {"t1": "error", "t2": "rejected"}}})
def calls_that_auto_mode_could_not_judge_or_forbade(files: Files) -> None:
    """Only the second was refused."""
    made = asking().returns("opus is down", failed=True, toolDenialKind="automode-unavailable")
    made.calls("Bash", {"command": "rm x"}, id="t2")
    files.save(made.returns("No", failed=True, toolDenialKind="automode-blocked").says("Later"))


@case(right={"chunks": {S1: ["user"]}})
def a_session_of_a_prompt_and_injected_text(files: Files) -> None:
    """Injected text makes no answer."""
    files.save(Transcript("s1").user("Go").user("Caveat: injected", isMeta=True))


@case(seconds=HOUR, right={"state": "idle", "since": stamp(1)})
def a_session_that_was_at_work_an_hour_ago(files: Files) -> None:
    """The status in SQL is that of `show` at the time of asking."""
    files.save(Transcript("s1").user("Go").says("Well", stop=None))


@case(
    seconds=30,
    right={"state": "working", "pending": None, "main_calls": {S1: {"t1": "no_result"}}},
)
def a_call_and_then_a_new_prompt(files: Files) -> None:
    """A prompt answers what was asked before it."""
    files.save(asking("ls").user("Do something else"))


@case(seconds=30, right={"pending": None})
def a_call_and_then_an_interruption(files: Files) -> None:
    """So does an interruption."""
    files.save(asking("ls").interrupted(for_tool=True))


@case(seconds=12 * MINUTE, right={"state": "working", "pending": "t1"})
def agents_at_work_for_a_session_that_waits_for_them(files: Files) -> None:
    """A call that an agent works on has been approved."""
    main = (
        Transcript("s1")
        .user("Go")
        .calls("Task", {"description": "Look", "prompt": "Look"}, id="t1")
    )
    agent = Transcript("s1", agent="a1", start=stamp(5), uuid_prefix="a").user("Look")
    agent.wait(11 * MINUTE).calls("Bash", {"command": "ls"}, id="t2")
    files.save(main, agent)


def inline_agent(made: Transcript) -> Transcript:
    """A session that sent an agent, which writes into its file and has called a tool."""
    side = {"isSidechain": True, "agentId": "in1"}
    made.user("Do it").calls("Task", {"prompt": "Look"}, id="t1").user("Look", **side)
    return made.wait(11 * MINUTE).calls("Bash", {"command": "ls"}, id="t2", **side)


@case(
    seconds=12 * MINUTE,
    right={
        "state": "working",
        "calls": {S1: {"t1": "running", "t2": "running"}},
        "counted_messages": 4,
    },
)
def an_agent_at_work_inside_the_main_file(files: Files) -> None:
    """It is an agent like those with a file."""
    files.save(inline_agent(Transcript("s1", version="1.0.110")))


@case(
    seconds=12 * MINUTE,
    right={"state": "waiting_for_input", "calls": {S1: {"t1": "ok", "t2": "no_result"}}},
)
def an_agent_inside_the_main_file_whose_call_was_answered(files: Files) -> None:
    """What it had called will have no result any more."""
    made = inline_agent(Transcript("s1", version="1.0.110"))
    files.save(made.returns("Seen", call="t1").says("Done"))


@case(right={"main_calls": {S1: {"t1": "rejected"}}})
def a_call_that_a_rule_denied(files: Files) -> None:
    """A denied call is rejected, whoever denied it."""
    made = asking()
    made.returns("Permission denied", failed=True, toolDenialKind="permission-rule")
    files.save(made.says("Then not"))


@case(right={"main_calls": {S1: {}}})
def a_result_whose_call_cannot_be_read(files: Files) -> None:
    made = Transcript("s1").user("Do it").raw(b'{"type":"assistant","message":{"id":"m1",')
    files.save(made.returns("ok", call="t1").says("Done"))


LIMIT = "You've hit your limit · resets 6pm (UTC)"
SIX = stamp(18 * HOUR)  # the clock starts at midnight


@case(
    seconds=HOUR,
    right={
        "state": "limited",
        "evidence": "transcript",
        "since": stamp(1),
        "until": SIX,
        "error": LIMIT,
    },
)
def a_session_at_its_usage_limit_for_an_hour(files: Files) -> None:
    """It waits for nobody until the limit is reset."""
    files.save(Transcript("s1").user("Go").synthetic(LIMIT, error="rate_limit"))


@case(
    seconds=HOUR,
    right={"state": "limited", "until": stamp(2 * HOUR), "error": "5-hour limit reached"},
)
def a_session_at_a_limit_of_which_only_the_quota_says_when_it_is_reset(files: Files) -> None:
    """The newest snapshot before it tells."""
    files.quota(-60, (97, 2 * HOUR))
    files.quota(0, (100, 2 * HOUR))
    files.save(Transcript("s1").user("Go").synthetic("5-hour limit reached", error="rate_limit"))


@case(seconds=HOUR, right={"state": "limited", "until": None})
def a_session_at_a_limit_that_no_snapshot_shows_as_reached(files: Files) -> None:
    """Nobody guesses."""
    files.quota(0, (99, 2 * HOUR))
    files.save(Transcript("s1").user("Go").synthetic("5-hour limit reached", error="rate_limit"))


@case(
    seconds=HOUR,
    right={
        "state": "limited",
        "until": stamp(3 * HOUR),
        "error": "Claude AI usage limit reached",
    },
)
def a_session_at_a_limit_that_is_told_in_seconds(files: Files) -> None:
    """No reader has to know what 1768400000 is."""
    told = f"Claude AI usage limit reached|{at(3 * HOUR) // 1_000}"
    files.save(Transcript("s1").user("Go").synthetic(told, isApiErrorMessage=True))


@case(seconds=2 * HOUR, right={"state": "idle", "until": None, "error": "", "stopped": False})
def a_session_that_went_on_after_its_limit(files: Files) -> None:
    """What follows says how it stands."""
    made = Transcript("s1").user("Go").synthetic(LIMIT, error="rate_limit").wait(60)
    files.save(made.user("And now?").says("Done"))


@case(
    seconds=HOUR,
    right={
        "state": "failed",
        "evidence": "transcript",
        "since": stamp(1),
        "until": None,
        "error": "API Error: 500",
    },
)
def a_session_that_an_api_error_stopped_an_hour_ago(files: Files) -> None:
    """Somebody has to look at it."""
    files.save(Transcript("s1").user("Go").synthetic("API Error: 500", error="server_error"))
