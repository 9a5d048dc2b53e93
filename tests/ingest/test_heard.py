from msgspec import Raw

from unspool.ingest.heard import Heard, Where, where
from unspool.model.hooks import HookEvent

NAME = ("-repo", "s1")


def event(type: str = "pre_tool_use") -> HookEvent:
    return HookEvent(event=type, event_type=type)


def test_a_payload_may_say_anything() -> None:
    assert where(Raw(b'{"cwd": 5, "prompt": "go"}')) == Where(prompt="go")
    assert where(Raw(b"[1]")) == Where()


def test_the_first_prompt_is_the_goal() -> None:
    heard = Heard()
    heard.feed(NAME, event("session_start"), 1, Where(prompt="not this"))
    heard.feed(NAME, event("user_prompt_submit"), 2, Where(prompt="fix " * 100))
    heard.feed(NAME, event("user_prompt_submit"), 3, Where(prompt="then"))
    (row,) = heard.news()

    assert (row.goal[:7], len(row.goal)) == ("fix fix", 200)


def test_events_without_a_time_leave_it_open() -> None:
    heard = Heard()
    heard.feed(NAME, event(), None, Where())

    assert heard.news()[0].start_time is None


def test_a_session_goes_on_after_its_end() -> None:
    heard = Heard()
    heard.feed(NAME, event("session_end"), 5, Where())
    ended = heard.news()[0].status
    heard.feed(NAME, event("session_start"), 3, Where())

    assert (ended, heard.news()[0].status) == ("ended", "idle")
