from tests.show.made import texts
from unspool.show.tools import bash


def test_a_command_is_one_line_however_it_was_typed() -> None:
    assert bash.summary({"command": "cat <<E\n  a\nE"}, None) == "cat <<E a E"


def test_without_a_command_the_description_has_to_do() -> None:
    assert bash.summary({"command": 7, "description": "List files"}, None) == "List files"


def test_an_exit_code_is_told_beside_the_command_and_not_again_below() -> None:
    result = "Exit code 1\n2 failed"

    assert bash.facts({}, result) == "exit 1"
    assert texts(bash.body({}, result, failed=True)) == ["2 failed"]


def test_a_command_in_the_background_says_so() -> None:
    assert bash.facts({"run_in_background": True}, "started") == "in background"
    assert bash.facts({}, {"stdout": "", "interrupted": True}) == "interrupted"


def test_both_streams_are_shown() -> None:
    assert texts(bash.body({}, {"stdout": "a", "stderr": "b"}, failed=False)) == ["a", "b"]


def test_a_failure_shows_most_of_its_end() -> None:
    printed = "\n".join(map(str, range(30)))

    assert len(bash.body({}, printed, failed=False)) == 5
    assert texts(bash.body({}, printed, failed=True))[-8:] == [str(n) for n in range(22, 30)]
