"""What is known of a session before it has a transcript."""

import pytest
from msgspec import Raw

from tests.derive.hooked import at, hook
from unspool.derive.board_heard import Heard, heard_info, moment, whereabouts
from unspool.derive.reading.clock import iso
from unspool.model.document import SessionInfo
from unspool.model.hooks import HookEvent
from unspool.model.sidecars import RegistryEntry


def info(*events: HookEvent, entry: RegistryEntry | None = None) -> SessionInfo:
    heard = Heard()
    for event in events:
        heard.feed(event)
    return heard_info("s1", "-repo", heard, entry)


def test_hooks_tell_where_and_what_for_and_since_when() -> None:
    found = info(
        hook("SessionStart", 1, cwd="/home/me/repo", model="opus"),
        hook("UserPromptSubmit", 2, cwd="/home/me/repo", prompt=" Build it "),
        hook("Stop", 9),
    )

    assert (found.project_path, found.project_name) == ("/home/me/repo", "repo")
    assert (found.goal, found.title, found.model) == ("Build it", "Build it", "opus")
    assert (found.start_time, found.end_time) == (iso(at(1)), iso(at(9)))


def test_the_first_prompt_is_the_goal() -> None:
    one, two = (hook("UserPromptSubmit", n, cwd="/r", prompt=str(n) * 300) for n in (1, 2))

    assert info(one, two).goal == "1" * 200


def test_the_registry_tells_as_much_where_no_hook_does() -> None:
    entry = RegistryEntry(cwd="/repo", name="Tidy", version="2.1", started_at=at(3))
    found = info(entry=entry)

    assert (found.origin, found.title, found.version) == ("registry", "Tidy", "2.1")
    assert (found.project_path, found.start_time) == ("/repo", iso(at(3)))


def test_a_session_of_both_is_known_from_its_hooks() -> None:
    assert info(hook("Stop", 1), entry=RegistryEntry()).origin == "hook"


@pytest.mark.parametrize("odd", [b"", b"[]", b'{"cwd": 7}', b"[" * 5_000])
def test_an_odd_payload_tells_nothing(odd: bytes) -> None:
    event = HookEvent(event="Stop", event_type="stop", data=Raw(odd))

    assert info(event).project_path == ""
    assert whereabouts(odd) == ("", "")


@pytest.mark.parametrize("odd", [None, -1.0, 9e18, float("nan")])
def test_a_time_that_cannot_be_is_none(odd: float | None) -> None:
    assert moment(odd) is None
