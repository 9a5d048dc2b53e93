import pytest

from tests.show.made import texts
from unspool.show.tools import bash
from unspool.show.tools.details import DetailBuilder, OutputDetail, PairsDetail


def test_a_command_is_one_line_however_it_was_typed() -> None:
    assert bash.summary({"command": "cat <<E\n  a\nE"}, None) == "cat <<E a E"


def test_without_a_command_the_description_has_to_do() -> None:
    assert bash.summary({"command": 7, "description": "List files"}, None) == "List files"


def test_an_exit_code_is_told_beside_the_command_and_not_again_below() -> None:
    result = "Exit code 1\n2 failed"

    assert bash.facts({}, result) == "exit 1"
    assert texts(bash.preview({}, result, failed=True)) == ["2 failed"]


def test_a_command_in_the_background_says_so() -> None:
    assert bash.facts({"run_in_background": True}, "started") == "in background"
    assert bash.facts({}, {"stdout": "", "interrupted": True}) == "interrupted"


def test_both_streams_are_shown() -> None:
    assert texts(bash.preview({}, {"stdout": "a", "stderr": "b"}, failed=False)) == ["a", "b"]


def test_a_failure_shows_most_of_its_end() -> None:
    printed = "\n".join(map(str, range(30)))

    assert len(bash.preview({}, printed, failed=False)) == 5
    assert texts(bash.preview({}, printed, failed=True))[-8:] == [str(n) for n in range(22, 30)]


def test_a_command_of_several_lines_is_shown_in_full() -> None:
    (command,) = bash.details({"command": "cd x\nmake"}, None, DetailBuilder())

    assert isinstance(command, OutputDetail)
    assert (command.label, command.head) == ("command", "cd x\nmake")


def test_what_it_is_for_is_told() -> None:
    assert bash.details({"command": "x", "description": "Try"}, "", DetailBuilder()) == [
        PairsDetail((("description", "Try"),))
    ]


def test_a_result_without_streams_is_what_was_printed() -> None:
    (made,) = bash.details({"command": "x"}, "<stdout>hi</stdout>", DetailBuilder())

    assert isinstance(made, OutputDetail)
    assert made.head == "hi"


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("pytest -q tests", "pytest"),
        ("cd src && python3 -m pytest -q", "pytest"),
        ("# run it\nFOO=1 npm run build --silent", "npm run build"),
        ("git push --force", "git push"),
        ("git -C elsewhere push", "git"),
        ("uv run pytest | tail -5", "pytest"),
        ("timeout 5 ./scripts/deploy.sh now", "deploy.sh"),
        ("for n in 1 2; do make test; done", "make test"),
        ("'/opt/my tool' --fast", "'/opt/my tool' --fast"),
        ("cd /tmp", "cd /tmp"),
    ],
)
def test_a_command_is_named_by_what_it_runs(command: str, program: str) -> None:
    assert bash.program(command) == program
