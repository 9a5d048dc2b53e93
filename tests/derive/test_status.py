"""What a session is doing, and what proves it: registry, hooks, transcript."""

import pytest

from tests.derive.hooked import at, hook
from tests.derive.status_reads import state_of
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.derive.status import status
from unspool.model.document import Status
from unspool.model.hooks import HookEvent
from unspool.model.session import TranscriptState
from unspool.model.sidecars import RegistryEntry

ASKED = hook("PermissionRequest", 10, tool_name="Bash")
WORKING = TranscriptState("working", at(0), at(5))


def by_hooks(*hooks: HookEvent, transcript: TranscriptState = WORKING, now: float = 20) -> Status:
    return status(transcript, hooks, None, None, at(now))


def by_registry(entry: RegistryEntry, alive: bool | None, now: float = 20) -> Status:
    return status(WORKING, [hook("Stop", 9)], entry, alive, at(now))


@pytest.mark.parametrize(
    ("said", "state"),
    [("busy", "working"), ("waiting", "waiting_for_approval"), ("idle", "waiting_for_input")],
)
def test_a_living_process_says_what_it_does(said: str, state: str) -> None:
    found = by_registry(RegistryEntry(status=said, status_updated_at=at(12)), True)

    assert (found.state, found.since, found.evidence) == (state, iso(at(12)), "registry")


def test_the_registry_outlasts_five_minutes_of_silence() -> None:
    assert by_registry(RegistryEntry(status="busy"), True, now=9_000).state == "working"


def test_a_dead_process_has_ended() -> None:
    found = by_registry(RegistryEntry(status="busy", updated_at=at(12)), False)

    assert found == Status("ended", iso(at(12)), "registry")


def test_a_dead_process_without_times_ended_with_its_last_line() -> None:
    found = by_registry(RegistryEntry(status_updated_at=9e18), False)

    assert found == Status("ended", iso(at(5)), "registry")


def test_a_process_nobody_can_see_or_a_word_nobody_knows_leaves_it_to_the_hooks() -> None:
    assert by_registry(RegistryEntry(status="busy"), None).evidence == "hook"
    assert by_registry(RegistryEntry(status="dreaming"), True).evidence == "hook"


def test_a_permission_request_waits_for_approval_since_it_was_made() -> None:
    assert by_hooks(ASKED) == Status("waiting_for_approval", iso(at(10)), "hook")


def test_waiting_for_approval_outlasts_five_minutes_of_silence() -> None:
    assert by_hooks(ASKED, now=9_000).state == "waiting_for_approval"


def test_a_transcript_that_moved_on_answers_the_request() -> None:
    moved = TranscriptState("working", at(15), at(15))

    assert by_hooks(hook("PreToolUse", 9), ASKED, transcript=moved).state == "working"


def test_a_call_that_was_already_open_does_not_answer_the_request() -> None:
    still = TranscriptState("waiting_for_approval", at(9), at(12))

    assert by_hooks(ASKED, transcript=still).evidence == "hook"


def test_a_prompt_or_a_tool_about_to_run_is_work() -> None:
    for event in ("UserPromptSubmit", "PreToolUse"):
        assert by_hooks(hook(event, 10)) == Status("working", iso(at(10)), "hook")


def test_stop_and_the_idle_prompt_wait_for_input() -> None:
    idle = hook("Notification", 10, notification_type="idle_prompt")

    assert by_hooks(hook("Stop", 10)).state == "waiting_for_input"
    assert by_hooks(idle).state == "waiting_for_input"


def test_the_end_of_a_session_stays_its_end() -> None:
    assert by_hooks(hook("SessionEnd", 10), now=9_000) == Status("ended", iso(at(10)), "hook")


def test_a_session_started_again_has_not_ended() -> None:
    assert by_hooks(hook("SessionEnd", 10), hook("SessionStart", 11)).state == "waiting_for_input"


def test_five_minutes_without_hook_or_line_are_idle() -> None:
    found = by_hooks(hook("UserPromptSubmit", 10), now=310)

    assert (found.state, found.since) == ("idle", iso(at(10)))


def test_hooks_that_fell_silent_while_the_transcript_went_on_tell_nothing() -> None:
    later = TranscriptState("waiting_for_input", at(400), at(400))

    assert by_hooks(hook("PreToolUse", 10), transcript=later, now=401).evidence == "inferred"


def test_hooks_without_a_word_on_the_state_leave_it_to_the_transcript() -> None:
    assert by_hooks(hook("ConfigChange", 10)) == Status("working", iso(at(0)), "inferred")


def test_the_transcript_alone_is_an_inference() -> None:
    made = state_of(Transcript().user("go").calls("Bash", command="ls"))

    assert status(made, [], None, None, at(2)) == Status(
        "waiting_for_approval", iso(at(1)), "inferred"
    )


def test_five_minutes_of_silence_are_idle_since_the_last_line() -> None:
    made = state_of(Transcript().user("go").calls("Bash", command="ls"))

    assert status(made, [], None, None, at(300.9)).state == "waiting_for_approval"
    assert status(made, [], None, None, at(301)) == Status("idle", iso(at(1)), "inferred")


def test_a_session_of_which_nothing_is_known_is_idle() -> None:
    assert status(TranscriptState(), [], None, None, at(0)) == Status("idle", None, "inferred")


def test_a_conversation_the_model_ended_has_ended_by_its_own_word() -> None:
    made = state_of(Transcript().user("go").says("bye").entry("ended-by-model"))

    assert status(made, [], None, None, at(9_000)) == Status("ended", iso(at(1)), "transcript")
