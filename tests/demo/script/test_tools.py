from unspool.demo.script.tools import agent, ask, bash, edit, fails, grep, read, refused, todo


def test_a_command_that_fails_says_its_code() -> None:
    call = bash("false", "no", exit=3)

    assert (call.failed, call.content, call.result) == (
        True,
        "Exit code 3\nno",
        "Error: Exit code 3\nno",
    )


def test_a_description_is_there_only_if_it_is_given() -> None:
    assert bash("ls").input == {"command": "ls"}
    assert bash("ls", about="List").input == {"command": "ls", "description": "List"}


def test_a_call_that_the_tool_refuses_keeps_what_was_asked() -> None:
    asked = edit("a.py", "one", "two")
    call = fails(asked, "No such text.")

    assert (call.failed, call.input) == (True, asked.input)
    assert call.content == "<tool_use_error>No such text.</tool_use_error>"


def test_an_edit_has_the_patch_of_its_lines() -> None:
    [hunk] = edit("a.py", "one\ntwo\nthree", "one\n2\nthree", line=7).result["structuredPatch"]

    assert hunk["lines"] == [" one", "-two", "+2", " three"]
    assert (hunk["oldStart"], hunk["oldLines"], hunk["newLines"]) == (7, 3, 3)


def test_text_is_written_at_the_depth_of_the_story_and_stored_without() -> None:
    call = read(
        "a.py",
        """
        def f():
            pass
        """,
        line=4,
        total=90,
    )

    assert call.result["file"]["content"] == "def f():\n    pass"
    assert call.content.splitlines()[0] == "     4\tdef f():"
    assert call.input["limit"] == 2


def test_files_of_a_search_are_counted() -> None:
    assert grep("x", "a.py:1:x\na.py:2:x\nb.py:9:x").result["numFiles"] == 2


def test_marks_of_a_list_are_its_states() -> None:
    states = [one["status"] for one in todo("x a", "> b", "- c").input["todos"]]

    assert states == ["completed", "in_progress", "pending"]


def test_a_call_that_is_refused_says_so() -> None:
    call = refused(bash("rm -r build"))

    assert (call.failed, call.result) == (True, "User rejected tool use")
    assert call.input == {"command": "rm -r build"}


def test_an_answer_is_among_the_options() -> None:
    call = ask("Which?", "Way", {"A": "one", "B": "two"}, answer="B")

    assert call.result["answers"] == {"Which?": "B"}


def test_a_member_of_a_team_is_named_in_its_call() -> None:
    call = agent("general-purpose", "Look", "Look at it.", [], name="notes", team="t")

    assert (call.input["name"], call.input["team_name"]) == ("notes", "t")
