"""Every rule of the status table under each kind of evidence, and where two of them differ."""

from collections.abc import Sequence

import pytest

from tests.derive.hooked import at, hook
from tests.derive.status_reads import state_of
from unspool.demo import Transcript
from unspool.derive.status import status, with_agents
from unspool.model.hooks import HookEvent
from unspool.model.session import TranscriptState
from unspool.model.sidecars import RegistryEntry

CALLED = state_of(Transcript().user("go").calls("Bash", command="ls"))
SPOKE = state_of(Transcript().user("go").says("let me see", stop=None))
STOPPED = state_of(Transcript().user("go").says("Done"))
SUMMED_UP = state_of(Transcript().user("go").says("Done").entry("summary", summary="T"))
ASKED = state_of(Transcript().user("go"))
SPAWNED = state_of(Transcript().user("go").calls("Task", description="d", prompt="p"))
NOTHING = TranscriptState()

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
REQUEST = hook("PermissionRequest", 2, **BASH)
PROMPT = hook("Notification", 2, notification_type="permission_prompt")
RAN = hook("PostToolUse", 3, tool_use_id="t1", **BASH)
DENIED = hook("PermissionDenied", 3, tool_use_id="t1", **BASH)
STOP = hook("Stop", 4)
END = hook("SessionEnd", 5)
START = hook("SessionStart", 6)


def entry(said: str | None) -> RegistryEntry:
    return RegistryEntry(status=said, status_updated_at=at(2))


def found(
    transcript: TranscriptState,
    hooks: Sequence[HookEvent] = (),
    registry: tuple[RegistryEntry, bool | None] = (RegistryEntry(), None),
    now: float = 10,
) -> tuple[str, str]:
    made = status(transcript, hooks, *registry, at(now))
    return made.state, made.evidence


@pytest.mark.parametrize(
    ("transcript", "state"),
    [
        pytest.param(CALLED, "waiting_for_approval", id="a call without a result"),
        pytest.param(SPOKE, "working", id="text"),
        pytest.param(ASKED, "working", id="a prompt"),
        pytest.param(STOPPED, "waiting_for_input", id="a stop reason"),
        pytest.param(SUMMED_UP, "idle", id="a summary"),
        pytest.param(NOTHING, "idle", id="nothing at all"),
    ],
)
def test_the_transcript_alone_infers(transcript: TranscriptState, state: str) -> None:
    assert found(transcript) == (state, "inferred")
    assert found(transcript, now=302) == ("idle", "inferred")


@pytest.mark.parametrize("transcript", [CALLED, SPOKE, STOPPED, SUMMED_UP, NOTHING])
@pytest.mark.parametrize(
    ("said", "state"),
    [("busy", "working"), ("waiting", "waiting_for_approval"), ("idle", "waiting_for_input")],
)
def test_a_living_process_is_believed_whatever_else_is_told(
    transcript: TranscriptState, said: str, state: str
) -> None:
    for hooks in ([], [REQUEST], [END], [STOP]):
        assert found(transcript, hooks, (entry(said), True), now=9_000) == (state, "registry")


@pytest.mark.parametrize("transcript", [CALLED, SPOKE, STOPPED, SUMMED_UP, NOTHING])
def test_a_dead_process_has_ended_whatever_else_is_told(transcript: TranscriptState) -> None:
    for hooks in ([], [REQUEST], [RAN], [START]):
        assert found(transcript, hooks, (entry("busy"), False)) == ("ended", "registry")


@pytest.mark.parametrize(
    ("transcript", "hooks", "state"),
    [
        pytest.param(CALLED, [REQUEST], "waiting_for_approval", id="a request"),
        pytest.param(CALLED, [PROMPT], "waiting_for_approval", id="a prompt that is shown"),
        pytest.param(CALLED, [hook("PreToolUse", 2, **BASH)], "working", id="a call that runs"),
        pytest.param(CALLED, [REQUEST, RAN], "working", id="a request granted"),
        pytest.param(CALLED, [REQUEST, DENIED], "working", id="a request denied"),
        pytest.param(CALLED, [REQUEST, STOP], "waiting_for_input", id="a turn that ended"),
        pytest.param(SPOKE, [STOP], "waiting_for_input", id="a stop before its line is written"),
        pytest.param(STOPPED, [hook("UserPromptSubmit", 4)], "working", id="a prompt not written"),
        pytest.param(CALLED, [REQUEST, END], "ended", id="an end"),
        pytest.param(NOTHING, [START], "waiting_for_input", id="a session without a line"),
        pytest.param(STOPPED, [END, START], "waiting_for_input", id="a session resumed"),
    ],
)
def test_hooks_are_believed_before_the_transcript(
    transcript: TranscriptState, hooks: list[HookEvent], state: str
) -> None:
    assert found(transcript, hooks) == (state, "hook")
    assert found(transcript, hooks, (entry("dreaming"), True)) == (state, "hook")


@pytest.mark.parametrize("hooks", [[], [RAN], [STOP], [START], [hook("PreToolUse", 2, **BASH)]])
@pytest.mark.parametrize("transcript", [CALLED, SPOKE, ASKED, STOPPED, SPAWNED])
def test_without_proof_nothing_outlives_five_minutes_of_silence(
    transcript: TranscriptState, hooks: list[HookEvent]
) -> None:
    assert found(transcript, hooks, now=310)[0] == "idle"
    assert found(transcript, hooks, (entry(None), True), now=310)[0] == "idle"


def test_a_request_of_half_a_day_ago_waits_for_nobody() -> None:
    assert found(CALLED, [REQUEST], now=40_000)[0] == "waiting_for_approval"
    assert found(CALLED, [REQUEST], now=43_300) == ("idle", "hook")


def agent(seconds: float, *, is_ongoing: bool = True) -> TranscriptState:
    return TranscriptState("working", last_at=at(seconds), is_ongoing=is_ongoing)


def test_a_call_that_an_agent_works_on_is_work() -> None:
    assert found(SPAWNED)[0] == "waiting_for_approval"
    assert found(with_agents(SPAWNED, [agent(4)]))[0] == "working"
    assert found(with_agents(SPAWNED, [agent(2), agent(400)]), now=500)[0] == "working"


def test_an_agent_in_the_background_does_not_answer_for_another_call() -> None:
    assert found(with_agents(CALLED, [agent(4)]))[0] == "waiting_for_approval"


def test_an_agent_that_fell_silent_before_the_session_changes_nothing() -> None:
    assert with_agents(SPAWNED, [agent(0)]) is SPAWNED
    assert with_agents(SPAWNED, []) is SPAWNED


def test_an_agent_that_has_answered_is_not_waited_for() -> None:
    assert with_agents(SPAWNED, [agent(4, is_ongoing=False)]) is SPAWNED
