"""Events that are handed in: what is taken, what it becomes, and that it stays."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.serve.served import INGEST, Served
from unspool.decode.hooks import hook_event
from unspool.engine.hooks.intake import EventIntake
from unspool.errors import EventTooLong, InvalidEvent, StoreFull
from unspool.model.files import TailState
from unspool.model.hooks import HookEvent
from unspool.model.live import EventReceipt
from unspool.source.hook import frame
from unspool.source.spool import read, spool_files

NOW = 1_767_261_600_250  # 2026-01-01T10:00:00.250Z


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def intake(tmp_path: Path, clock: Clock) -> EventIntake:
    return EventIntake(tmp_path / "spool", clock)


def take(intake: EventIntake, **event: Any) -> EventReceipt:
    return intake.take(json.dumps(event).encode())


def told(intake: EventIntake, event: str, **data: Any) -> EventReceipt:
    return take(intake, hook_event_name=event, session_id="s1", **data)


def spooled(place: Path) -> list[HookEvent]:
    """What whoever reads the spool finds there."""
    found = []
    for file in spool_files(place / "spool"):
        for one in read(file.path, TailState()).events:
            event = hook_event(one.payload)
            assert event is not None
            found.append(event)
    return found


def test_what_a_hook_was_told_is_taken_as_it_is(intake: EventIntake, tmp_path: Path) -> None:
    taken = told(intake, "PreToolUse", tool_name="Bash", tool_use_id="t1", tool_input={"a": [1]})
    (event,) = spooled(tmp_path)

    assert (taken.type, taken.tool_name) == ("pre_tool_use", "Bash")
    assert taken.timestamp == "2026-01-01T10:00:00.250Z"
    assert (event.session_id, event.tool_use_id) == ("s1", "t1")
    assert json.loads(bytes(event.data))["tool_input"] == {"a": [1]}


def test_an_event_in_an_envelope_is_taken_too(intake: EventIntake, tmp_path: Path) -> None:
    taken = take(
        intake,
        type="UserPromptSubmit",
        sessionId="s2",
        timestamp="2025-12-31T08:00:00.125Z",
        uuid="my-own",
        data={"prompt": "hello"},
    )
    (event,) = spooled(tmp_path)

    assert (taken.type, taken.session_id, taken.uuid) == ("user_prompt_submit", "s2", "my-own")
    assert event.timestamp == taken.timestamp == "2025-12-31T08:00:00.125Z"
    assert (event.uuid, json.loads(bytes(event.data))["prompt"]) == ("my-own", "hello")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.250Z"),
        ("2026-01-01T09:59:58Z", "2026-01-01T09:59:58.000Z"),
        ("2026-01-01T10:00:00.5Z", "2026-01-01T10:00:00.500Z"),
        ("2026-01-01T11:00:00.125+01:00", "2026-01-01T10:00:00.125Z"),
    ],
)
def test_a_time_has_milliseconds(intake: EventIntake, given: str, kept: str) -> None:
    assert take(intake, type="Stop", sessionId="s", timestamp=given).timestamp == kept


@pytest.mark.parametrize(
    "event",
    [
        {"sessionId": "s", "timestamp": "2026-01-01T10:00:00Z"},
        {"type": "Stop", "timestamp": "2026-01-01T10:00:00Z"},
        {"type": "Stop", "sessionId": "s"},
        {"type": "Stop", "sessionId": "s", "timestamp": "yesterday"},
        {"type": "", "sessionId": "s", "timestamp": "2026-01-01T10:00:00Z"},
        {"type": "a b", "sessionId": "s", "timestamp": "2026-01-01T10:00:00Z"},
        {"type": "Stop", "sessionId": "../s", "timestamp": "2026-01-01T10:00:00Z"},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "Stop", "session_id": 7},
    ],
)
def test_what_lacks_type_session_or_time_is_refused(
    intake: EventIntake, tmp_path: Path, event: dict[str, Any]
) -> None:
    with pytest.raises(InvalidEvent):
        take(intake, **event)

    assert not (tmp_path / "spool").exists()


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"[]", b"null", b"7", b"[" * 10_000, b"\xff\xfe"]
)
def test_what_is_no_event_is_refused(intake: EventIntake, body: bytes) -> None:
    with pytest.raises(InvalidEvent):
        intake.take(body)


def test_an_event_sent_again_is_taken_once(
    intake: EventIntake, tmp_path: Path, clock: Clock
) -> None:
    event = {"type": "Stop", "sessionId": "s", "timestamp": "2026-01-01T10:00:00.000Z"}
    first = take(intake, **event)
    clock.now += 60_000
    second = take(intake, **event)

    assert (first.uuid, first.duplicate, second.duplicate) == (second.uuid, False, True)
    assert len(spooled(tmp_path)) == 1


def test_its_name_is_the_same_after_a_restart(tmp_path: Path, clock: Clock) -> None:
    event = {"type": "Stop", "sessionId": "s", "timestamp": "2026-01-01T10:00:00.000Z"}
    names = {take(EventIntake(tmp_path / place, clock), **event).uuid for place in "ab"}

    assert len(names) == 1


def test_the_same_words_later_on_are_another_event(
    intake: EventIntake, tmp_path: Path, clock: Clock
) -> None:
    told(intake, "Notification", message="waiting")
    clock.now += 10_000
    told(intake, "Notification", message="waiting")

    assert len(spooled(tmp_path)) == 2


def test_what_was_sent_is_kept_to_the_byte(intake: EventIntake, tmp_path: Path) -> None:
    sent = [
        b'{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_use_id": "t1"}',
        b'{ "hook_event_name":"PostToolUse", "session_id":"s1", "tool_use_id":"t1", "odd": [ ] }',
        b'{"type":"Stop","sessionId":"s","timestamp":"2026-01-01T10:00:00Z","data":[1,2]}',
    ]
    for body in sent:
        intake.take(body)
    (file,) = spool_files(tmp_path / "spool")

    # Byte for byte what the command that Claude Code runs would have left.
    assert Path(file.path).read_bytes() == b"".join(frame(b, NOW, len(b)) for b in sent)


def test_the_answer_says_what_the_event_says(intake: EventIntake, clock: Clock) -> None:
    told(intake, "PreToolUse", tool_name="Bash", tool_use_id="t1")
    clock.now += 1_500
    call = {"tool_name": "Bash", "tool_use_id": "t1", "agent_id": "a"}
    taken = told(intake, "PostToolUse", duration_ms=7, **call)

    assert (taken.subagent_id, taken.duration_ms) == ("a", 7)


def test_what_was_sent_within_a_few_seconds_is_the_same(
    intake: EventIntake, tmp_path: Path, clock: Clock
) -> None:
    taken = []
    for _ in range(3):
        taken.append(told(intake, "Notification", message="waiting"))
        clock.now += 4_000

    assert [one.duplicate for one in taken] == [False, True, True]
    assert {one.timestamp for one in taken} == {"2026-01-01T10:00:00.250Z"}
    assert (len({one.uuid for one in taken}), len(spooled(tmp_path))) == (1, 1)


def test_what_would_not_fit_whole_is_refused(intake: EventIntake, tmp_path: Path) -> None:
    with pytest.raises(EventTooLong):
        told(intake, "Stop", last_assistant_message="x" * 8 * 1024 * 1024)

    assert not spooled(tmp_path)


def test_what_could_not_be_written_may_be_sent_again(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "spool").write_text("in the way")
    intake = EventIntake(tmp_path / "spool", clock)
    with pytest.raises(StoreFull):
        told(intake, "Stop")
    (tmp_path / "spool").unlink()

    assert not told(intake, "Stop").duplicate
    assert len(spooled(tmp_path)) == 1


def test_sixteen_at_once_lose_nothing(intake: EventIntake, tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as posters:
        list(posters.map(lambda n: told(intake, "Notification", message=f"number {n}"), range(320)))

    said = {json.loads(bytes(event.data))["message"] for event in spooled(tmp_path)}
    assert said == {f"number {n}" for n in range(320)}


def test_the_ingest_token_is_enough(site: Served) -> None:
    body = '{"hook_event_name": "Stop", "session_id": "s"}'
    headers = {"authorization": f"Bearer {INGEST}"}
    answer = site.ask("/api/events", "POST", content=body, headers=headers)

    assert answer.status_code == 201
    assert answer.json()["type"] == "stop"
    assert site.ask("/api/sessions", headers=headers).status_code == 401


def test_a_bad_event_is_a_bad_request(site: Served) -> None:
    assert site.ask("/api/events", "POST", content="nonsense").status_code == 400


def test_more_than_eight_mebibytes_are_too_much(site: Served) -> None:
    assert site.ask("/api/events", "POST", content=b"x" * 8_400_000).status_code == 413
