from typing import Any

import pytest
from msgspec import structs

from tests.show.html.sample_sessions import READER, seen, waiting
from tests.show.made import call, document
from unspool.model.document import SessionLink, SessionLinks, ToolHook
from unspool.show.html import call_items
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.step_types import CallItem, RelatedSession


def row(name: str = "Bash", result: Any = "", **more: Any) -> CallItem:
    return call_items.call_item(call(name, result, **more), seen())


def test_a_call_is_one_line() -> None:
    made = row(result="ok", command="pytest -q")

    assert (made.tool, made.what, made.took) == ("Bash", "pytest -q", "4.2 s")


def test_a_failure_is_open_and_red() -> None:
    made = row(result="Exit code 1\nboom", state="error", command="x")

    assert (made.is_open, made.is_bad, made.out, made.mark) == (True, True, "exit 1", "fail")


def test_a_call_that_went_well_is_folded() -> None:
    assert not row(result="fine").is_open


def test_a_long_answer_is_fetched_when_it_is_asked_for() -> None:
    made = row(result=f"{'x' * 200}\n" * 1_000)

    assert made.details == ()
    assert made.has_more


def test_a_long_failure_is_shown_at_both_ends() -> None:
    made = row(result="x\n" * 1_000, state="error")

    assert made.details
    assert made.has_more


def test_an_export_has_all_of_it() -> None:
    whole = render_context(document(), ReaderOptions(now=0, is_whole=True))
    made = call_items.call_item(call("Bash", "line\n" * 9_000), whole)

    assert made.details
    assert not made.has_more


def test_a_running_call_says_so() -> None:
    assert (row(state="running").out, row(state="running").state) == ("running", "run")


def test_a_call_without_a_result_says_so() -> None:
    assert row(state="no_result").out == "no result"


def test_a_call_leads_to_the_line_of_its_result() -> None:
    one = structs.replace(call(), line=3, result_line=5)

    assert call_items.call_item(one, seen()).line == 5


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        (ToolHook("deny", None, (), "hook"), "denied by a hook"),
        (ToolHook("allow", 12_000, (), "user"), "allowed by you after 12 s"),
        (ToolHook("allow", 300, (), "rule"), ""),
        (ToolHook(), ""),
    ],
)
def test_a_decision_worth_a_line_is_told(hook: ToolHook, told: str) -> None:
    assert call_items.decision_note(structs.replace(call(), hook=hook)) == told


def test_a_call_that_waits_is_shown_word_for_word() -> None:
    made = render_context(waiting(), READER)
    asked = call_items.approval_item(made.calls["now"], made)

    assert asked.what == "rm -rf build"
    assert asked.waits == "Waiting for your approval, requested 1 h ago"
    assert "hook" in asked.proof


def test_calls_that_only_looked_are_one_line() -> None:
    files = [call("Read", "x", id=f"r{n}", file_path=f"src/{n}.py") for n in range(3)]
    made = call_items.call_group([*files, call("Grep", "x", id="g", pattern="tenant")], seen())

    assert (made.tool, made.what) == ("Read", "3 files · Grep 1 search")
    assert made.out == "0.py, 1.py, 2.py, tenant"
    assert [one.id for one in made.rows] == ["r0", "r1", "r2", "g"]


def test_a_plan_leads_to_what_carried_it_out() -> None:
    info = {"links": SessionLinks(implementation=SessionLink("later", 1.0, "slug"))}
    made = render_context(document(session=info), READER)

    assert call_items.call_item(
        call("ExitPlanMode", "ok", plan="# P"), made
    ).leads == RelatedSession("Implemented in", "later", "slug")
    assert call_items.call_item(call("Bash", "ok"), made).leads is None


def test_what_hooks_said_is_told_in_a_line() -> None:
    hook = ToolHook("allow", 2_000, ("PreToolUse",), "rule")

    assert call_items.hook_note(structs.replace(call(), hook=hook)) == (
        "decision allow · by rule · waited 2.0 s · hooks PreToolUse"
    )
    assert call_items.hook_note(call()) == ""


def test_a_question_to_the_reader_shows_all_of_it() -> None:
    made = call_items.approval_item(call("Bash", command="one\ntwo", state="running"), seen())

    assert made.details


def test_a_call_of_mcp_is_its_tool_and_its_server_a_chip() -> None:
    made = row("mcp__Claude_Browser__navigate", url="https://example.org")

    assert (made.tool, made.server) == ("navigate", "Claude_Browser")


def test_of_a_path_the_folder_may_be_cut_and_the_name_not() -> None:
    made = row("Read", "x", file_path="src/limits/bucket.py")

    assert made.path == ("src/limits/", "bucket.py")
    assert row("Bash", "x", command="ls src/limits").path == ("", "ls src/limits")


def test_a_command_is_copied_as_it_was_typed() -> None:
    assert row("Bash", "x", command="cat <<E\n  a\nE").copy == "cat <<E\n  a\nE"
    assert row("Bash", "x", command="ls").copy == ""


def test_a_question_and_a_plan_stand_open() -> None:
    assert row("AskUserQuestion", "", questions=[{"question": "Which?"}]).is_open
    assert row("ExitPlanMode", "ok", plan="x" * 5_000).details != ()
