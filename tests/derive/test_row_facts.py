"""What is known of a session before it has a transcript, and what the index keeps of it."""

import pytest
from msgspec import Raw, structs

from tests.derive.hooked import at, hook
from unspool.derive.row_facts import (
    hook_facts,
    index_row,
    join_agents,
    stored_facts,
    whereabouts,
    with_hooks,
    with_registry,
)
from unspool.model.document import ClientCost, PendingTool, TodoItem
from unspool.model.hooks import HookEvent
from unspool.model.query import SessionListing
from unspool.model.session import RowFacts, TranscriptState
from unspool.model.sidecars import RegistryEntry


def told(*events: HookEvent, entry: RegistryEntry | None = None) -> RowFacts:
    facts = hook_facts(events, "-repo", "s1")
    return facts if entry is None else with_registry(facts, entry)


def test_hooks_tell_where_and_what_for_and_since_when() -> None:
    found = told(
        hook("SessionStart", 1, cwd="/home/me/repo", model="opus"),
        hook("UserPromptSubmit", 2, cwd="/home/me/repo", prompt=" Build it "),
        hook("Stop", 9),
    )

    assert found.cwd == "/home/me/repo"
    assert (found.goal, found.title, found.model) == ("Build it", "Build it", "opus")
    assert (found.start_time, found.end_time) == (at(1), at(9))


def test_the_first_prompt_is_the_goal() -> None:
    one, two = (hook("UserPromptSubmit", n, cwd="/r", prompt=str(n) * 300) for n in (1, 2))

    assert told(one, two).goal == "1" * 200


def test_a_prompt_that_only_hooks_tell_of_is_read_as_a_transcript_has_it() -> None:
    event = hook("UserPromptSubmit", 1, prompt="<ci-monitor-event>failed</ci-monitor-event>")
    typed = hook("UserPromptSubmit", 2, prompt="<ide_selection>x</ide_selection>why?")
    noise = hook("UserPromptSubmit", 0, prompt="<ide_opened_file>a.py</ide_opened_file>")

    assert told(noise, event).title == "failed"
    assert told(noise, event, typed).title == "why?"


def test_the_registry_tells_as_much_where_no_hook_does() -> None:
    entry = RegistryEntry(cwd="/repo", name="Tidy", version="2.1", started_at=at(3))
    found = told(entry=entry)

    assert (found.origin, found.title, found.version) == ("registry", "Tidy", "2.1")
    assert (found.cwd, found.start_time) == ("/repo", at(3))


def test_a_session_of_both_is_known_from_its_hooks() -> None:
    assert told(hook("Stop", 1), entry=RegistryEntry()).origin == "hook"


@pytest.mark.parametrize("odd", [b"", b"[]", b'{"cwd": 7}', b"[" * 5_000])
def test_an_odd_payload_tells_nothing(odd: bytes) -> None:
    event = HookEvent(event="Stop", event_type="stop", data=Raw(odd))

    assert told(event).cwd == ""
    assert whereabouts(odd) == ("", "")


def test_events_in_any_order_tell_the_same() -> None:
    events = [
        hook("SessionStart", 1, cwd="/r", model="opus"),
        hook("UserPromptSubmit", 2, cwd="/r", prompt="One"),
        hook("UserPromptSubmit", 3, cwd="/r", prompt="Two"),
        hook("Stop", 9),
    ]

    assert told(*reversed(events)) == told(*events)
    assert told(*events).goal == "One"


def test_only_what_was_submitted_is_a_prompt() -> None:
    assert told(hook("SessionStart", 1, prompt="not this")).goal == ""


def test_events_without_a_time_leave_it_open() -> None:
    assert told(HookEvent(event="Stop", event_type="stop")).start_time is None


BLANK = RowFacts(session_id="s1", lines=1, is_displayable=False)


def test_a_blank_transcript_is_shown_once_a_hook_has_heard_a_prompt() -> None:
    prompt = told(hook("UserPromptSubmit", 2, cwd="/r", prompt="One"))
    shown = with_hooks(BLANK, prompt, is_alive=False)

    assert (shown.origin, shown.title, shown.lines) == ("hook", "One", 1)
    assert shown.is_displayable
    assert with_hooks(BLANK, told(hook("SessionEnd", 2)), is_alive=False) == BLANK


def test_a_blank_transcript_is_shown_while_its_process_is_alive() -> None:
    shown = with_hooks(BLANK, told(), is_alive=True)

    assert (shown.origin, shown.is_displayable) == ("registry", True)


WHOLE = RowFacts(
    session_id="s1",
    project_id="-repo",
    title="It",
    lines=9,
    models=("a", "b"),
    files_modified=(),
    todos=(TodoItem("Go"),),
    cost_state=ClientCost(0.25, True),
    messages=7,
    state=TranscriptState("working", 1, 2, PendingTool("t1", "Bash"), False, ("t1",), True),
)


def test_the_agent_that_began_first_speaks_for_a_session_without_a_transcript() -> None:
    late = RowFacts(title="Late", start_time=9, end_time=20, models=("b",), files_modified=("x",))
    early = RowFacts(title="Early", start_time=5, end_time=7, models=("c", "a"), files_modified=())
    found = join_agents([structs.replace(late, is_displayable=False), early])

    assert (found.title, found.start_time, found.end_time) == ("Early", 5, 20)
    assert (found.models, found.files_modified) == (("a", "b", "c"), ("x",))
    assert found.is_displayable
    assert join_agents([found, late]) == join_agents([late, found]) == found


def kept(facts: RowFacts) -> SessionListing:
    return SessionListing(**structs.asdict(index_row(facts)))


def test_the_index_gives_back_what_it_was_given() -> None:
    assert stored_facts(kept(WHOLE)) == WHOLE


def test_what_has_a_column_is_not_packed_too() -> None:
    assert b"It" not in kept(WHOLE).facts
    assert kept(RowFacts(session_id="s1", title="It")).facts == b""


@pytest.mark.parametrize("packed", [b"\x81\xa1v\x63", b"\xff", b"\x81\xa1v\x01\x00", b"[" * 9])
def test_of_what_another_version_packed_nothing_is_known(packed: bytes) -> None:
    found = stored_facts(structs.replace(kept(WHOLE), facts=packed))

    assert (found.models, found.todos, found.state) == (None, None, TranscriptState())
    assert (found.title, found.lines) == ("It", 9)
