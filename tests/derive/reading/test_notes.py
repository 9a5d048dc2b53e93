"""What the client noted: every subtype is read, few are shown."""

from typing import Any

import pytest
from msgspec import Raw

from tests.derive.reads import last_of, messages_of
from unspool.demo import Transcript
from unspool.derive.reading.notes import error_text, plain, value
from unspool.model.message import Message, Piece

SILENT = (
    "turn_duration stop_hook_summary compact_boundary microcompact_boundary away_summary "
    "informational bridge_status scheduled_task_fire init some_new_subtype"
).split()
TOLD = (
    "api_error error permission_denied permission_granted model_refusal_fallback "
    "model_refusal_no_fallback model_fallback model_consent_fallback agents_killed"
).split()
WRONG = "api_error error permission_denied model_refusal_fallback model_refusal_no_fallback".split()


def noted(subtype: Any, **fields: Any) -> Message:
    return last_of(Transcript().system(subtype, **fields))


# devtools 26
@pytest.mark.parametrize("subtype", SILENT)
def test_what_is_only_noted_is_noise_and_keeps_its_text(subtype: str) -> None:
    message = noted(subtype, content="so it was")

    assert (message.category, message.subtype) == ("noise", subtype)
    assert message.head == "so it was"


@pytest.mark.parametrize("subtype", TOLD)
def test_what_a_reader_should_know_is_a_notice(subtype: str) -> None:
    message = noted(subtype, content="so it was")

    assert (message.category, message.voice, message.head) == ("ai", "notice", "so it was")
    assert message.pieces == (Piece(0, "notice", 3, name=subtype, is_error=subtype in WRONG),)


@pytest.mark.parametrize("subtype", TOLD)
def test_a_notice_without_text_is_named(subtype: str) -> None:
    assert noted(subtype).head[0].isupper()


def test_a_system_line_without_a_uuid_is_no_message() -> None:
    assert messages_of(Transcript().system("api_error", uuid=None)) == []


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"error": {"message": "Overloaded"}}, "Overloaded"),
        (
            {"error": {"error": {"message": "Overloaded"}}, "retryAttempt": 2},
            "Overloaded (retry 2)",
        ),
        ({"error": {}, "retryAttempt": 1, "maxRetries": 10}, "API error (retry 1 of 10)"),
        ({"error": {"cause": {"code": "ConnectionRefused"}}}, "ConnectionRefused"),
        ({"error": "x" * 999}, "x" * 500),
    ],
)
def test_an_api_error_says_what_happened_and_which_retry_it_was(fields: Any, told: str) -> None:
    assert noted("api_error", **fields).head == told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"originalModel": "a", "fallbackModel": "b", "content": "Switched."}, "a → b. Switched."),
        ({"fallbackModel": "b"}, "The model → b."),
    ],
)
def test_a_fallback_names_both_models(fields: Any, told: str) -> None:
    assert noted("model_refusal_fallback", **fields).head == told


@pytest.mark.parametrize(
    ("content", "place", "head"),
    [
        ("<command-name>/cost</command-name>", ("user", "command"), "/cost"),
        ("<local-command-stdout>3 $</local-command-stdout>", ("system", "stdout"), "3 $"),
        ("<local-command-stderr>no</local-command-stderr>", ("system", "stderr"), "no"),
        ("<local-command-stdout></local-command-stdout>", ("noise", "reminder"), ""),
        ("Set model to opus", ("system", "stdout"), "Set model to opus"),
    ],
)
def test_a_local_command_is_placed_by_its_text(
    content: str, place: tuple[str, str], head: str
) -> None:
    message = noted("local_command", content=content)

    assert (message.category, message.voice) == place
    assert message.head == head


def test_a_local_command_weighs_what_was_typed() -> None:
    message = noted("local_command", content="<command-name>/add @src/a.ts</command-name>")

    assert (message.text_tokens, message.pieces) == (4, (Piece(0, "text", 4),))
    assert message.mentions == ("src/a.ts",)


@pytest.mark.parametrize(
    ("fields", "failed", "spent"),
    [
        ({"hookInfos": [{"command": "a", "durationMs": 3}, {"durationMs": 4}]}, False, 7),
        ({"hookInfos": [{"command": "a"}], "hookErrors": ["no"]}, True, 0),
        ({"hookErrors": []}, False, None),
    ],
)
def test_the_hooks_of_a_stop_are_summed_up(fields: Any, failed: bool, spent: int | None) -> None:
    message = noted("stop_hook_summary", toolUseID="t1", **fields)

    assert (message.category, message.voice) == ("noise", "hook")
    assert message.pieces == (Piece(0, "hook", 0, "t1", "Stop", failed, duration_ms=spent),)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"hookErrors": ["tests fail"]}, "tests fail"),
        (
            {"hookErrors": ["a", {"message": "b"}], "hookInfos": [{"command": "x.sh"}]},
            "a\nb\n(x.sh)",
        ),
        ({"preventedContinuation": True, "stopReason": "budget spent"}, "budget spent"),
        ({"hookErrors": [], "hookInfos": [{"command": "x.sh"}]}, ""),
        ({"hookErrors": [7]}, "7"),
    ],
)
def test_a_failed_stop_hook_says_what_went_wrong(fields: Any, told: str) -> None:
    assert noted("stop_hook_summary", **fields).head == told


@pytest.mark.parametrize(("id", "voice"), [("t1", "hook"), (None, "")])
def test_an_old_message_of_a_hook_has_no_subtype(id: str | None, voice: str) -> None:
    message = noted(None, content="Running hook", toolUseID=id)

    assert (message.category, message.voice, message.head) == ("noise", voice, "Running hook")


def test_a_turn_says_how_long_it_took() -> None:
    assert noted("turn_duration", durationMs=700, isMeta=True).duration_ms == 700


# format 7
def test_a_compaction_says_where_it_continues_and_what_it_dropped() -> None:
    boundary = messages_of(Transcript().user("go").compacts("manual", pre=900, post=80))[1]

    assert (boundary.parent_uuid, boundary.logical_parent_uuid) == ("", "u1")
    assert boundary.compaction == ("manual", 900, 80)


def test_an_old_compaction_may_say_little() -> None:
    assert noted("compact_boundary", compactMetadata={}).compaction == ("", None, None)


def test_a_copied_note_says_where_it_came_from() -> None:
    message = noted("informational", forkedFrom={"sessionId": "s0"})

    assert message.forked_from == ("s0", "")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"a"', "a"),
        (b'[{"type":"text","text":"a"},{"type":"image"},"b",7]', "a\nb"),
        (b"null", ""),
        (b"7", ""),
        (b'"\\ud800"', '"\\ud800"'),
    ],
)
def test_text_is_a_string_or_a_list_of_them(raw: bytes, text: str) -> None:
    assert plain(Raw(raw)) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"no"', "no"),
        (b'{"error":{"error":{"error":{"message":"deep"}}}}', "deep"),
        (b'{"status":529}', '{"status":529}'),
        (b'{"other":1}', ""),
        (b"null", ""),
    ],
)
def test_an_error_is_a_sentence_somewhere_inside(raw: bytes, text: str) -> None:
    assert error_text(Raw(raw)) == text


def test_a_value_nested_beyond_reason_is_its_own_text() -> None:
    assert value(Raw(b"[" * 9999 + b"]" * 9999)) == "[" * 9999 + "]" * 9999
