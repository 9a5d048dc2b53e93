"""What a session did, from when until when: messages, hooks and the registry as they come."""

from collections.abc import Sequence

from tests.derive.hooked import at, hook
from tests.derive.reads import entries_of
from unspool.demo import Transcript
from unspool.derive.reading.messages import read
from unspool.derive.transitions import Snapshot, Stay, TransitionFold, transitions
from unspool.model.hooks import HookEvent
from unspool.model.message import Message
from unspool.model.sidecars import RegistryEntry

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def messages(made: Transcript) -> list[Message]:
    entries = [entry for line in entries_of(made) for entry in line]
    found = (read(entry, number) for number, entry in enumerate(entries, 1))
    return [message for message in found if message]


def stays(
    made: Transcript | None = None,
    hooks: Sequence[HookEvent] = (),
    registry: Sequence[Snapshot] = (),
    now: float = 30,
) -> list[Stay]:
    return transitions(messages(made or Transcript()), hooks, registry, now=at(now))


def told(found: Sequence[Stay]) -> list[tuple[str, float, float | None]]:
    return [
        (one.state, (one.since - at(0)) / 1_000, one.until and (one.until - at(0)) / 1_000)
        for one in found
    ]


def test_nothing_happened_in_a_session_of_which_nothing_is_known() -> None:
    assert stays() == []


def test_a_transcript_goes_from_state_to_state() -> None:
    made = Transcript().user("go").calls("Bash", command="ls").wait(8).returns("ok").says("Done")

    assert told(stays(made)) == [
        ("working", 0, 1),
        ("waiting_for_approval", 1, 10),
        ("working", 10, 11),
        ("waiting_for_input", 11, None),
    ]


def test_hooks_tell_a_call_that_waits_from_one_that_runs() -> None:
    made = Transcript().user("go").calls("Bash", command="ls").wait(20).returns("ok")
    hooks = [
        hook("UserPromptSubmit", 0),
        hook("PreToolUse", 1, tool_use_id="t1", **BASH),
        hook("PermissionRequest", 3, **BASH),
        hook("PostToolUse", 21, tool_use_id="t1", **BASH),
    ]

    found = stays(made, hooks)
    assert told(found)[1:] == [("waiting_for_approval", 3, 21), ("working", 21, None)]
    assert (found[1].evidence, found[1].waits_for) == ("hook", "Bash ls")


def test_five_minutes_of_silence_begin_an_idle_stay_and_a_prompt_ends_it() -> None:
    made = Transcript().user("go").says("Done").wait(600).user("more")

    assert told(stays(made, now=605)) == [
        ("working", 0, 1),
        ("waiting_for_input", 1, 301),
        ("idle", 301, 602),
        ("working", 602, None),
    ]


def test_a_session_that_fell_silent_is_idle_at_the_end() -> None:
    assert told(stays(Transcript().user("go"), now=9_000))[-1] == ("idle", 300, None)


def test_a_living_process_that_says_it_is_busy_is_never_idle() -> None:
    busy = Snapshot(at(1), RegistryEntry(status="busy"), True)

    assert told(stays(Transcript().user("go"), registry=[busy], now=9_000)) == [
        ("working", 0, None)
    ]


def test_an_entry_taken_out_of_the_registry_is_the_end() -> None:
    seen = [Snapshot(at(1), RegistryEntry(status="idle"), True), Snapshot(at(9))]

    assert told(stays(registry=seen)) == [("waiting_for_input", 1, 9), ("ended", 9, None)]


def test_a_session_that_never_was_in_the_registry_has_not_ended_by_it() -> None:
    assert stays(Transcript().user("go"), registry=[Snapshot(at(5))])[-1].state == "working"


def test_the_end_of_a_session_is_told_by_its_hook() -> None:
    found = stays(Transcript().user("go").says("Done"), [hook("SessionEnd", 9)], now=9_000)

    assert told(found)[-1] == ("ended", 9, None)
    assert found[-1].evidence == "hook"


def test_what_has_no_time_happens_with_what_came_before_it() -> None:
    made = Transcript().user("go").says("Done", timestamp="soon")

    assert told(stays(made)) == [("working", 0, 0), ("waiting_for_input", 0, None)]


def test_fed_one_by_one_it_ends_the_same() -> None:
    made = messages(Transcript().user("go").calls("Bash", command="ls").wait(400).returns("ok"))
    fold = TransitionFold()
    for message in made:
        fold.feed(message)

    assert fold.end(at(500)) == transitions(made, now=at(500))
