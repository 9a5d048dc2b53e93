import pytest
from msgspec import Raw, structs

from tests.derive.alerts.executions import END_MS, execution, rule
from unspool.derive.alerts.limits import LONGEST, alert, dollars, one_line
from unspool.derive.alerts.session import CallAlerts, input_fields, result_text
from unspool.model.alerts import Alert, AlertRule, InputRule
from unspool.model.document import ToolExecution, ToolState


def fed(one: AlertRule, *executions: ToolExecution) -> list[Alert]:
    fold = CallAlerts([one], "s1", "-p")
    return [found for each in executions for found in fold.feed(each)]


def bash(id: str, state: ToolState, command: str = "make") -> ToolExecution:
    return execution("Bash", state, id=id, command=command)


def edit(
    id: str, path: str = "/a.py", tool: str = "Edit", state: ToolState = "ok"
) -> ToolExecution:
    return execution(tool, state, id=id, file_path=path)


def test_an_alert_says_whose_and_when() -> None:
    (found,) = fed(rule(when="error", name="oops"), execution(state="error", result="no such file"))

    assert (found.rule, found.session, found.project) == ("oops", "s1", "-p")
    assert (found.tool_use_id, found.at) == ("t1", END_MS)
    assert found.message == "Bash failed: no such file"


FAILING = rule(when="failing", times=3)


def test_a_command_that_failed_so_often_is_told_once() -> None:
    found = fed(FAILING, *(bash(f"t{n}", "error") for n in range(6)))

    assert [(one.tool_use_id, one.message) for one in found] == [
        ("t2", "Bash failed 3 times: make")
    ]


def test_a_command_that_went_well_in_between_begins_anew() -> None:
    states: list[ToolState] = ["error", "error", "ok", "error", "error"]

    assert not fed(FAILING, *(bash(f"t{n}", state) for n, state in enumerate(states)))


def test_different_commands_are_counted_apart() -> None:
    assert not fed(FAILING, *(bash(f"t{n}", "error", f"make {n}") for n in range(5)))


def test_spacing_does_not_make_another_command() -> None:
    commands = ["make  all", " make all", "make\nall"]

    assert len(fed(FAILING, *(bash(c, "error", c) for c in commands))) == 1


def test_a_refusal_is_no_failure() -> None:
    assert not fed(FAILING, *(bash(f"t{n}", "rejected") for n in range(3)))


def test_an_execution_fed_again_counts_once() -> None:
    assert not fed(FAILING, *[bash("t1", "error")] * 5)


EDITING = rule(when="editing", times=2)


def test_a_file_edited_so_often_is_told_once() -> None:
    found = fed(EDITING, edit("t1"), edit("t2", tool="Write"), edit("t3", tool="MultiEdit"))

    assert [one.message for one in found] == ["Edited 2 times: /a.py"]


def test_a_notebook_is_a_file_too() -> None:
    cells = [execution("NotebookEdit", id=id, notebook_path="/a.ipynb") for id in ("t1", "t2")]

    assert len(fed(EDITING, *cells)) == 1


@pytest.mark.parametrize(
    "second", [edit("t2", "/b.py"), edit("t2", tool="Read"), edit("t2", state="error")]
)
def test_another_file_a_reader_or_a_failure_is_no_second_edit(second: ToolExecution) -> None:
    assert not fed(EDITING, edit("t1"), second)


@pytest.mark.parametrize("state", ["ok", "rejected", "interrupted", "running", "no_result"])
def test_only_a_failure_is_an_error(state: ToolState) -> None:
    assert not fed(rule(when="error"), execution(state=state))


def test_an_error_may_be_of_one_tool_only() -> None:
    read = rule(when="error", tool="Read")

    assert not fed(read, execution("Bash", "error"))
    assert fed(read, execution("Read", "error"))


def test_an_error_that_is_to_be_ignored_is() -> None:
    quiet = rule(when="error", ignore=["exit code 1"])

    assert not fed(quiet, execution(state="error", result=[{"text": "Exit code 1"}]))
    assert fed(quiet, execution(state="error", result="Exit code 2"))


def test_the_built_in_error_rule_ignores_what_the_user_stopped() -> None:
    stopped = execution(state="error", result="[Request interrupted by user for tool use]")

    assert not fed(rule(use="tool-error"), stopped)


def test_a_pattern_is_looked_for_in_its_field() -> None:
    danger = rule(when="input", tool="Bash", field="command", matches=r"rm\s+-rf")

    assert fed(danger, execution(command="sudo RM  -rf /", description="x"))
    assert not fed(danger, execution(command="ls", description="rm -rf"))
    assert not fed(danger, execution("Other", command="rm -rf"))


def test_the_first_ten_thousand_characters_are_looked_at() -> None:
    danger = rule(when="input", field="command", matches="x")

    assert fed(danger, execution(command="a" * 9_999 + "x"))
    assert not fed(danger, execution(command="a" * 10_000 + "x"))


def test_a_pattern_that_cannot_be_used_matches_nothing() -> None:
    assert not fed(InputRule(name="n", matches="(a"), execution(command="(a"))


def test_without_a_field_all_of_the_input_is_looked_at() -> None:
    assert fed(rule(use="env-file"), execution("Read", file_path="/repo/.env"))


def test_a_field_that_is_no_text_is_looked_at_as_json() -> None:
    secret = rule(when="input", field="edits", matches="secret")

    assert fed(secret, execution(edits=[{"a": "Secret"}]))


def test_an_input_is_told_before_the_tool_has_answered() -> None:
    assert fed(rule(use="env-file"), execution("Read", "running", file_path="/.env"))


def test_an_input_that_is_to_be_ignored_is() -> None:
    spare = rule(use="env-file", ignore=["example"])

    assert not fed(spare, execution("Read", file_path="/.env.example"))


def heavy(total: int) -> ToolExecution:
    """A call of so many estimated tokens: five of them are its name and its empty input."""
    return execution("A-name-of-18-chars", result="x" * ((total - 5) * 4))


# devtools 124
def test_a_call_of_more_than_its_limit_of_tokens_is_told() -> None:
    assert len(fed(rule(use="high-tokens"), heavy(8_001))) == 1
    assert len(fed(rule(use="high-tokens"), heavy(8_000))) == 0


def test_a_call_and_its_result_that_come_apart_are_added() -> None:
    limit = rule(when="tokens", above=10)
    begun = execution(state="running", command="x" * 20)
    ended = execution(result="y" * 20, command="x" * 20)

    assert [one.tool_use_id for one in fed(limit, begun, ended)] == ["t1"]


@pytest.mark.parametrize(("share", "count"), [("input", 0), ("output", 1), ("total", 1)])
def test_a_limit_may_be_of_what_went_in_or_came_out(share: str, count: int) -> None:
    limit = rule(when="tokens", above=100, share=share)

    assert len(fed(limit, execution(result="x" * 1_000))) == count


@pytest.mark.parametrize("raw", [b"null", b"[]", b"{", b"7", b'{"command":7}', b"\xff"])
def test_an_odd_input_is_no_trouble(raw: bytes) -> None:
    odd = structs.replace(execution(state="error"), input=Raw(raw), result=Raw(raw))
    every = [rule(use=name) for name in ("failing-command", "busy-file", "tool-error", "env-file")]

    fold = CallAlerts([*every, rule(use="high-tokens")], "s1")
    assert [found.rule for found in fold.feed(odd)] == ["tool-error"]


def test_a_limit_of_tokens_may_be_of_one_tool_only() -> None:
    limit = rule(when="tokens", above=1, tool="Read")

    assert [len(fed(limit, execution(tool))) for tool in ("Bash", "Read")] == [0, 1]


def test_a_message_is_cut_at_five_hundred_characters() -> None:
    found = alert(rule(when="error"), "x" * 501, session="s", about="t", at=None)

    assert (len(found.message), found.message[-1]) == (500, "…")


def test_a_message_that_fits_is_whole() -> None:
    assert one_line("x" * LONGEST) == "x" * LONGEST


def test_a_message_is_one_line() -> None:
    assert one_line(" a\n\n b\tc ") == "a b c"


def test_the_key_names_rule_session_and_what_it_is_about() -> None:
    found = alert(rule(when="error", name="oops"), "m", session="s1", about="t1", at=1)

    assert found.key == "oops:s1:t1"


def test_money_is_told_to_the_cent() -> None:
    assert dollars(1_234_567_890_000_000) == "$1,234.57"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"plain"', "plain"),
        (b'[{"type":"text","text":"a"},{"type":"image"},{"text":"b"},7]', "a\nb"),
        (b"null", ""),
        (b"{}", ""),
        (b"not json", "not json"),
        (b"\xff", "\ufffd"),
    ],
)
def test_a_result_says_its_text(raw: bytes, text: str) -> None:
    assert result_text(raw) == text


@pytest.mark.parametrize("raw", [b"null", b"[]", b"7", b"{", b"\xff", b"[" * 5_000])
def test_an_input_that_is_no_object_gives_nothing(raw: bytes) -> None:
    assert input_fields(raw) == {}
