"""Every attachment is read: prompts are prompts, hooks are hooks, the rest is weighed."""

from typing import Any

import pytest

from tests.derive.reads import entries_of, last_of, messages_of
from unspool.demo import Transcript
from unspool.derive.reading.attachments import shown
from unspool.derive.reading.estimate import IMAGE_TOKENS
from unspool.model.message import Message, Piece
from unspool.model.transcript import Attachment

HOOKS = (
    "hook_success hook_non_blocking_error hook_blocking_error hook_cancelled "
    "hook_additional_context hook_system_message hook_stopped_continuation async_hook_response"
).split()
INJECTED = (
    "task_status task_reminder todo_reminder goal_status team_context "
    "file directory already_read_file edited_text_file compact_file_reference plan_file_reference "
    "nested_memory instructions diagnostics opened_file_in_ide selected_lines_in_ide "
    "read_truncation_notice plan_mode plan_mode_exit plan_mode_reentry auto_mode auto_mode_exit "
    "output_style command_permissions ultra_effort_enter ultra_effort_exit skill_listing "
    "invoked_skills dynamic_skill deferred_tools_delta deferred_tools_record "
    "mcp_instructions_delta agent_listing_delta environment model date date_change "
    "session_context prompt_snapshot total_tokens_reminder structured_output "
    "remote_session_change silent_turn_reminder bash_output_audience_note batching_reminder_sent "
    "workflow_keyword_request workflow_size_guideline_change companion_intro"
).split()
IMAGE = {"type": "image", "source": {"type": "base64", "data": "aaaa"}}
TASK = "<task-notification><task-id>a1</task-id><summary>Done</summary></task-notification>"


def attached(kind: str, **fields: Any) -> Message:
    return last_of(Transcript().attachment(kind, **fields))


def weight(kind: str, **fields: Any) -> int:
    return attached(kind, **fields).pieces[0].tokens


@pytest.mark.parametrize("kind", INJECTED)
def test_what_was_put_into_the_context_is_noise_of_a_known_weight(kind: str) -> None:
    message = attached(kind, content="four and four are", displayPath="a.md")

    assert (message.category, message.voice, message.subtype) == ("noise", "injected", kind)
    assert message.pieces == (Piece(0, "other", 5, name=kind, path="a.md"),)


# format 13
def test_an_attachment_of_a_new_kind_is_something_injected() -> None:
    assert (attached("hologram").voice, weight("hologram", text="four")) == ("injected", 1)


@pytest.mark.parametrize("kind", INJECTED)
def test_what_says_nothing_weighs_nothing(kind: str) -> None:
    assert weight(kind, itemCount=7) == 0


@pytest.mark.parametrize(
    ("kind", "fields", "tokens"),
    [
        ("model", {"text": "a" * 8, "identity": {"modelId": "opus"}}, 2),
        ("edited_text_file", {"snippet": "a" * 8}, 2),
        ("nested_memory", {"content": {"path": "/a", "content": "a" * 8, "rawContent": "b"}}, 2),
        ("file", {"content": {"type": "text", "file": {"filePath": "/a", "content": "aaaa"}}}, 1),
        ("file", {"content": {"type": "image", "file": {"base64": "a" * 999}}}, IMAGE_TOKENS),
        ("file", {"content": {"file": {"base64": "a" * 999}}}, IMAGE_TOKENS),
        ("invoked_skills", {"skills": [{"name": "pdf", "content": "a" * 8}]}, 2),
        ("plan_file_reference", {"planContent": "a" * 8}, 2),
        ("deferred_tools_delta", {"addedNames": ["Cron"], "addedLines": ["aaa", "bbbb"]}, 2),
        ("mcp_instructions_delta", {"addedBlocks": ["a" * 8]}, 2),
        ("diagnostics", {"files": [{"uri": "/a", "diagnostics": [{"message": "no"}]}]}, 2),
        ("task_reminder", {"content": []}, 0),
        ("date", {"content": None, "text": None}, 0),
    ],
)
def test_an_attachment_weighs_what_the_model_was_shown(kind: str, fields: Any, tokens: int) -> None:
    assert weight(kind, **fields) == tokens


@pytest.mark.parametrize(
    ("rendered", "tokens"),
    [
        ([{"content": "<system-reminder>..."}], 5),
        ([{"content": [{"type": "text", "text": "four"}, IMAGE]}], 1 + IMAGE_TOKENS),
        ([], 0),
        (None, 25),
    ],
)
def test_how_it_was_rendered_is_what_the_model_was_shown(rendered: Any, tokens: int) -> None:
    (line,) = Transcript().attachment("model", text="x" * 100).dicts()
    made = Transcript().entry("attachment", **{**line, "rendered": rendered, "type": "attachment"})

    assert last_of(made).pieces[0].tokens == tokens


def test_however_deep_a_text_lies_it_is_shown() -> None:
    deep: Any = "four"
    for _ in range(90):  # a line may have 200 levels in all
        deep = {"unknown": [deep]}

    assert weight("file", content=deep) == 1


@pytest.mark.parametrize("kind", HOOKS)
def test_a_hooks_run_is_a_hook_and_never_a_prompt(kind: str) -> None:
    message = attached(kind, hookName="PreToolUse:Bash", toolUseID="t1", stdout="four")

    assert (message.category, message.voice, message.head) == ("noise", "hook", "four")
    assert (message.pieces[0].kind, message.pieces[0].id) == ("hook", "t1")
    assert (message.pieces[0].name, message.pieces[0].flag) == ("PreToolUse:Bash", kind)


@pytest.mark.parametrize(
    ("kind", "fields", "failed"),
    [
        ("hook_success", {"exitCode": 0}, False),
        ("hook_success", {"exitCode": 2}, True),
        ("hook_blocking_error", {}, True),
        ("hook_non_blocking_error", {}, True),
    ],
)
def test_a_hook_that_failed_is_an_error(kind: str, fields: Any, failed: bool) -> None:
    assert attached(kind, **fields).pieces[0].is_error is failed


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"stderr": "no", "stdout": "yes"}, "no"),
        ({"stdout": "yes", "content": "x"}, "yes"),
        ({"content": ["one", "two"]}, "one\ntwo"),
        ({"blockingError": {"error": "stop"}}, "stop"),
        ({}, ""),
    ],
)
def test_a_hook_says_what_it_printed(fields: Any, told: str) -> None:
    assert attached("hook_additional_context", **fields).head == told


@pytest.mark.parametrize(("given", "kept"), [(12.7, 12), (None, None), (-1, None), (1e300, None)])
def test_a_hook_says_how_long_it_ran(given: float | None, kept: int | None) -> None:
    assert attached("hook_success", durationMs=given).pieces[0].duration_ms == kept


@pytest.mark.parametrize(
    ("fields", "name"), [({"hookEvent": "Stop"}, "Stop"), ({}, "hook_success")]
)
def test_a_hook_without_a_name_goes_by_its_event(fields: Any, name: str) -> None:
    assert attached("hook_success", **fields).pieces[0].name == name


def test_whatever_carries_a_hooks_event_is_a_hook() -> None:
    assert attached("novelty", hookEvent="Stop").voice == "hook"


@pytest.mark.parametrize("prompt", ["and @src/a.ts", [{"type": "text", "text": "and @src/a.ts"}]])
def test_a_prompt_typed_while_the_model_worked_is_a_prompt(prompt: Any) -> None:
    message = attached("queued_command", prompt=prompt, commandMode="prompt")

    assert (message.category, message.voice, message.head) == ("user", "prompt", "and @src/a.ts")
    assert (message.text_tokens, message.mentions) == (4, ("src/a.ts",))
    assert message.pieces == (Piece(0, "text", 4),)


def test_an_image_pasted_while_the_model_worked_is_a_prompt() -> None:
    message = attached("queued_command", prompt=[IMAGE])

    assert (message.category, message.voice) == ("user", "prompt")
    assert message.pieces == (Piece(0, "image", IMAGE_TOKENS),)


@pytest.mark.parametrize(
    ("prompt", "fields"),
    [
        (TASK, {}),
        ("Done", {"origin": {"kind": "task-notification"}}),
        ("Done", {"commandMode": "task-notification"}),
    ],
)
def test_a_queued_report_is_no_prompt(prompt: str, fields: Any) -> None:
    message = attached("queued_command", prompt=prompt, **fields)

    assert (message.category, message.voice, message.head) == ("ai", "notification", "Done")


def test_a_queued_report_names_its_agent() -> None:
    assert [one.agent_id for one in attached("queued_command", prompt=TASK).reports] == ["a1"]


def test_a_queued_prompt_that_says_nothing_is_noise() -> None:
    assert attached("queued_command", prompt=None).category == "noise"


@pytest.mark.parametrize("fields", [{"uuid": None}, {"attachment": None}])
def test_an_attachment_without_uuid_or_body_is_no_message(fields: Any) -> None:
    line = Transcript().attachment("file").dicts()[0] | fields
    line.pop("type")

    assert messages_of(Transcript().entry("attachment", **line)) == []


def test_an_attachment_without_a_body_shows_nothing() -> None:
    assert shown(Attachment(uuid="u1")) == ("", 0)


@pytest.mark.parametrize("kind", ["file", "hook_success", "queued_command"])
def test_a_copied_attachment_says_where_it_came_from(kind: str) -> None:
    line = Transcript().attachment(kind, prompt="x").dicts()[0] | {
        "forkedFrom": {"messageUuid": "u0"}
    }
    line.pop("type")

    assert last_of(Transcript().entry("attachment", **line)).forked_from == ("", "u0")


def test_a_text_of_an_attachment_is_shown_whole() -> None:
    ((entry,),) = entries_of(Transcript().attachment("file", content="a" * 999))

    assert isinstance(entry, Attachment)
    assert shown(entry) == ("a" * 999, 0)


@pytest.mark.parametrize(
    "fields", [{"path": "/a/CLAUDE.md"}, {"content": {"path": "/a/CLAUDE.md"}}]
)
def test_nested_memory_names_its_file(fields: Any) -> None:
    made = attached("nested_memory", displayPath="a", **fields)

    assert made.pieces[0].path == "/a/CLAUDE.md"
