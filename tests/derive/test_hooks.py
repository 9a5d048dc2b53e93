"""Which hook events are one, when each happened, and what comes late."""

import json
from typing import Any

import pytest
from msgspec import Raw

from tests.derive.test_timeline import note
from tests.derive.timeline_oracle import group_rows
from unspool.derive.hook_groups import HookGroups
from unspool.derive.hooks import (
    HookLog,
    distinct_events,
    event_key,
    with_time,
)
from unspool.derive.reading.clock import iso, millis
from unspool.model.hooks import HookEvent
from unspool.model.rows import HookRow

NOW = 1_767_261_600_250  # 2026-01-01T10:00:00.250Z


def event(type: str, seconds: float = 0, **data: Any) -> HookEvent:
    named = {name: data.get(name, "") for name in ("tool_use_id", "tool_name", "agent_id", "uuid")}
    at = iso(NOW + int(seconds * 1_000)) or ""
    told = Raw(json.dumps(data).encode())
    return HookEvent(event=type, event_type=type, timestamp=at, data=told, **named)


def row(type: str, seconds: float, line: int, **data: Any) -> HookRow:
    made = event(type, seconds, **data)
    at = millis(made.timestamp)
    key = event_key(made)
    return HookRow(str(line), at, type, "", "", "", "", "", "", None, "hook", line, key=key)


def count(*events: HookEvent) -> int:
    return len(distinct_events(events))


def test_a_uuid_of_its_own_names_an_event() -> None:
    assert count(event("stop", uuid="u1"), event("stop", 60, uuid="u1", more=1)) == 1
    assert count(event("stop", uuid="u1"), event("stop", uuid="u2")) == 2


def test_a_call_names_an_event_of_each_kind_once() -> None:
    pre, post = (event(type, tool_use_id="t1") for type in ("pre_tool_use", "post_tool_use"))

    assert count(pre, event("pre_tool_use", 60, tool_use_id="t1", tool_input={}), post) == 2


def test_the_same_words_are_one_event_only_within_five_seconds() -> None:
    assert count(event("notification", 0, message="a"), event("notification", 5, message="a")) == 1
    assert count(event("notification", 0, message="a"), event("notification", 6, message="a")) == 2
    assert count(event("notification", 0, message="a"), event("notification", 0, message="b")) == 2


@pytest.mark.parametrize("around", ["session_id", "transcript_path", "cwd", "permission_mode"])
def test_what_a_logger_leaves_out_about_the_session_changes_nothing(around: str) -> None:
    more: dict[str, Any] = {"b": 2, "a": 1, around: "x"}

    assert event_key(event("stop", a=1, b=2)) == event_key(event("stop", 0, **more))


def test_what_is_no_json_has_a_key_too() -> None:
    odd = [HookEvent(event="Stop", event_type="stop", data=Raw(data)) for data in (b"{", b"[1]")]

    assert len({event_key(one) for one in odd}) == 2


def test_events_come_oldest_first() -> None:
    found = distinct_events([event("stop", 9), event("session_start", 1)])

    assert [one.event for one in found] == ["session_start", "stop"]


def test_records_of_one_event_are_one_group() -> None:
    told = [row("stop", 3, 1), row("stop", 0, 2), row("stop", 60, 3), row("stop", 7, 4)]
    groups = HookGroups()
    for one in told:
        groups.add([note(one)])
    found = [[one.line_id for one in group.notes] for group in groups.groups]

    assert found == [[one.line_id for one in group] for group in group_rows(told)]
    assert found == [[2, 1, 4], [3]]


@pytest.mark.parametrize(
    ("own", "time"),
    [
        ("", "2026-01-01T10:00:00.250Z"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.250Z"),
        ("2026-01-01T09:59:58Z", "2026-01-01T09:59:58.000Z"),
        ("2026-01-01T10:00:00.000Z", "2026-01-01T10:00:00.000Z"),
    ],
)
def test_an_event_has_its_own_time_or_else_that_of_its_arrival(own: str, time: str) -> None:
    assert with_time(HookEvent(event="Stop", timestamp=own), NOW).timestamp == time


def logged(*events: HookEvent) -> HookLog:
    log = HookLog()
    for one in events:
        log.add(one)
    return log


def test_an_event_that_comes_late_is_put_where_it_belongs() -> None:
    asks = event("permission_request", 20, tool_name="Bash")
    log = logged(event("session_start", 1), asks, event("session_end", 5))

    assert (log.fold.state.asks, log.fold.state.state) == (True, "ended")
    assert (log.heard.first, log.heard.last) == (NOW + 1_000, NOW + 20_000)


def test_events_in_any_order_leave_the_same() -> None:
    told = [event("user_prompt_submit", n, prompt=f"number {n}") for n in range(200)]
    told.append(event("session_end", 200))
    late = [*told[:150], *told[160:], *told[150:160]]

    assert logged(*late).fold.state == logged(*told).fold.state
    assert logged(*late).heard.prompt == "number 0"


def test_an_event_that_two_loggers_record_is_heard_once() -> None:
    asks = [event("permission_request", n, tool_name="Bash", n=1) for n in (20, 20.2)]
    log = logged(asks[1], asks[0], event("post_tool_use", 30, tool_name="Bash"))

    assert not log.fold.state.asks
