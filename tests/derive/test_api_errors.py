"""A session that a usage limit or an API error stopped."""

from datetime import datetime

import pytest

from tests.derive.hooked import at, hook
from tests.derive.status_reads import state_of
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.derive.status import status, with_reset
from unspool.model.document import Status
from unspool.model.hooks import HookEvent
from unspool.model.sidecars import RegistryEntry
from unspool.model.usage import Quota, QuotaWindow

START = "2026-07-20T09:00:00.000Z"
LIMIT = "You've hit your session limit · resets 4:20pm (America/Los_Angeles)"
RESET = "2026-07-20T23:20:00.000Z"


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


def stopped(text: str = LIMIT, error: str = "rate_limit") -> Transcript:
    return Transcript(start=START).user("go").synthetic(text, error=error)


def judge(made: Transcript, now: str, *hooks: HookEvent) -> Status:
    return status(state_of(made), hooks, None, None, ms(now))


def test_a_session_at_its_usage_limit_says_so_and_until_when() -> None:
    assert judge(stopped(), "2026-07-20T22:00:00Z") == Status(
        "limited", "2026-07-20T09:00:01.000Z", "transcript", RESET, LIMIT
    )


def test_once_the_limit_is_reset_it_waits_for_a_prompt_and_then_is_idle() -> None:
    assert judge(stopped(), "2026-07-20T23:20:00Z").state == "waiting_for_input"
    assert judge(stopped(), "2026-07-20T23:26:00Z").state == "idle"


def test_a_session_that_an_api_error_stopped_has_failed_with_what_it_said() -> None:
    made = stopped("API Error: 529 Overloaded", "overloaded")
    judged = judge(made, "2026-07-20T12:00:00Z")

    assert (judged.state, judged.error) == ("failed", "API Error: 529 Overloaded")
    assert judge(made, "2026-07-20T21:00:01Z").state == "idle", "nobody mends that any more"


@pytest.mark.parametrize("text", ["5-hour limit reached ∙ resets 3pm", "Weekly limit reached"])
def test_old_versions_name_no_kind_of_error_and_no_zone(text: str) -> None:
    made = stopped(text, error="")
    judged = judge(made, "2026-07-20T09:30:00Z")

    assert (judged.state, judged.until, judged.error) == ("limited", None, text)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("resets 6pm (UTC)", "2026-07-20T18:00:00.000Z"),
        ("resets 9am (UTC)", "2026-07-21T09:00:00.000Z"),
        ("resets 12am (Europe/Berlin)", "2026-07-20T22:00:00.000Z"),
        ("resets 12:30pm (Europe/Berlin)", "2026-07-20T10:30:00.000Z"),
        ("resets Jul 23 at 6pm (America/Los_Angeles)", "2026-07-24T01:00:00.000Z"),
        ("resets Jan 2, 9am (Asia/Tokyo)", "2027-01-02T00:00:00.000Z"),
        ("resets Feb 30 at 6pm (UTC)", None),
        ("resets 25pm (Nowhere/Land)", None),
        ("resets 3pm (../../etc/passwd)", None),
        ("resets 3pm", None),
    ],
)
def test_the_reset_is_the_next_time_that_fits_in_the_zone_it_names(
    text: str, until: str | None
) -> None:
    assert iso(state_of(stopped(f"You've hit your limit · {text}")).until) == until


def test_the_oldest_form_has_the_second_of_the_reset() -> None:
    made = stopped(f"Claude AI usage limit reached|{ms(RESET) // 1_000}", error="")

    assert judge(made, "2026-07-20T12:00:00Z").until == RESET


def test_no_sentence_has_a_bare_number_of_seconds() -> None:
    made = stopped(f"Claude AI usage limit reached|{ms(RESET) // 1_000}", error="")

    assert judge(made, "2026-07-20T12:00:00Z").error == "Claude AI usage limit reached"


def test_a_reset_that_no_sentence_names_is_that_of_the_quota() -> None:
    state = state_of(stopped("5-hour limit reached ∙ resets 3pm"))
    quota = [Quota(ms(START) - 1, QuotaWindow(100, ms("2026-07-20T13:00:00Z")))]
    known = with_reset(state, quota)

    judged = status(known, (), None, None, ms("2026-07-20T12:59:59Z"))
    assert (judged.state, judged.until) == ("limited", "2026-07-20T13:00:00.000Z")
    assert status(known, (), None, None, ms("2026-07-20T13:00:00Z")).state == "waiting_for_input"
    assert with_reset(state, []) == state


def test_a_reset_that_the_sentence_names_is_never_another() -> None:
    state = state_of(stopped())
    quota = [Quota(ms(START) - 1, QuotaWindow(100, ms("2026-07-20T13:00:00Z")))]

    assert with_reset(state, quota) is state


@pytest.mark.parametrize("follows", ["prompt", "answer"])
def test_what_follows_in_the_conversation_brings_it_back(follows: str) -> None:
    made = stopped()
    made.user("again") if follows == "prompt" else made.says("Done.", stop="end_turn")
    judged = judge(made, "2026-07-20T09:01:00Z")

    assert judged.state == ("working" if follows == "prompt" else "waiting_for_input")
    assert (judged.until, judged.error) == (None, "")


def test_the_note_on_how_long_the_turn_took_does_not() -> None:
    made = stopped().system("turn_duration", durationMs=5_000)

    assert judge(made, "2026-07-20T09:01:00Z").state == "limited"


def test_a_process_that_waits_and_a_hook_that_says_stop_leave_it_limited() -> None:
    now, state = ms("2026-07-20T12:00:00Z"), state_of(stopped())
    idle = RegistryEntry(status="idle")

    assert status(state, (), idle, True, now).state == "limited"
    assert status(state, (), idle, False, now).state == "ended"
    assert status(state, (), RegistryEntry(status="busy"), True, now).state == "working"


def test_a_hook_alone_can_say_that_it_failed() -> None:
    judged = status(state_of(Transcript()), [hook("StopFailure", 10)], None, None, at(20))

    assert judged.state == "failed"


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"error": "server_error", "last_assistant_message": "API Error:\n500"}, "API Error: 500"),
        ({"error": "server_error", "error_details": "500"}, "500"),
        ({"error": "server_error"}, "server_error"),
        ({"error": 7}, ""),
    ],
)
def test_then_the_hook_says_why(told: dict[str, object], error: str) -> None:
    events = [hook("StopFailure", 10, **told), hook("StopFailure", 12, **told)]
    judged = status(state_of(Transcript()), events, None, None, at(20))
    later = status(state_of(Transcript()), [*events, hook("Stop", 15)], None, None, at(20))

    assert (judged.state, judged.error) == ("failed", error)
    assert (later.state, later.error) == ("waiting_for_input", "")


def test_a_line_of_the_client_that_is_no_error_stops_nothing() -> None:
    made = Transcript(start=START).user("go").synthetic("No response requested.")

    assert judge(made, "2026-07-20T09:01:00Z").state == "waiting_for_input"
