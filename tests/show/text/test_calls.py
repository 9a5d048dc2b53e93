from msgspec import Raw, structs

from tests.show.made import PIPE, SCREEN, call, texts
from unspool.model.document import ToolHook
from unspool.show.text.calls import TextContext, is_quiet, run
from unspool.show.text.calls import call as shown

STORY = TextContext(PIPE, "/repo")


def test_a_call_is_one_line_with_how_it_ended() -> None:
    made = call("Bash", "Exit code 1\n2 failed", state="error", command="pytest -q")

    assert texts(shown(made, STORY)) == [
        "  ✗ Bash       pytest -q  exit 1  4.2 s",
        "      2 failed",
    ]


def test_figures_stand_at_the_right_edge() -> None:
    made = call("Edit", "ok", file_path="/repo/a.py", old_string="a", new_string="b")
    line = texts(shown(made, TextContext(SCREEN, "/repo")))[0]

    assert len(line) == 80
    assert line.startswith("  • Edit       a.py ")
    assert line.endswith("+1 −1    4.2 s")


def test_files_of_the_project_go_by_their_place_in_it() -> None:
    assert (
        "  • Read       src/a.py"
        in texts(shown(call("Read", file_path="/repo/src/a.py"), STORY))[0]
    )


def test_only_the_project_itself_is_left_away() -> None:
    assert (
        STORY.relative("grep x /repo /repo2/a /my/repo/a '/repo/b'")
        == "grep x . /repo2/a /my/repo/a 'b'"
    )
    assert TextContext(PIPE).relative("/repo/a") == "/repo/a"


def test_each_state_has_its_mark_and_word() -> None:
    assert "✗ Bash       x  rejected" in texts(shown(call(state="rejected", command="x"), STORY))[0]
    assert (
        "■ Bash       x  interrupted"
        in texts(shown(call(state="interrupted", command="x"), STORY))[0]
    )
    assert "● Bash       x  running" in texts(shown(call(state="running", command="x"), STORY))[0]
    assert (
        "? Bash       x  no result" in texts(shown(call(state="no_result", command="x"), STORY))[0]
    )


def test_a_long_wait_for_approval_is_told() -> None:
    made = structs.replace(call(command="x"), hook=ToolHook("allow", 180_000))

    assert "waited 3 min" in texts(shown(made, STORY))[0]


def test_a_short_wait_is_not() -> None:
    made = structs.replace(call(command="x"), hook=ToolHook("allow", 900))

    assert "waited" not in texts(shown(made, STORY))[0]


def test_a_run_that_only_looked_is_one_line() -> None:
    reads = [call("Read", file_path=f"/repo/src/{name}.py") for name in "aab"]
    line = texts(run([*reads, call("Grep", pattern="def x")], STORY))

    assert line == ["  ≡ Read       3 files · Grep 1 search  a.py, b.py, def x  17 s"]


def test_one_look_is_an_ordinary_call() -> None:
    assert texts(run([call("Grep", pattern="x")], STORY)) == ["  • Grep       x  4.2 s"]


def test_only_what_looked_and_went_well_is_quiet() -> None:
    assert is_quiet(call("Read"))
    assert not is_quiet(call("Read", state="error"))
    assert not is_quiet(call("Bash"))


def test_an_input_that_is_no_object_is_shown_all_the_same() -> None:
    made = structs.replace(call("Bash"), input=Raw(b"[1]"), result=Raw(b"{"))

    assert texts(shown(made, STORY)) == ["  • Bash         4.2 s"]
